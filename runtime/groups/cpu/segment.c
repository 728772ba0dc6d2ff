/* segment.c: reductions of segments on the CPU.

   Threads share the elements, not the segments, whose lengths may differ by any factor: a line of segments is cut where
   equal shares of the work begin, by binary search in the ends. A segment longer than a share is `large`: its columns
   are shared, and floats of a single column that are added (../../core/cpu/run.h). Large segments come first. */
#include "runtime/core/cpu/program.h"
#include "runtime/core/cpu/run.h"
#include "runtime/core/cpu/tuning.h"
#include "runtime/groups/group_ops.h"
#include "segment_loops.h"

#include <string.h>

GROUP_ENTRIES(CPU_FUNCTION, CPU_FUNCTION)

enum {
  WIDENED = 1 << 11, /* elements that are converted at once */
  RESULTS = 1 << 11, /* most results of them */
  ENDS_AT_ONCE = 512,
  STREAMED = 1 << 24, /* elements of segments that are joined side by side, unless the call stops */
  SEGMENT_WORK = 8    /* work of a segment beside its elements, in elements */
};

/* The coordinates of `rows`, the plan without the columns, are lines of segments. Steps in bytes; work in elements. */
struct segment_job {
  strew_context *context;
  const struct segment_kernel *kernel;
  /* Dtypes without loops of their own are joined as float32 or int32 (`empty` and `start`, too), of which the results
     are converted back. NULL: they have loops. */
  convert_row *widen, *narrow;
  strew_dtype added; /* of sums in order of floats; else not a float */
  union element start, empty;
  struct plan rows;
  struct segment_run run; /* columns, steps and constants */
  const struct operand *src;
  int64_t at_once;       /* elements that are joined at once */
  int64_t lines, length; /* segments of a line: each ends where the next one begins */
  strew_dtype ends_dtype;
  int64_t ends_step; /* from a segment's end to the next one */
  int64_t line_work, total_work, parts;
  int64_t large, pieces; /* the work from which a segment is large; pieces of its columns, 0: there is none */
  int64_t shared;        /* the work from which a segment is shared by threads (add_shared) */
};

/* ---------------------------------------------------------------------------------------------------- ends and work */

static int64_t end_at(const struct segment_job *job, const char *ends, int64_t i) {
  const void *at = ends + i * job->ends_step;
  return job->ends_dtype == STREW_INT64 ? *(const int64_t *)at : *(const int32_t *)at;
}

static const char *ends_of(const struct segment_job *job, int64_t line) {
  return operand_at(&job->rows, SEGMENT_ENDS, line * job->length);
}

/* Returns the work of a line before that segment: it increases with the segment. */
static int64_t work_before(const struct segment_job *job, const char *ends, int64_t segment) {
  return (end_at(job, ends, segment) - end_at(job, ends, 0) + SEGMENT_WORK * segment) * job->run.columns;
}

static int64_t work_of(const struct segment_job *job, const char *ends, int64_t segment) {
  return (end_at(job, ends, segment + 1) - end_at(job, ends, segment)) * job->run.columns;
}

/* Returns the first segment of a line that begins at that work or later; `length` if none does. */
static int64_t segment_from(const struct segment_job *job, const char *ends, int64_t work) {
  int64_t low = 0, high = job->length;
  BISECT(low, high, i, work_before(job, ends, i) < work);
  return low;
}

/* Returns the work at which part number `part` begins. */
static int64_t part_work(const struct segment_job *job, int64_t part) {
  return part_begin(job->total_work, job->parts, part);
}

/* ---------------------------------------------------------------------------------------------------------- running */

/* Returns the run without segments, at a segment of a line. */
static struct segment_run run_at(const struct segment_job *job, int64_t line, int64_t segment) {
  struct segment_run run = job->run;
  run.src = operand_at(&job->rows, SEGMENT_SRC, line * job->length);
  run.out = operand_at(&job->rows, SEGMENT_OUT, line * job->length) + segment * run.out_step;
  if (job->rows.count > SEGMENT_ARG)
    run.arg = operand_at(&job->rows, SEGMENT_ARG, line * job->length) + segment * run.arg_step;
  return run;
}

static struct segment_run segments_of(const struct segment_run *run, int64_t first, int64_t count) {
  struct segment_run part = *run;
  part.count = count;
  part.ends += first;
  part.out += first * run->out_step;
  if (run->arg) part.arg += first * run->arg_step;
  return part;
}

