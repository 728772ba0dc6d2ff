/* search.c: binary searches in sorted lines on the CPU, without branches, which would be unpredictable. Several values
   are searched at once, to overlap the cache misses of one another. */
#include "runtime/core/cpu/cpu.h"
#include "runtime/core/cpu/tuning.h"
#include "runtime/order/order_ops.h"

enum { AT_ONCE = 16, VALUES = 1 << 14 };

/* Sorted lines: size elements, step bytes apart. Of unsigned elements, read as signed ones, the bit `flip` is flipped. */
struct sorted_lines {
  int64_t size, step;
  int64_t flip;
  bool right;
};

#define LOOPS_SIGNED
#define LOOPS "runtime/order/cpu/search.inc"
#include "runtime/core/cpu/each_dtype.h"

ORDER_ENTRIES(CPU_FUNCTION, CPU_FUNCTION)

strew_status cpu_search(const struct call *call, strew_device *device, const struct search_plan *search) {
  static void (*const rows[])(void *lines, const struct row *row) = {SIGNED_BY_DTYPE(search_row)};
  const struct operand *sorted = &search->plan.operands[SEARCH_SORTED];
  const int64_t bytes = (int64_t)dtype_bytes(sorted->dtype);
  struct sorted_lines lines = {search->size, search->step * bytes, (int64_t)dtype_sign(sorted->dtype), search->right};
  int64_t comparisons = 2; /* of a value */
  while (search->size >> (comparisons - 1)) comparisons++;
  walk_rows_sized(device->context, &search->plan, plan_numel(&search->plan) * comparisons * bytes, VALUES,
                  rows[dtype_signed(sorted->dtype)], &lines);
  return context_end(call, device->context, search->plan.operands[SEARCH_OUT].storage);
}
