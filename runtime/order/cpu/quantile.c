/* quantile.c: elements at the ranks of quantiles on the CPU. Of unsorted elements a few are sorted, of more those of
   the ranks are selected: first those between two elements of a sample are kept, or those in the bin of the rank,
   then digit by digit. */
#include "runtime/core/cpu/cpu.h"
#include "runtime/core/cpu/tuning.h"
#include "runtime/order/order_ops.h"
#include "runtime/order/shared/quantile_rank.h"

_Static_assert(RANK_LINEAR == (int)STREW_LINEAR && RANK_LOWER == (int)STREW_LOWER && RANK_HIGHER == (int)STREW_HIGHER &&
                   RANK_MIDPOINT == (int)STREW_MIDPOINT && RANK_NEAREST == (int)STREW_NEAREST &&
                   RANK_INVERTED_CDF == (int)STREW_INVERTED_CDF,
               "quantile_rank.h numbers interpolations as strew.h does");

/* at once: results, elements to select from, and to keep */
enum { QUANTILES = 1 << 12, SELECTED = 1 << 16, KEPT = 256 };

struct picking {
  strew_context *context;
  const struct quantile_plan *plan;
  uint64_t q; /* in `format` */
  struct float_format format;
  int64_t step_bytes;
  uint64_t flip;
  void *spare; /* where elements are selected; NULL: where they are */
};

struct elements {
  strew_context *context;
  char *first;
  int64_t step_bytes, count;
  uint64_t flip; /* of keys: unsigned elements are read as signed ones */
};

/* Returns the end of the chunk of a group's first `count` elements that begins at `begin`; `begin` if none is left, or
   the call must stop: its loops then end early, with any result. */
static inline int64_t chunk_end(const struct elements *e, int64_t begin, int64_t count) {
  return begin && context_stops(e->context) ? begin : least(begin + CHUNK, count);
}

struct signs {
  int64_t below, zeros, nan;
  int digit; /* bits below the first digit in which keys differ */
};

enum { AT_ONCE = 16 };
/* The bins of few elements; the ranks looked for are in bins first .. first + span. */
struct bins {
  uint8_t of[SAMPLE_MIN + AT_ONCE], first, span;
};
static inline bool is_in_bins(const struct bins *bins, int64_t i) {
  return (uint8_t)(bins->of[i] - bins->first) <= bins->span;
}
/* True if one of several elements may be in these bins. */
static inline bool has_bins(const struct bins *bins, int64_t i) {
  int found = 0;
  for (int k = 0; k < AT_ONCE; k++) found |= is_in_bins(bins, i + k);
  return found;
}

/* Finds the bins of *rank and *rank + 1, and *rank among their elements. False, and nothing is changed, if these are
   more than half of all. */
static bool find_bins(struct bins *bins, int64_t count, int64_t *rank) {
  uint16_t counts[1 << 8], of[4][1 << 8] = {{0}}; /* neighbours are often in one bin */
  int64_t below = 0, within;
  int first = 0, last;
  memset(bins->of + count, 0, AT_ONCE); /* has_bins looks at them */
  for (int64_t i = 0; i < count; i++) of[i & 3][bins->of[i]]++;
  for (int i = 0; i < 1 << 8; i++) counts[i] = (uint16_t)(of[0][i] + of[1][i] + of[2][i] + of[3][i]);
  while (below + counts[first] <= *rank) below += counts[first++];
  within = counts[last = first];
  while (below + within <= least(*rank + 1, count - 1)) within += counts[++last];
  if (2 * within > count) return false;
  bins->first = (uint8_t)first, bins->span = (uint8_t)(last - first);
  *rank -= below;
  return true;
}

#define LOOPS_SIGNED
#define LOOPS "runtime/order/cpu/quantile.inc"
#include "runtime/core/cpu/each_dtype.h"

ORDER_ENTRIES(CPU_FUNCTION, CPU_FUNCTION)

strew_status cpu_quantile(const struct call *call, strew_device *device, const struct quantile_plan *plan) {
  static void (*const picks[])(void *picking, const struct row *row) = {SIGNED_BY_DTYPE(pick_row)};
  const strew_dtype dtype = plan->plan.operands[QUANTILE_SORTED].dtype;
  struct picking picking = {.context = device->context,
                            .plan = plan,
                            .q = plan->in_float32 ? bits_of_float((float)plan->q) : bits_of_double(plan->q),
                            .format = plan->in_float32 ? FORMAT_FLOAT32 : FORMAT_FLOAT64,
                            .step_bytes = plan->step * (int64_t)dtype_bytes(dtype),
                            .flip = dtype_sign(dtype)};
  const int64_t bytes = walk_bytes(&plan->plan) + plan->unsorted * (int64_t)dtype_bytes(dtype);
  const int64_t most = SELECTED / (plan->unsorted / plan_numel(&plan->plan) + 1) + 1;
  const uint64_t spare_bytes = plan->stays ? (uint64_t)plan->unsorted * dtype_bytes(dtype) : 0;
  if (spare_bytes) ALLOCATE(picking.spare, call, device->context, spare_bytes);
  walk_rows_sized(device->context, &plan->plan, bytes, least(most, QUANTILES), picks[dtype_signed(dtype)], &picking);
  if (spare_bytes) memory_free(device->context, picking.spare, spare_bytes);
  return context_end(call, device->context, plan->plan.operands[QUANTILE_OUT].storage);
}
