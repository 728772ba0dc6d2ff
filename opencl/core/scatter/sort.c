/* sort.c: scatter on GPUs by sorting: contributions are sorted stably by destination, and each run of equal
   destinations is combined in order. A sorted index needs no sort: of a long one a pass tests for that and checks it,
   and the host waits for the answer. Else it waits for that of the check after the sort. */
#include "scattering.h"

#include <stdio.h>
#include <string.h>

struct sorted {
  struct plan plan; /* rows, first those along which index moves, then the line */
  struct space space;
  int64_t shared;              /* rows along which index is constant */
  int64_t count, destinations; /* contributions; destinations in all batches */
  int64_t most_runs, most_long_runs;
  int long_run;
  bool carries; /* items have src's elements */
  struct block *items, *starts, *long_starts;
};

static void append_dim(struct plan *to, const struct plan *from, int d) {
  to->sizes[to->rank] = from->sizes[d];
  for (int i = 0; i < from->count; i++) to->operands[i].strides[to->rank] = from->operands[i].strides[d];
  to->rank++;
}

/* Moves row dimensions along which index is constant behind the others. */
static void sorted_plan(const struct scattering *s, struct sorted *sorted) {
  const struct plan *from = &s->plan;
  const int64_t *moves = from->operands[INDEX].strides;
  const int line = from->rank - 1;
  struct plan *to = &sorted->plan;
  *to = *from;
  to->rank = 0;
  sorted->shared = 1;
  for (int d = 0; d < line; d++)
    if (moves[d]) append_dim(to, from, d);
  for (int d = 0; d < line; d++)
    if (!moves[d]) append_dim(to, from, d), sorted->shared *= from->sizes[d];
  if (line >= 0) append_dim(to, from, line);
  sorted->space = space_of(to);
}

bool opencl_scatter_suits_sort(const struct scattering *s) {
  int64_t most = UINT32_MAX - 1;
  return s->given->size > 0 && s->batches <= most / s->line && s->batches <= most / s->given->size;
}

static void sorted_shape(const struct scattering *s, struct sorted *sorted) {
  memset(sorted, 0, sizeof *sorted);
  sorted_plan(s, sorted);
  int64_t batches = s->rows / sorted->shared;
  sorted->count = batches * s->line;
  sorted->destinations = batches * s->given->size;
  sorted->long_run = s->tiny ? TINY_RUN : SORT_LONG_RUN;
  sorted->most_runs = sorted->count < sorted->destinations ? sorted->count : sorted->destinations;
  sorted->most_long_runs = sorted->count / sorted->long_run;
  const struct operand *src = &s->plan.operands[SRC];
  sorted->carries = sorted->shared == 1 && !s->with_arg && src->storage && strew_dtype_size_bytes(src->dtype) <= 4;
}

static void sorted_allocate(const struct scattering *s, struct sorted *sorted) {
  sorted->items = launch_scratch(s->launch, (uint64_t)sorted->count * item_bytes(false));
  sorted->starts = launch_scratch(s->launch, (uint64_t)sorted->most_runs * sizeof(cl_uint));
  sorted->long_starts = launch_scratch(s->launch, (uint64_t)sorted->most_long_runs * sizeof(cl_uint));
}

static struct launch *sorted_launch(const struct scattering *s, const struct sorted *sorted, const char *kernel) {
  char more[80];
  const struct opencl *on = opencl_of(s->launch->device);
  const strew_dtype dtype = s->plan.operands[SELF].dtype;
  const bool is_float = dtype_is_float(dtype), sums = s->given->reduction == STREW_SUM;
  const bool adds = on->is_gpu && is_float && !dtype_is_half(dtype) && sums;
  const bool in_turn = is_float && (sums || s->given->reduction == STREW_PROD || s->given->reduction == STREW_MEAN);
  snprintf(more, sizeof more, " BROAD=0 LONG=%d TILE=%d GROUP_SIZE=%zu%s%s", sorted->long_run,
           s->tiny ? TINY_BLOCK : SORT_TILE, opencl_large_group(s->launch->device),
           adds                     ? " ADDS"
           : on->is_gpu && !in_turn ? " PAIRS"
                                    : "",
           sorted->carries ? " CARRIED" : "");
  return scattering_launch(s, "scatter_sort.cl", kernel, sorted->space.outer, more);
}

static void make_items(const struct scattering *s, const struct sorted *sorted, struct item_sort *digits, bool check,
                       bool is_sorted) {
  struct launch *launch = sorted_launch(s, sorted, "make_items");
  launch_plan(launch, &sorted->space, INDEX);
  if (sorted->carries) launch_operand(launch, &sorted->space, SRC);
  launch_limits(launch, s->given->size, s->given->mode);
  launch_ints(launch, sorted->shared, sorted->destinations);
  launch_flags(launch, check);
  launch_blocks(launch, s->verdict, sorted->items);
  item_sort_make(digits, launch, is_sorted);
}

