/* search.c: binary searches in sorted lines on the CPU, without branches, which would be unpredictable. Several values
   are searched at once, to overlap the cache misses of one another. */
#include "cpu.h"
#include "runtime/shared/scalar.h"

#include <string.h>

enum { AT_ONCE = 16, VALUES = 1 << 14 };

/* Sorted lines: size elements, step bytes apart. */
struct sorted_lines {
  int64_t size, step;
  bool right;
};

#define LOOPS "runtime/cpu/search.inc"
#include "runtime/cpu/loops/each_dtype.h"

typedef void search_row(const struct sorted_lines *lines, const struct row *row);

struct search_job {
  struct sorted_lines lines;
  search_row *search;
};

static void searchsorted_visit(void *job_, const struct row *row) {
  const struct search_job *job = job_;
  job->search(&job->lines, row);
}

strew_status cpu_search(const struct call *call, strew_device *device, const struct search_plan *search) {
  static search_row *const rows[] = {
#define ROW(ENUM, s, ...) [STREW_##ENUM] = search_row_##s,
      STREW_DTYPES(ROW)
#undef ROW
  };
  const struct operand *sorted = &search->plan.operands[SEARCH_SORTED];
  const int64_t bytes = (int64_t)dtype_bytes(sorted->dtype);
  struct search_job job = {{search->size, search->step * bytes, search->right}, rows[sorted->dtype]};
  int64_t comparisons = 2; /* of a value */
  while (search->size >> (comparisons - 1)) comparisons++;
  walk_rows_sized(device->context, &search->plan, plan_numel(&search->plan) * comparisons * bytes, VALUES,
                  searchsorted_visit, &job);
  return context_end(call, device->context, search->plan.operands[SEARCH_OUT].storage);
}