static struct segment_run columns_of(const struct segment_run *run, int64_t first, int64_t columns) {
  struct segment_run part = *run;
  part.columns = columns;
  part.src += first * run->src_column;
  part.out += first * run->out_column;
  if (run->arg) part.arg += first * run->arg_column;
  return part;
}

/* What a thread computes and converts. */
struct blocks {
  char fed[FED_BYTES] __attribute__((aligned(64)));
  float widened[WIDENED], results[RESULTS]; /* or int32 */
};
struct worker {
  struct window window;
  struct blocks *blocks; /* NULL: elements are joined where they are */
};

/* Sets where the run's element `begin` is. */
static void move_src(struct segment_run *run, const void *at, int64_t begin, int64_t element_bytes) {
  run->src_column = element_bytes;
  run->src_step = run->columns * element_bytes;
  run->src = (const char *)((uintptr_t)at - (uintptr_t)(begin * run->src_step));
}

/* Returns the run with its elements begin .. end - 1 in place, computed or converted. */
static struct segment_run feed_run(const struct segment_job *job, struct worker *worker, const struct segment_run *run,
                                   int64_t begin, int64_t end) {
  struct segment_run fed = *run;
  struct window *window = &worker->window;
  const int64_t rows = end - begin, columns = run->columns, size = sizeof(float);
  if (window->program)
    move_src(&fed, window_rows(window, run->src + begin * run->src_step, run->src_step, rows, columns), begin,
             window->bytes);
  if (!job->widen) return fed;
  char *to = (char *)worker->blocks->widened;
  const char *from = fed.src + begin * fed.src_step;
  if (columns == 1)
    job->widen(rows, to, size, from, fed.src_step);
  else if (fed.src_step == columns * fed.src_column)
    job->widen(rows * columns, to, size, from, fed.src_column);
  else
    for (int64_t i = 0; i < rows; i++)
      job->widen(columns, to + i * columns * size, size, from + i * fed.src_step, fed.src_column);
  move_src(&fed, to, begin, size);
  fed.out = (char *)worker->blocks->results;
  fed.out_column = size;
  fed.out_step = columns * size;
  return fed;
}

/* Converts the results of a run that was fed. */
static void store_results(const struct segment_job *job, const struct segment_run *fed, const struct segment_run *run) {
  if (!job->widen) return;
  if (run->columns == 1)
    job->narrow(run->count, run->out, run->out_step, fed->out, fed->out_step);
  else
    for (int64_t s = 0; s < run->count; s++)
      job->narrow(run->columns, run->out + s * run->out_step, run->out_column, fed->out + s * fed->out_step,
                  fed->out_column);
}

/* Segments that are short, or without elements. */
static void reduce_short(const struct segment_job *job, struct worker *worker, const struct segment_run *run) {
  const int64_t most_columns = job->widen ? least(run->columns, SEGMENT_COLUMNS) : run->columns;
  const int64_t most_segments = job->widen ? RESULTS / most_columns : run->count;
  for (int64_t first = 0; first < run->columns; first += most_columns) {
    const struct segment_run columns = columns_of(run, first, least(run->columns - first, most_columns));
    for (int64_t s = 0; s < run->count; s += most_segments) {
      const struct segment_run part = segments_of(&columns, s, least(run->count - s, most_segments));
      const struct segment_run fed = feed_run(job, worker, &part, part.ends[0], part.ends[part.count]);
      job->kernel->reduce(&fed);
      store_results(job, &fed, &part);
    }
  }
}

/* A long segment: in pieces, between which the call may stop. */
static void reduce_long(const struct segment_job *job, struct worker *worker, const struct segment_run *run,
                        int64_t begin, int64_t end) {
  for (int64_t first = 0, columns; first < run->columns; first += columns) {
    columns = least(run->columns - first, SEGMENT_COLUMNS);
    struct segment_run part = columns_of(run, first, columns);
    const int64_t rows = least(job->at_once, CHUNK) / columns;
    part.count = 1;
    struct segment_state state;
    struct segment_run fed = part;
    state.joined = 0;
    for (int64_t i = begin; i < end; i += rows) {
      if (context_stops(job->context)) return;
      fed = feed_run(job, worker, &part, i, least(i + rows, end));
      job->kernel->join(&state, &fed, i, least(i + rows, end));
    }
    job->kernel->finish(&state, &fed);
    store_results(job, &fed, &part);
  }
}

