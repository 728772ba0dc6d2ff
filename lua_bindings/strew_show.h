/* strew_show.h: the histogram that strew.show draws. */
#ifndef STREW_SHOW_H
#define STREW_SHOW_H

#include "draw.h"
#include "strew_bind.h"

struct histogram {
  strew_tensor *tensor; /* of any shape, with an element at least */
  strew_dtype dtype;    /* in which its elements are compared with the edges: float64, or float32 */
  int64_t bins;
  struct range range; /* NaN: the least and the greatest finite element; histogram_count fills it in */
};

/* Counts the elements in each of `bins` parts of the range that are equally wide and have their lower edge, the last
   one its upper edge too: int64[bins] on the CPU. */
strew_status histogram_count(struct histogram *histogram, strew_tensor **counts, strew_error *error);
/* Pushes it as text of `width` columns. */
void histogram_push(lua_State *L, const struct histogram *histogram, strew_tensor *counts, int64_t width,
                    enum terminal_style style);

#endif
