/* strew_show.h: the histogram of strew.show. */
#ifndef STREW_SHOW_H
#define STREW_SHOW_H

#include "draw.h"
#include "strew_bind.h"

struct histogram {
  strew_tensor *tensor; /* any shape, at least one element */
  strew_dtype dtype;    /* dtype for comparing elements with edges: float64, or float32 */
  int64_t bins;
  struct range range; /* NaN: the smallest and largest finite element, set by histogram_count */
};

/* Counts elements in `bins` bins of equal width, which include their lower edges, the last one its upper edge, too.
   Result: int64[bins] on the CPU. */
strew_status histogram_count(struct histogram *histogram, strew_tensor **counts, strew_error *error);
/* Pushes the histogram as text of `width` columns. */
void histogram_push(lua_State *L, const struct histogram *histogram, strew_tensor *counts, int64_t width,
                    enum terminal_style style);

#endif
