/* sample.h: a look at the index of a scatter, before a way is chosen. */
#ifndef STREW_SAMPLE_H
#define STREW_SAMPLE_H

#include "choose.h"

/* Takes LEAST_SAMPLE values. With `parts` > 1, tests by that many parts whether an index of one line ascends. */
void scatter_sample(strew_context *context, const struct scatter_plan *plan, int64_t parts, struct sample *sample);
/* Sets the cuts of WAY_POSITIONS and of WAY_OWNERS; the latter by a sorted sample, which it may enlarge: so that each
   owner gets as many contributions. */
void scatter_cut_positions(const struct scatter_plan *plan, struct scatter_way *way);
void scatter_cut_owners(const struct scatter_plan *plan, struct sample *sample, struct scatter_way *way);

#endif
