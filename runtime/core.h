/* core.h: what the files of the runtime share and nobody else sees.

   The straight way of a call: a public function describes itself for messages (struct call), checks its arguments once,
   fills a plan on the stack, and makes one indirect call through the device's table. Statuses come back up.

   The plan is the meeting point: an iteration space of `rank` dimensions and, for each operand, where coordinate 0 lies
   and how far a step in each dimension goes. Before a device sees it, dimensions of size 1 are dropped and neighbours
   that all operands run through evenly are merged, so that the common cases become one or two dimensions. */
#ifndef STREW_CORE_H
#define STREW_CORE_H

#include "float_mode.h"
#include "strew.h"
#include "tables.h"

#include <stdatomic.h>

#define MAX_RANK     STREW_MAX_RANK
#define MAX_OPERANDS 5
#define MAX_THREADS  256 /* of a context */

/* ------------------------------------------------------------------------------------------------ error.c */

struct storage;
/* What a public function tells about itself, for messages: its name (the caller may have another one for it, in
   error->alias) and its tensor arguments, as the user calls them. */
struct call {
  const char *op;
  strew_error *error;
  struct {
    const char *name;
    const strew_tensor *tensor;
  } operands[MAX_OPERANDS];
  const struct storage *begun; /* what earlier steps of the call have written into; NULL: nothing */
  struct float_mode host_mode;
  strew_context *claimed; /* in debug builds */
};
/* Declares `variable`, the public call that begins here: it ends with the block. */
#define CALL(variable, name, err, ...)                                                                                 \
  struct call variable                                                                                                 \
      __attribute__((cleanup(call_leave))) = {.op = (name), .error = (err), .operands = {__VA_ARGS__}};                \
  call_enter(&variable)

/* What went wrong besides words: all optional but the code. `position` has `position_rank` entries. */
struct fault {
  strew_status code;
  const char *argument;
  const strew_scalar *value;
  const int64_t *position;
  int position_rank;
  const char *hint; /* copied */
};

/* Fills call->error with "OP: 'ARGUMENT' " + the formatted fact and rule + a line per operand + the hint; returns
   fault.code, so that a failure is one line at the place where it is found. (`cold`: what leads to it is kept out of
   the way of small calls.) */
strew_status fail(const struct call *call, struct fault fault, const char *format, ...)
    __attribute__((cold, format(printf, 3, 4)));
/* An enumerator that is none of 0..last. */
strew_status fail_unknown(const struct call *call, const char *argument, int value, int last) __attribute__((cold));

/* What gcc -fanalyzer and clang-tidy cannot see in another file: a failure is never STREW_OK. */
static inline strew_status failed(strew_status status) {
  if (status == STREW_OK) __builtin_unreachable();
  return status;
}
#define fail(...)         failed(fail(__VA_ARGS__))
#define fail_unknown(...) failed(fail_unknown(__VA_ARGS__))
/* Writes "[2, 3]" to text (at least TEXT_BYTES long) and returns it. */
#define TEXT_BYTES 400
const char *text_of_sizes(int rank, const int64_t *sizes, char *text);
const char *text_of_scalar(strew_scalar scalar, char *text);
/* A path or another name from outside: a long one loses its beginning, characters that steer a terminal become "?". */
const char *text_of_name(const char *name, char *text);

/* "did you mean '...'?" in text (of TEXT_BYTES), or NULL where nothing is near. guess.c */
const char *hint_of_guess(const strew_guess *guess, char *text);

/* ------------------------------------------------------------------------------------------------ memory.c */

/* Large blocks that were given back and wait for the next that wants one of their size, oldest first. */
enum { MOST_KEPT = 32 };
struct kept {
  int count;
  struct {
    void *block;
    size_t size_bytes;
  } blocks[MOST_KEPT];
  size_t bytes;                       /* in them */
  size_t used_bytes, most_used_bytes; /* large blocks in use, and the most that ever were */
};

enum { MEMORY_ALIGNMENT = 64 };
extern const strew_allocator default_allocator;