/* Long segments alone, others many at once. Leaves out large ones. */
static void reduce_several(const struct segment_job *job, struct worker *worker, const struct segment_run *run) {
  const int64_t most = job->at_once / run->columns;
  for (int64_t s = 0, next; s < run->count && !context_stops(job->context); s = next) {
    const int64_t begin = run->ends[s], elements = run->ends[s + 1] - begin;
    int64_t high = run->count;
    next = run->ends[high] - begin <= most ? high : s;
    BISECT(next, high, i, run->ends[i + 1] - begin <= most);
    const struct segment_run part = segments_of(run, s, next - s);
    const bool is_long = part.count == 0 || (part.count == 1 && elements * run->columns > CHUNK);
    if (!is_long) {
      reduce_short(job, worker, &part);
      continue;
    }
    next = s + 1;
    if (!job->pieces || !runs_are_foreseen() || elements * run->columns < job->large)
      reduce_long(job, worker, &part, begin, begin + elements);
  }
}

/* Segments from .. to - 1 of a line. */
static void reduce_line(const struct segment_job *job, struct worker *worker, int64_t line, int64_t from, int64_t to) {
  int64_t block[ENDS_AT_ONCE + 1];
  const char *ends = ends_of(job, line) + from * job->ends_step;
  struct segment_run run = run_at(job, line, from);
  for (; from < to && !context_stops(job->context); from += run.count) {
    run = segments_of(&run, 0, least(to - from, ENDS_AT_ONCE));
    run.ends = block;
    if (index_is_direct(job->ends_dtype, job->ends_step, STREW_ERROR))
      run.ends = (const int64_t *)(const void *)ends;
    else
      converter(STREW_INT64, job->ends_dtype)(run.count + 1, (char *)block, sizeof *block, ends, job->ends_step);
    reduce_several(job, worker, &run);
    ends += run.count * job->ends_step;
    run.out += run.count * run.out_step;
    if (run.arg) run.arg += run.count * run.arg_step;
  }
}

/* The segments that begin in this share of the work. */
static void reduce_part(const struct segment_job *job, struct worker *worker, int64_t part) {
  const int64_t begin = part_work(job, part), end = part_work(job, part + 1);
  for (int64_t line = begin / job->line_work; line < job->lines && line * job->line_work < end; line++) {
    const int64_t from = begin - line * job->line_work, to = end - line * job->line_work;
    const char *ends = ends_of(job, line);
    reduce_line(job, worker, line, from <= 0 ? 0 : segment_from(job, ends, from),
                to >= job->line_work ? job->length : segment_from(job, ends, to));
  }
}

/* --------------------------------------------------------------------------------------------------- large segments */

/* A segment longer than a part contains the beginning of one. Finds the large one that contains the beginning of part
   number `part` and no earlier one. */
static bool find_large(const struct segment_job *job, int64_t part, int64_t *line, int64_t *segment) {
  const int64_t work = part_work(job, part);
  *line = work / job->line_work;
  if (*line >= job->lines) return false;
  const char *ends = ends_of(job, *line);
  const int64_t before = *line * job->line_work;
  *segment = segment_from(job, ends, work - before + 1) - 1;
  if (*segment < 0 || work_of(job, ends, *segment) < job->large) return false;
  return part == 0 || part_work(job, part - 1) < before + work_before(job, ends, *segment);
}

/* A segment that keeps one thread longer than the others need for the rest: floats of a column that are added. */
struct shared_segment {
  const struct segment_job *job;
  const char *src;
  int64_t rows, chunk;
};

static void read_shared(const struct run_job *run, int64_t i, struct run_chunk *chunk) {
  const struct shared_segment *segment = run->argument;
  const int64_t step = segment->job->run.src_step, begin = i * segment->chunk;
  chunk->count = least(segment->rows - begin, segment->chunk);
  chunk->x = segment->src + begin * step;
  if (!segment->job->widen) return;
  segment->job->widen(chunk->count, chunk->room, sizeof(float), chunk->x, step);
  chunk->x = chunk->room;
}

