/* strew_search.c: searches and counts of values. */
#include "strew_bind.h"

static strew_status searchsorted(struct arguments *a) {
  return strew_searchsorted_with(a->sorted, a->values, &(strew_searchsorted_options){.right = a->is_right}, a->out,
                                 a->error);
}

static strew_status bucketize(struct arguments *a) {
  return strew_bucketize_with(a->values, a->boundaries, &(strew_searchsorted_options){.right = a->is_right}, a->out,
                              a->error);
}

static strew_status bincount(struct arguments *a) {
  return strew_bincount(a->self, a->weights, a->minlength, a->out, a->error);
}

static strew_status histc(struct arguments *a) {
  return strew_histc(a->self, a->bins, a->min, a->max, a->out, a->error);
}

const struct script_function bind_bucketize_row = {
    "bucketize", bind_one, 0, FUNCTION | CONSTANT, "values:operand boundaries:tensor right=boolean", bucketize};
const struct script_function bind_search_rows[] = {
    {"searchsorted", bind_one, 0, ALWAYS | CONSTANT, "sorted:tensor values:operand right=boolean", searchsorted},
    {"bincount", bind_one, 0, ALWAYS, "self:tensor weights=tensor minlength=integer(0)", bincount},
    {"histc", bind_one, 0, ALWAYS | CONSTANT, "self:tensor bins?integer(100) min?number max?number", histc},
    {NULL}};