/* Host memory through the context's allocator; NULL where there is none. Scratch that a call gives back itself. */
void *memory_take(strew_context *context, size_t size_bytes);
void memory_give(strew_context *context, void *block, size_t size_bytes);
void memory_drop_kept(strew_context *context);
/* "1000 bytes in use, the limit is 2000", or what the machine has. */
const char *text_of_use(const strew_context *context, char *text); /* TEXT_BYTES */
strew_status fail_memory(const struct call *call, strew_context *context, size_t size_bytes);
#define fail_memory(...) failed(fail_memory(__VA_ARGS__))
/* Fails where tensors on the device lie in this machine's memory and it can never hold so much: the C library would
   promise it all the same. */
strew_status check_machine_memory(const struct call *call, const strew_device *device, uint64_t size_bytes,
                                  const char *hint);

/* ------------------------------------------------------------------------------------ context.c, storage.c */

struct pool;

struct storage {
  size_t references;
  strew_device *device; /* retains the context while the storage lives */
  void *data;           /* host address, or whatever the device keeps */
  size_t size_bytes;
  bool wrapped;                /* the memory is a host's ... */
  void (*release)(void *user); /* ... and this, if not NULL, gives it back */
  void *user;
};

struct strew_tensor {
  size_t references;
  strew_dtype dtype;
  int rank;
  int64_t offset; /* of the first element, in elements */
  struct storage *storage;
  int64_t sizes[MAX_RANK];
  int64_t strides[MAX_RANK]; /* in elements, none negative */
};

struct strew_device {
  const struct device_ops *ops;
  strew_context *context;
  const char *name;
  char description[128];
  const char *lacks_float64; /* why; NULL where it has it */
  void *state;               /* the device's own */
};

/* The devices beside the CPU, and why what else was looked at cannot be used. */
enum { MOST_FOUND = 64, MOST_PROBLEMS = 16 };
struct found_device {
  strew_device device;
  char name[24];
};
struct device_list {
  bool looked; /* drivers are loaded for those who ask */
  int count, problem_count;
  strew_device *devices[MOST_FOUND];
  char problems[MOST_PROBLEMS][256];
  char advice[256]; /* where there is none: how to get one */
};

/* Work of the library's own that is told in steps; doing is "" while there is none. progress.c */
struct progress {
  char doing[TEXT_BYTES];
  uint64_t total, done; /* in steps of any size; no step is told beyond the last one */
};

struct strew_context {
  size_t references; /* the host's and one per storage */
  strew_allocator allocator;
  struct kept kept;
  size_t bytes, peak_bytes; /* of tensor memory */
  size_t memory_limit_bytes, charged_bytes;
  strew_device *default_device;
  strew_device cpu;
  struct device_list found;
  bool any_order; /* float sums may be joined in any order, where that is faster */
  void (*progress)(void *user, const char *doing, double done);
  void *progress_user;
  struct progress steps;
  struct pool *pool; /* made at first use */
  int threads;
  size_t grain_bytes;   /* work below this stays on one thread */
  uint64_t seed, draws; /* of random numbers: Philox's key, and how many 128-bit blocks were used */
  atomic_int stop;      /* enum stop */
  double time_limit_seconds;
  int64_t deadline_ns;
  int64_t (*now_ns)(void); /* clock_ns, but for tests */
  atomic_uintptr_t owner;  /* the thread that is in a call, and in how many, one within the other: in debug builds */
  int claims;
};

/* -------------------------------------------------------------------------------------------------- claim.c */

/* The rule of threads: one that comes in while another is there makes the calls of both fail. */
void context_claim(strew_context *context);
void context_unclaim(strew_context *context);
#ifdef STREW_DEBUG
enum { WATCHES_THREADS = 1 };
#else
enum { WATCHES_THREADS = 0 };
#endif

strew_context *tensor_context(const strew_tensor *tensor);

/* Every public call passes here: see CALL. */
static inline void call_enter(struct call *call) {
  float_mode_enter(&call->host_mode);
  for (int i = 0; WATCHES_THREADS && i < MAX_OPERANDS && !call->claimed; i++)
    if (call->operands[i].tensor) context_claim(call->claimed = tensor_context(call->operands[i].tensor));
}