/* Adds a segment in chunks. False, and nothing done, if memory lacks. */
static bool add_segment(const struct segment_job *job, const struct segment_run *run, int64_t begin, int64_t rows) {
  struct segment_state state = {.joined = rows};
  struct segment_run fed = *run;
  float result;
  memcpy(state.held.bytes, run->start, sizeof(double));
  const int64_t chunk = tuning_in_use()->run_chunk;
  const struct shared_segment segment = {job, run->src + begin * run->src_step, rows, chunk};
  struct run_job adding = {.context = job->context,
                           .dtype = job->added,
                           .held = state.held.bytes,
                           .threads = job->context->threads,
                           .chunks = (rows - 1) / chunk + 1,
                           .room_bytes = job->widen ? (size_t)chunk * sizeof(float) : 0,
                           .read = read_shared,
                           .argument = &segment};
  if (!run_add(&adding)) return false;
  if (job->widen) fed.out = (char *)&result;
  job->kernel->finish(&state, &fed);
  if (job->widen) job->narrow(1, run->out, 0, fed.out, 0);
  return true;
}

/* Adds shared segments, one after the other. */
static void add_shared(struct segment_job *job) {
  job->shared = INT64_MAX;
  const bool is_line = job->run.src_step == (int64_t)dtype_bytes(job->added) || job->widen;
  if (!job->pieces || job->run.columns > 1 || job->src->storage->started || !dtype_is_float(job->added) || !is_line)
    return;
  const int64_t shared = job->total_work / job->context->threads + 1;
  bool are_added = true;
  for (int64_t part = 0, line, segment; part < job->parts; part++) {
    if (!find_large(job, part, &line, &segment)) continue;
    const char *ends = ends_of(job, line);
    const struct segment_run run = run_at(job, line, segment);
    if (work_of(job, ends, segment) < shared) continue;
    are_added &= add_segment(job, &run, end_at(job, ends, segment), work_of(job, ends, segment));
  }
  if (are_added) job->shared = shared; /* else these are reduced again */
}

static void reduce_piece(const struct segment_job *job, struct worker *worker, int64_t part, int64_t piece) {
  int64_t line, segment;
  if (!find_large(job, part, &line, &segment)) return;
  const char *ends = ends_of(job, line);
  if (work_of(job, ends, segment) >= job->shared) return;
  const struct segment_run run = run_at(job, line, segment);
  const int64_t first = part_begin(run.columns, job->pieces, piece);
  const struct segment_run columns = columns_of(&run, first, part_begin(run.columns, job->pieces, piece + 1) - first);
  reduce_long(job, worker, &columns, end_at(job, ends, segment), end_at(job, ends, segment + 1));
}

/* Large segments come first. */
static void run_with(const struct segment_job *job, int64_t i, struct blocks *blocks) {
  const int64_t before = job->parts * job->pieces;
  struct worker worker = {.blocks = blocks};
  window_open(&worker.window, job->src, NULL, blocks ? blocks->fed : NULL);
  if (i < before)
    reduce_piece(job, &worker, i / job->pieces, i % job->pieces);
  else
    reduce_part(job, &worker, i - before);
}

static void run_part(void *job, int64_t i) { run_with(job, i, NULL); }

static void run_fed_part(void *job, int64_t i) {
  struct blocks blocks;
  run_with(job, i, &blocks);
}

/* --------------------------------------------------------------------------------------------------------- the plan */

/* Columns of unit stride are joined in rows. Others are lines of their own, if elements are adjacent along them. */
static bool has_columns(const struct segment_plan *plan) {
  const int last = plan->plan.rank - 1;
  const struct operand *src = &plan->plan.operands[SEGMENT_SRC];
  if (last < 0 || plan->plan.operands[SEGMENT_ENDS].strides[last] != 0) return false;
  return src->strides[last] == 1 || plan->step != 1;
}

/* Moves the last dimension to the front. */
static void rotate(struct plan *plan) {
  for (int d = plan->rank - 1; d > 0; d--) plan_swap_dims(plan, d - 1, d);
}

static void take_columns(struct segment_job *job, const struct segment_plan *plan) {
  const int last = job->rows.rank - 1;
  const struct operand *operands = job->rows.operands;
  job->run.columns = 1;
  if (!has_columns(plan)) {
    if (last > 0 && operands[SEGMENT_ENDS].strides[last] == 0) rotate(&job->rows);
    return;
  }
  job->run.columns = job->rows.sizes[last];
  job->run.src_column = operand_step(&operands[SEGMENT_SRC], last);
  job->run.out_column = operand_step(&operands[SEGMENT_OUT], last);
  if (job->rows.count > SEGMENT_ARG) job->run.arg_column = operand_step(&operands[SEGMENT_ARG], last);
  job->rows.rank--;
}

