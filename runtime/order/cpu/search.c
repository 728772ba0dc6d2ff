/* search.c: binary searches in sorted lines on the CPU, without branches, which would be unpredictable. Several values
   are searched at once, to overlap the cache misses of one another. In a line that rises they are searched near the ones
   before, where values that rise have their places. */
#include "runtime/core/cpu/cpu.h"
#include "runtime/core/cpu/tuning.h"
#include "runtime/order/order_ops.h"

enum { AT_ONCE = 16, VALUES = 1 << 14 };

/* Sorted lines: size elements, step bytes apart. Of unsigned elements, read as signed ones, the bit `flip` is flipped. */
struct sorted_lines {
  int64_t size, step;
  int64_t flip;
  bool right, rises; /* rises: one line for all values, contiguous, which is known to rise */
};

struct part {
  int64_t first, size;
};

#define LOOPS_SIGNED
#define LOOPS "runtime/order/cpu/search.inc"
#include "runtime/core/cpu/each_dtype.h"

ORDER_ENTRIES(CPU_FUNCTION, CPU_FUNCTION)

strew_status cpu_search(const struct call *call, strew_device *device, const struct search_plan *search) {
  static bool (*const rises[])(const char *line, int64_t size, int64_t flip) = {SIGNED_BY_DTYPE(rises)};
  static void (*const rows[])(void *lines, const struct row *row) = {SIGNED_BY_DTYPE(search_row)};
  const struct operand *sorted = &search->plan.operands[SEARCH_SORTED];
  const int64_t bytes = (int64_t)dtype_bytes(sorted->dtype);
  struct sorted_lines lines = {search->size, search->step * bytes, (int64_t)dtype_sign(sorted->dtype), search->right,
                               false};
  int64_t comparisons = 2; /* of a value */
  while (search->size >> (comparisons - 1)) comparisons++;
  bool is_one = search->step == 1 && search->size > AT_ONCE && plan_numel(&search->plan) >= search->size;
  for (int d = 0; d < search->plan.rank; d++) is_one &= !sorted->strides[d];
  if (is_one) lines.rises = rises[dtype_signed(sorted->dtype)](operand_address(sorted), search->size, lines.flip);
  walk_rows_sized(device->context, &search->plan, plan_numel(&search->plan) * comparisons * bytes, VALUES,
                  rows[dtype_signed(sorted->dtype)], &lines);
  return context_end(call, device->context, search->plan.operands[SEARCH_OUT].storage);
}