static inline void call_leave(struct call *call) {
  if (WATCHES_THREADS && call->claimed) context_unclaim(call->claimed);
  float_mode_leave(&call->host_mode);
}

/* --------------------------------------------------------------------------------------------- interrupt.c */

enum stop {
  STOP_ASKED = 1,  /* by the host */
  STOP_TIMED = 2,  /* there is a deadline ... */
  STOP_LATE = 4,   /* ... and it is over */
  STOP_LEFT = 8,   /* the running call has left work undone */
  STOP_SHARED = 16 /* two threads were in the context at once; for good */
};

int64_t clock_ns(void);
bool context_stops_indeed(strew_context *context);
/* Has the running call to leave what it has not done yet? From any of its threads. Once true, it is true to the call's
   end. */
static inline bool context_stops(strew_context *context) {
  return atomic_load_explicit(&context->stop, memory_order_relaxed) && context_stops_indeed(context);
}
/* The end of a device's entry: the failure of a call that has left work undone, else STREW_OK. `written`: what it was
   writing into, or NULL. */
strew_status context_end(const struct call *call, strew_context *context, const struct storage *written);
/* Between two steps of a call: both in one. */
strew_status context_check(const struct call *call, strew_context *context);
/* Work of so many steps begins, turns out to have another number of them, has done so many in all, or so many more,
   ends. Steps out of any work are not told. */
void progress_begin(strew_context *context, const char *doing, uint64_t total);
void progress_resize(strew_context *context, uint64_t total);
void progress_reach(strew_context *context, uint64_t done);
void progress_step(strew_context *context, uint64_t steps);
void progress_end(strew_context *context);

strew_status storage_create(const struct call *call, strew_device *device, size_t size_bytes, struct storage **out);
struct storage *storage_retain(struct storage *storage);
void storage_release(struct storage *storage);

/* -------------------------------------------------------------------------------------------------- dtype.c */

enum category { BOOLEAN, INTEGER, FLOATING };

enum category dtype_category(strew_dtype dtype);
static inline bool dtype_is_float(strew_dtype dtype) { return dtype_category(dtype) == FLOATING; }
static inline bool dtype_is_half(strew_dtype dtype) { return dtype == STREW_FLOAT16 || dtype == STREW_BFLOAT16; }
/* strew_dtype_size_bytes of a dtype that is known to be one: inline, as every address is made with it. */
static inline size_t dtype_bytes(strew_dtype dtype) {
#define ROW(ENUM, s, name, stored, ...) [STREW_##ENUM] = sizeof(stored),
  static const unsigned char bytes[] = {STREW_DTYPES(ROW)};
#undef ROW
  return bytes[dtype];
}
/* In which dtype its arithmetic is done: float32 for the 16-bit floats, else itself. */
static inline strew_dtype dtype_wide(strew_dtype dtype) { return dtype_is_half(dtype) ? STREW_FLOAT32 : dtype; }
/* Is `to` a 16-bit float that does not hold all elements of dtype `from`? */
static inline bool dtype_narrows(strew_dtype from, strew_dtype to) {
  return dtype_is_half(to) && from != to && (dtype_is_float(from) || dtype_bytes(from) > 1);
}
/* Do the bits of a float result depend on the order of joining? */
bool reduction_is_ordered(strew_reduction reduction);
/* PyTorch's promotion of two tensors' dtypes. */
strew_dtype dtype_promote(strew_dtype a, strew_dtype b);
/* The dtype in which `count` operands meet: tensors of rank 1 and more first, then 0-d ones, then numbers, each later
   group counting only where its category is higher (torch.result_type). */
strew_dtype dtype_of_operands(int count, const strew_operand *operands);

/* A number as an element of dtype, in the first bytes of the result. */
union element {
  unsigned char bytes[8];
  int64_t i64;
  double f64;
};
strew_status element_from(const struct call *call, const char *argument, strew_scalar number, strew_conversion how,
                          strew_dtype dtype, union element *out);