/* The last dimension of `rows` makes a line if its segments are chained. */
static void take_line(struct segment_job *job, const struct segment_plan *plan) {
  const int last = job->rows.rank - 1;
  const struct operand *operands = job->rows.operands;
  job->length = 1;
  job->ends_dtype = operands[SEGMENT_ENDS].dtype;
  job->ends_step = plan->ends_step * (int64_t)dtype_bytes(job->ends_dtype);
  if (last >= 0 && operands[SEGMENT_ENDS].strides[last] == plan->ends_step && !operands[SEGMENT_SRC].strides[last]) {
    job->length = job->rows.sizes[last];
    job->run.out_step = operand_step(&operands[SEGMENT_OUT], last);
    if (job->rows.count > SEGMENT_ARG) job->run.arg_step = operand_step(&operands[SEGMENT_ARG], last);
  }
  job->lines = plan_numel(&job->rows) / job->length;
}

/* Cuts the work into parts. Returns true if a segment is large. */
static bool cut_parts(struct segment_job *job, int64_t parts) {
  int64_t line, segment;
  bool found = false;
  job->parts = parts;
  job->large = job->total_work / parts + 1;
  if (job->large <= CHUNK) job->large = CHUNK + 1;
  for (int64_t part = 0; part < parts && !found; part++) found = find_large(job, part, &line, &segment);
  return found;
}

/* A single line may leave out much of src; of several lines each counts as a whole src. */
static void take_work(struct segment_job *job, const struct segment_plan *plan) {
  const char *ends = ends_of(job, 0);
  int64_t elements = job->lines == 1 ? end_at(job, ends, job->length) - end_at(job, ends, 0) : plan->size;
  job->line_work = (elements + SEGMENT_WORK * job->length) * job->run.columns;
  job->total_work = job->line_work * job->lines;
  job->parts = pool_parts(job->context, job->total_work * (int64_t)dtype_bytes(plan->plan.operands[SEGMENT_SRC].dtype));
  if (job->parts == 1) return;
  const int64_t lines_of_columns = job->run.columns * job->run.src_column / CACHE_LINE, parts = job->parts;
  if (!cut_parts(job, parts)) return;
  /* side by side in a thread, if there are enough for all threads */
  if (job->at_once == STREAMED && !cut_parts(job, job->context->threads)) return;
  cut_parts(job, parts);
  job->at_once = least(job->at_once, CHUNK); /* large ones apart */
  job->pieces = lines_of_columns < 1 ? 1 : least(lines_of_columns, job->parts);
}

static strew_status run_all(const struct call *call, strew_device *device, const struct segment_plan *plan,
                            enum segment_operand written, struct segment_job *job) {
  job->context = device->context;
  job->rows = plan->plan;
  job->src = &plan->plan.operands[SEGMENT_SRC];
  const bool is_fed = job->src->storage->started != NULL;
  job->at_once = is_fed ? FED_BYTES / (int64_t)dtype_bytes(job->src->dtype) : CHUNK;
  if (job->widen) job->at_once = WIDENED;
  job->run.src_step = plan->step * (int64_t)dtype_bytes(plan->plan.operands[SEGMENT_SRC].dtype);
  take_columns(job, plan);
  if (job->run.columns == 1 && !is_fed && !job->widen) job->at_once = STREAMED;
  take_line(job, plan);
  take_work(job, plan);
  add_shared(job);
  pool_run(device->context, job->parts * (1 + job->pieces), is_fed || job->widen ? run_fed_part : run_part, job);
  return context_end(call, device->context, plan->plan.operands[written].storage);
}

static struct segment_order order_of(strew_reduction reduction, strew_dtype dtype) {
  const bool is_least = reduction == STREW_AMIN;
  return (struct segment_order){.flip = dtype == STREW_BOOL ? is_least : order_flip(dtype, is_least),
                                .mask = dtype_is_float(dtype) ? INT64_MAX >> (64 - 8 * dtype_bytes(dtype)) : 0};
}

