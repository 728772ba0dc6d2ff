/* share.h: the parts of a scatter, run by the threads that share it. */
#ifndef STREW_SHARE_H
#define STREW_SHARE_H

#include "choose.h"

/* Joins the whole plan; *bad as in cpu_scatter_walk. False, and nothing done, if memory lacks. */
bool scatter_share(strew_context *context, const struct scatter_plan *plan, const struct scatter_way *way,
                   atomic_bool *bad);

#endif