/* Where a number lies among the elements of dtype: at *element (floats are rounded to one), between *element and the
   next greater one, below all (*element is the least), or nowhere (NaN among integers). */
enum standing { STANDS_AT, STANDS_ABOVE, STANDS_BELOW, STANDS_NOWHERE };
enum standing number_standing(strew_scalar number, strew_dtype dtype, strew_scalar *element);
/* 0, 1, the identities of minimum and maximum, as an element. */
union element element_identity(strew_reduction reduction, strew_dtype dtype);

/* ------------------------------------------------------------------------------------------------- tensor.c */

/* Tensors without public checks. sizes and rank are valid; storage may be shared. */
strew_status tensor_create(const struct call *call, strew_device *device, strew_dtype dtype, int rank,
                           const int64_t *sizes, strew_tensor **out);
/* A view with another shape: `storage` is retained. */
strew_status tensor_view(const struct call *call, const strew_tensor *base, int rank, const int64_t *sizes,
                         const int64_t *strides, int64_t offset, strew_tensor **out);
int64_t count_of_sizes(int rank, const int64_t *sizes);
void dense_strides(int rank, const int64_t *sizes, int64_t *strides);
/* -1 is the last: brings *dim into 0..rank-1 (rank 0 counts as 1), or fails. */
strew_status check_dim(const struct call *call, int rank, int *dim);
strew_status check_named_dim(const struct call *call, const char *name, int rank, int *dim);
/* Position `at` lies outside of dimension dim; `position` (or NULL) has all coordinates. */
strew_status fail_position(const struct call *call, int dim, int64_t size, int rank, const int64_t *position,
                           int64_t at);
/* Valid rank and sizes whose elements can be addressed? */
strew_status check_sizes(const struct call *call, strew_dtype dtype, int rank, const int64_t *sizes);
/* "'ARGUMENT' FACT another context, ..." and what helps. */
strew_status fail_context(const struct call *call, const char *argument, const char *fact) __attribute__((cold));
#define fail_context(...) failed(fail_context(__VA_ARGS__))
/* All operands of the call on the device of the first one? */
strew_status check_devices(const struct call *call);
/* Makes *out as wanted where it is NULL (and sets *made), else checks that the given one fits in dtype, sizes and
 * device. Its elements are not initialised. */
strew_status out_prepare(const struct call *call, strew_device *device, strew_dtype dtype, int rank,
                         const int64_t *sizes, strew_tensor **out, bool *made);

/* ------------------------------------------------------------------------------------------------ overlap.c */

/* May two coordinates of one tensor share an element? May two tensors? Exact where a bounded search can tell, else the
   spans of memory decide. */
bool tensor_overlaps_itself(const strew_tensor *tensor);
bool tensors_overlap(const strew_tensor *a, const strew_tensor *b);
bool tensors_are_same_view(const strew_tensor *a, const strew_tensor *b);
/* For writing `self` in place: no overlap with itself (operand NULL, `name` its own), or none with operand `name`. One
   that is the very same view passes where `same_is_fine` (elementwise calls read a place before they write it). */
strew_status check_overlap(const struct call *call, const strew_tensor *self, const char *name,
                           const strew_tensor *operand, bool same_is_fine);

/* --------------------------------------------------------------------------------------------------- plan.c */

struct operand {
  struct storage *storage; /* NULL: a number, in `number`, with all strides 0 */
  int64_t offset;          /* of coordinate 0, in elements */
  int64_t strides[MAX_RANK];
  strew_dtype dtype;
  union element number;
};

struct plan {
  int rank;
  int count; /* of operands */
  int64_t sizes[MAX_RANK];
  struct operand operands[MAX_OPERANDS];
};

void plan_start(struct plan *plan, int rank, const int64_t *sizes);
/* Adds a tensor, its dimensions aligned with the plan's last ones, sizes 1 standing still (broadcasting). */
struct operand *plan_add(struct plan *plan, const strew_tensor *tensor);
struct operand *plan_add_number(struct plan *plan, strew_dtype dtype, union element number);
/* Drops dimensions of size 1 and merges neighbours; the row-major order of coordinates stays. */
void plan_simplify(struct plan *plan);
/* The same, with dimensions sorted first so that the first operand is walked in memory order: for calls in which the
   order of coordinates does not matter. */