/* Chooses the loops: of out's dtype, or of one that holds all its values and in which the same results come out. */
static void choose_loops(struct segment_job *job, const struct segment_plan *plan) {
  const bool with_arg = plan->plan.count > SEGMENT_ARG;
  strew_dtype dtype = plan->plan.operands[SEGMENT_OUT].dtype;
  strew_reduction reduction = plan->reduction == STREW_MEAN ? STREW_SUM : plan->reduction;
  const struct segment_kernels *kernels = &segment_loops()->of[dtype_signed(dtype)];
  if (!kernels->plain[STREW_SUM].reduce) kernels = &segment_loops_plain.of[dtype_signed(dtype)];
  job->start = plan->start, job->empty = plan->empty;
  if (!(with_arg ? kernels->with_arg : kernels->plain)[reduction].reduce) {
    const strew_dtype wide = dtype == STREW_FLOAT16 || dtype == STREW_BFLOAT16 ? STREW_FLOAT32 : STREW_INT32;
    kernels = &segment_loops()->of[wide];
    if (dtype == STREW_BOOL && reduction == STREW_PROD) reduction = STREW_AMIN;
    job->widen = converter(wide, dtype), job->narrow = converter(dtype, wide);
    job->widen(1, (char *)&job->start, 0, (const char *)&plan->start, 0);
    job->widen(1, (char *)&job->empty, 0, (const char *)&plan->empty, 0);
    dtype = wide;
  }
  if (reduction == STREW_AMAX || reduction == STREW_AMIN) job->run.order = order_of(reduction, dtype);
  job->kernel = &(with_arg ? kernels->with_arg : kernels->plain)[reduction];
  job->added = reduction == STREW_SUM ? dtype : STREW_INT64;
}

static strew_status segments(const struct call *call, strew_device *device, const struct segment_plan *plan) {
  struct segment_job job = {.kernel = NULL};
  choose_loops(&job, plan);
  job.run.start = job.start.bytes;
  job.run.empty = job.empty.bytes;
  job.run.none = plan->size;
  if (plan->reduction == STREW_MEAN)
    job.run.mean = dtype_is_unsigned(plan->plan.operands[SEGMENT_OUT].dtype) ? MEAN_UNSIGNED : MEAN_SIGNED;
  return run_all(call, device, plan, SEGMENT_OUT, &job);
}

strew_status cpu_segments(const struct call *call, strew_device *device, const struct segment_plan *plan) {
  struct program program;
  RETURN_IF_FAILED(feed_begin(call, &plan->plan.operands[SEGMENT_SRC], &program));
  const strew_status status = segments(call, device, plan);
  feed_end(&plan->plan.operands[SEGMENT_SRC]);
  return status;
}

/* ----------------------------------------------------------------------------------------------------------- spread */

/* Elements of T: those of a segment, and of several. */
#define SPREAD(T)                                                                                                      \
  static void spread_piece_##T(struct segment_state *state, const struct segment_run *run, int64_t begin,              \
                               int64_t end) {                                                                          \
    char *to = (char *)(uintptr_t)run->src + begin * run->src_step;                                                    \
    (void)state;                                                                                                       \
    for (int64_t i = begin; i < end; i++, to += run->src_step)                                                         \
      for (int64_t c = 0; c < run->columns; c++)                                                                       \
        *(T *)(void *)(to + c * run->src_column) = *(const T *)(const void *)(run->out + c * run->out_column);         \
  }                                                                                                                    \
  static void spread_##T(const struct segment_run *run) {                                                              \
    for (int64_t s = 0; s < run->count; s++) {                                                                         \
      const struct segment_run part = segments_of(run, s, 1);                                                          \
      spread_piece_##T(NULL, &part, part.ends[0], part.ends[1]);                                                       \
    }                                                                                                                  \
  }
EACH_WIDTH(SPREAD)

static void finish_nothing(const struct segment_state *state, const struct segment_run *run) { (void)state, (void)run; }

strew_status cpu_spread(const struct call *call, strew_device *device, const struct segment_plan *plan) {
  static const struct segment_kernel kernels[] = {[1] = {spread_uint8_t, spread_piece_uint8_t, finish_nothing},
                                                  [2] = {spread_uint16_t, spread_piece_uint16_t, finish_nothing},
                                                  [4] = {spread_uint32_t, spread_piece_uint32_t, finish_nothing},
                                                  [8] = {spread_uint64_t, spread_piece_uint64_t, finish_nothing}};
  struct segment_job job = {.added = STREW_INT64,
                            .kernel = &kernels[dtype_bytes(plan->plan.operands[SEGMENT_OUT].dtype)]};
  return run_all(call, device, plan, SEGMENT_SRC, &job);
}