static void find_segments(const struct scattering *s, const struct sorted *sorted) {
  struct launch *launch = sorted_launch(s, sorted, "find_segments");
  launch_blocks(launch, sorted->items);
  launch_ints(launch, sorted->count, sorted->destinations);
  launch_blocks(launch, sorted->starts, sorted->long_starts, s->verdict);
  launch_items(launch, sorted->count);
}

static struct launch *launch_segmented(const struct scattering *s, const struct sorted *sorted, const char *kernel,
                                       const struct block *starts) {
  struct launch *launch = sorted_launch(s, sorted, kernel);
  launch_space(launch, &sorted->space);
  launch_target(launch, s, &sorted->space);
  if (!sorted->carries) launch_source(launch, s, &sorted->space);
  launch_limits(launch, s->given->size, s->given->mode);
  launch_ints(launch, sorted->shared, sorted->count);
  launch_blocks(launch, sorted->items, starts, s->verdict);
  return launch;
}

/* Combines contributions from .. to - 1 of each long run. */
static void join_long_runs(const struct scattering *s, const struct sorted *sorted, int64_t from, int64_t to) {
  const cl_int across = (cl_int)(sorted->shared < SORT_ACROSS ? sorted->shared : SORT_ACROSS);
  const int64_t longest = sorted->count / sorted->most_long_runs + 1; /* on average */
  struct launch *launch = launch_segmented(s, sorted, "join_long", sorted->long_starts);
  launch_flags(launch, across);
  launch_ints(launch, from, to);
  launch->turns = (to - from < longest ? to - from : longest) * across;
  launch->continues = !s->given->disposable;
  launch_groups(launch, sorted->most_long_runs * ((sorted->shared - 1) / across + 1),
                opencl_large_group(launch->device));
}

/* Split into launches, because one run may have all contributions, and one group then combines them. The kernel of long
   runs is made before the launch of the short ones, which writes. */
static void join_segments(const struct scattering *s, const struct sorted *sorted) {
  const int64_t most = launch_iterations(s->launch->device, SORT_ACROSS);
  if (sorted->most_long_runs) sorted_launch(s, sorted, "join_long");
  struct launch *launch = launch_segmented(s, sorted, "join_short", sorted->starts);
  launch->turns = sorted->count / sorted->most_runs + 1;
  launch_items(launch, sorted->most_runs * sorted->shared);
  for (int64_t from = 0; launch->status == STREW_OK && sorted->most_long_runs && from < sorted->count; from += most)
    join_long_runs(s, sorted, from, from + most);
}

/* True if the index is sorted; finds whether it has bad values and long runs. Waits. */
static bool test_order(struct scattering *s, struct sorted *sorted) {
  const struct scatter_plan *given = s->given;
  verdict_order(&s->pass, given->check, given->lowest, given->size - 1, sorted->long_run, s->verdict);
  const int known = verdict_read(s->launch, s->verdict);
  s->bad = known & VERDICT_BAD;
  *given->unsorted = known & VERDICT_UNSORTED;
  if (*given->unsorted) return false;
  if (!(known & VERDICT_LONG)) sorted->most_long_runs = 0;
  return true;
}

/* Reads whether there are bad values, and the number of long runs. Waits. */
static void read_findings(struct scattering *s, struct sorted *sorted) {
  uint32_t found[VERDICT_COUNTS];
  s->bad = verdict_read_counts(s->launch, s->verdict, found) & VERDICT_BAD;
  sorted->most_long_runs = found[1];
}

/* The bits of all keys: destination numbers, and one more for values out of range. That one must sort apart also if it
   fails the call, since segments are searched before this is known. */
static uint64_t key_bits(const struct scattering *s, const struct sorted *sorted, bool checks) {
  bool out_of_range = checks || s->given->mode == STREW_DROP;
  uint64_t last = (uint64_t)sorted->destinations - (!out_of_range && sorted->destinations > 0), bits = 0;
  while (bits < last) bits = bits << 1 | 1;
  return bits;
}

void opencl_scatter_sort(struct scattering *s, bool order) {
  struct sorted sorted;
  struct item_sort digits;
  sorted_shape(s, &sorted);
  sorted_allocate(s, &sorted);
  s->verdict = verdict_clear(s->launch);
  order = order && !*s->given->unsorted && sorted.count == s->line && s->given->mode != STREW_WRAP;
  const bool checks = s->given->check && !order, is_sorted = order && test_order(s, &sorted);
  if (s->bad) return;
  item_sort_start(&digits, s->launch, &(struct item_lines){1, sorted.count, false, key_bits(s, &sorted, checks)});
  make_items(s, &sorted, &digits, checks, is_sorted);
  if (!is_sorted) item_sort_run(&digits, s->launch, sorted.items);
  find_segments(s, &sorted);
  if (checks) read_findings(s, &sorted);
  if (!s->bad) join_segments(s, &sorted);
}