void plan_simplify_any_order(struct plan *plan);
/* For calls that go along lines of dimension `dim`: brings it to the end, and simplifies the others in any order. */
void plan_lines(struct plan *plan, int dim);
int64_t plan_numel(const struct plan *plan);
void plan_swap_dims(struct plan *plan, int a, int b);
/* What is used of a plan: copying it whole would cost a small call more than its work. */
void plan_copy(struct plan *to, const struct plan *from);
/* A plan over the different elements of one operand: dimensions along which it stands still count once. */
void plan_operand_values(struct plan *values, const struct plan *plan, int operand);
/* Sizes to which two shapes broadcast; false where they do not. */
bool broadcast_sizes(int *rank, int64_t *sizes, int other_rank, const int64_t *other_sizes);

/* ------------------------------------------------------------------------------------------- the device table */

/* Position form and group form. Operands: 0 self, 1 index, 2 src and, for winners' positions, 3 arg (int64, of self's
   shape) and 4, no tensor but strides: a place's position along dim is the sum of its coordinates times those, from its
   offset on.
   Along dim, self and arg have stride 0, and a step of their own instead: coordinate c with index value v meets element
   offset + sum(c[d] * strides[d]) + v * step. reduction is not STREW_MEAN, but in plans that the CPU makes of such for
   itself (cpu/scatter_mean.c). */
struct scatter_plan {
  struct plan plan;
  int64_t size, step; /* of self along dim */
  strew_reduction reduction;
  strew_mode mode;
  bool fresh;       /* a place whose arg is still arg_none has received nothing yet */
  int64_t arg_step; /* of arg along dim */
  int64_t arg_none;
  bool check;      /* index values are not yet known to be lowest .. size - 1 */
  bool disposable; /* self and arg need not be left as they were: they are dropped then */
  int64_t lowest;
};

/* Bytes from self's first place to the end of the last one that values can reach. */
size_t scatter_target_bytes(const struct scatter_plan *plan);

/* Operands: 0 out, 1 index, 2 self with stride 0 along dim. */
struct gather_plan {
  struct plan plan;
  int64_t step, size;
  strew_mode mode;
  bool check; /* as in scatter_plan; out is dropped where a value is bad */
  int64_t lowest;
};

/* Operands: 0 out (any dtype), 1.. inputs. Inputs are converted to `common`, in which they meet, and from there to
   `compute`, which holds that (numbers to `compute` alone); what the operation gives (bool for comparisons) is
   converted to out's dtype. */
struct elementwise_plan {
  struct plan plan;
  enum elementwise_kind {
    ELEMENTWISE_UNARY, /* not STREW_LOGICAL_NOT: that is input == 0 */
    ELEMENTWISE_BINARY,
    ELEMENTWISE_WHERE, /* inputs condition (bool), a, b; just moves elements, so that compute may be a 16-bit float */
    ELEMENTWISE_CLAMP  /* inputs a, low, high: minimum(maximum(a, low), high) */
  } kind;
  int op; /* strew_unary_op or strew_binary_op */
  strew_dtype common, compute;
};

/* The order in which floats are added (or multiplied), the same on every device: the elements that meet, numbered in
   row-major order, are cut into blocks of SUM_BLOCK. In a block, lane l of SUM_LANES starts at 0 (or 1) and takes
   elements l, l + 16, l + 32, ... in order; lanes are joined by halving: lane l takes lane l + 8, then l + 4, l + 2,
   l + 1. Block values are joined as a binary tree: neighbours in pairs, level by level; an odd last one passes through
   unchanged. A mean is the sum divided by the count. A variance is a mean, then the sum of squared differences from it
   in the same order, divided by max(0, count - correction).

   cumsum has an order of its own. A line is cut into blocks of SUM_BLOCK, these into runs of SUM_RUN, and these into
   halves; in a half one element is added after the other, and a run's total is that of its first half plus that of its
   second. What comes before a run is a pair of floats, high and low, whose exact sum is meant (double-float
   arithmetic): pairs a and b add up to high = a.high + b.high, low = (a.low + b.low) + what the first sum has lost by
   rounding (Knuth's two-sum; 0 where it is not finite). From (0, 0) on, a block's runs are added one after the other,
   each as (total, 0), and a line's blocks likewise. With P the pair of the earlier blocks plus that of the block's
   earlier runs, and s the half's sum up to an element, the result is P.high + (P.low + s) in a run's first half and
   P.high + ((P.low + the first half's total) + s) in its second. Integers have no low part. */
