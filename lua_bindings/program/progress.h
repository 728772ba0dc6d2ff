/* progress.h: the line of the program's terminal that says what takes so long. */
#ifndef STREW_PROGRESS_H
#define STREW_PROGRESS_H

#include <stdbool.h>

/* Is standard error a terminal on which a line can be erased? */
bool progress_can_show(void);
/* As strew_options.progress. The line is drawn at most ten times a second, so that short work never shows; but work
   that cannot tell how far it is shows at once: it may not be heard of again before its end. The line is erased when
   the work is done, and at the program's end. */
void progress_show(void *user, const char *doing, double done);

/* strew_options.progress of the program: counts seconds, and shows the line where it can be shown. */
void progress_note(void *user, const char *doing, double done);
/* Seconds for which kernels were compiled so far. */
double progress_seconds_compiling(void);
double progress_clock(void); /* monotonic seconds */

#endif
