/* parts.h: the parts that this build has beside the core: all, or those that make PARTS=... names (STREW_PARTS and
   PART_NAME are then macros of the build). */
#ifndef PARTS_H
#define PARTS_H

#ifndef STREW_PARTS
#define PART_ELEMENTWISE 1
#define PART_REDUCE      1
#define PART_ORDER       1
#define PART_GROUPS      1
#define PART_PROGRAMS    1
#define PART_LINALG      1
#define PART_TEXT_TIME   1
#define PART_FILES       1
#define PART_INTERCHANGE 1
#endif

#endif