enum { SUM_BLOCK = 1024, SUM_LANES = 16, SUM_RUN = 16, SUM_HALF = SUM_RUN / 2, SUM_RUNS = SUM_BLOCK / SUM_RUN };

/* Operands: 0 out, 1 input. Kept dimensions come first in the plan, `kept` of them; the others are folded in row-major
   order. out stands still along those. */
struct reduce_plan {
  struct plan plan;
  int kept;
  strew_fold fold;
  double correction;
};

/* Operands: 0 out, 1 input; the scanned dimension is the plan's last. */
struct scan_plan {
  struct plan plan;
};

/* Operands: 0 values (storage NULL: not wanted), 1 indices (int64), 2 input; the sorted dimension is the plan's last;
   out's last dimension may be shorter (topk): only the first `keep` of each line are written. */
struct sort_plan {
  struct plan plan;
  int64_t keep;
  bool descending;
};

enum random_kind { RANDOM_UNIFORM, RANDOM_NORMAL, RANDOM_INTEGER, RANDOM_BITS };

/* Fills `count` dense elements of out: element i is a function of (seed, first block + i's share, kind, dtype) alone.
 */
struct random_plan {
  struct operand out;
  int64_t count;
  enum random_kind kind;
  uint64_t seed, block;
  int64_t low;
  uint64_t range; /* of RANDOM_INTEGER: low + (draw scaled to 0..range-1) */
};

/* How many elements share a block of 128 bits: an element takes 32 of them, or 64. */
static inline int64_t random_per_block(enum random_kind kind, strew_dtype dtype) {
  bool is_long = kind == RANDOM_INTEGER || kind == RANDOM_BITS || dtype == STREW_FLOAT64;
  return is_long ? 2 : 4;
}

/* How many of them a uniform float32, float16 or bfloat16 shows: those of its significand. */
static inline int random_bits(strew_dtype dtype) {
  return dtype == STREW_FLOAT16 ? 11 : dtype == STREW_BFLOAT16 ? 8 : 24;
}

/* Fills `count` dense elements of out with start + i * step: in int64 where both are integers, else in float64, rounded
   once to out's dtype. */
struct ramp_plan {
  struct operand out;
  int64_t count;
  strew_scalar start, step;
};

/* What an index holds: its smallest and largest value. */
struct index_range {
  int64_t lowest, highest;
};

/* One table per kind of device; every entry is needed. All get checked arguments: no entry sees an empty plan. */
struct device_ops {
  /* Makes the device ready for use, if it is not. */
  strew_status (*open)(const struct call *call, strew_device *device);
  void (*capabilities)(const strew_device *device, strew_capabilities *out); /* of an open device */
  strew_status (*allocate)(const struct call *call, strew_device *device, size_t size_bytes, struct storage *storage);
  void (*release)(struct storage *storage);
  strew_status (*write)(const struct call *call, struct storage *to, size_t offset_bytes, const void *from,
                        size_t size_bytes);
  strew_status (*read)(const struct call *call, const struct storage *from, size_t offset_bytes, void *to,
                       size_t size_bytes);
  strew_status (*finish)(const struct call *call, strew_device *device);
  /* operand 0 = operand 1, converted by STREW_SATURATE */
  strew_status (*copy)(const struct call *call, strew_device *device, const struct plan *plan);
  /* Where the plan asks for a check and it finds values out of range, self and arg are left as they were, and *bad is
     set: how to do so without reading the index twice is the device's business. */
  strew_status (*scatter)(const struct call *call, strew_device *device, const struct scatter_plan *plan, bool *bad);
  /* A whole mean, or NULL where a device has none: contributions join as in a sum, and places that received any are
     divided as below; from_identity: what self holds does not take part. *bad as above. For less than 2^31 - 1
     contributions of which no row shares a value, and a self whose elements are as wide as a count; `scratch` has room
     for as many of them as mean_scratch asks for. */
  strew_status (*mean_by_pairs)(const struct call *call, strew_device *device, const struct scatter_plan *plan,
                                struct storage *scratch, bool from_identity, int64_t extra, bool *bad);
  int64_t (*mean_scratch)(const strew_device *device, const struct scatter_plan *plan);
  /* self[c] = self[c] / (count[c] + extra) wherever count[c] > 0; operands: 0 self, 1 count (int64) */
  strew_status (*divide_by_count)(const struct call *call, strew_device *device, const struct plan *plan,
                                  int64_t extra);
  strew_status (*gather)(const struct call *call, strew_device *device, const struct gather_plan *plan, bool *bad);
  /* operand 0 holds values outside of lowest..highest? Then *bad is the first one's place in the plan's row-major
     order, else -1. */
  strew_status (*index_check)(const struct call *call, strew_device *device, const struct plan *plan, int64_t lowest,
                              int64_t highest, int64_t *bad);
  strew_status (*index_range)(const struct call *call, strew_device *device, const struct plan *plan,
                              struct index_range *range);
  strew_status (*elementwise)(const struct call *call, strew_device *device, const struct elementwise_plan *plan);
  /* operand 0, converted to `compute` (an integer dtype), holds a zero? Then *place is the first one's place in the
     plan's row-major order, else -1. */
  strew_status (*find_zero)(const struct call *call, strew_device *device, const struct plan *plan, strew_dtype compute,
                            int64_t *place);
  strew_status (*reduce)(const struct call *call, strew_device *device, const struct reduce_plan *plan);
  strew_status (*cumsum)(const struct call *call, strew_device *device, const struct scan_plan *plan);
  strew_status (*sort)(const struct call *call, strew_device *device, const struct sort_plan *plan);
  /* Writes the coordinates of non-zero elements of operand 0 to operand out (int64[count, rank], dense), or with out
     NULL just counts them. rank and sizes are the plan's: it is not simplified. */
  strew_status (*nonzero)(const struct call *call, strew_device *device, const struct plan *plan, struct operand *out,
                          int64_t *count);
  strew_status (*random)(const struct call *call, strew_device *device, const struct random_plan *plan);
  strew_status (*ramp)(const struct call *call, strew_device *device, const struct ramp_plan *plan);
  /* c[m, n] = a[m, k] b[k, n]: m and n are the plan's last two dimensions, the others count batches. Operands: 0 c
     (dense), 1 a, 2 b, whose last two strides are those of their own rows and columns, along which they are dense, the
     other of them at least that long; k > 0; one dtype, the computed one. */
  strew_status (*matmul)(const struct call *call, strew_device *device, const struct plan *plan, int64_t k);
};

extern const struct device_ops cpu_ops, opencl_ops;

/* Does operand `index` of a plan hold values outside of lowest..highest? By a pass of its own. */
strew_status check_plan_values(const struct call *call, strew_device *device, const struct plan *plan, int index,
                               int64_t lowest, int64_t highest, bool *bad);

/* opencl/buffer.c: gives what devices keep for reuse back to their drivers. */
void opencl_drop_kept(strew_context *context);
/* opencl/platform.c: fills context->found, and gives it back. */
void opencl_find_devices(strew_context *context);
void opencl_forget_devices(strew_context *context);

/* Shared between families: copies through the device; both plans' operands are converted. */
strew_status copy_tensor(const struct call *call, strew_tensor *to, const strew_tensor *from);
strew_status fill_tensor(const struct call *call, strew_tensor *to, union element value);
/* A dense copy of `from` as dtype on its device. */
strew_status copy_as(const struct call *call, const strew_tensor *from, strew_dtype dtype, strew_tensor **out);

#endif
