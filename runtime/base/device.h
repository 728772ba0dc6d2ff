/* device.h: the interface of devices: a plan for each family of calls, and the table of functions. It collects what the
   families and the devices share; each device has a device.c. */
#ifndef STREW_DEVICE_H
#define STREW_DEVICE_H

#include "plan.h"

/* Operands of a scatter_plan and of a gather_plan. */
enum scatter_operand { SELF, INDEX, SRC, ARG, POSITION };
enum gather_operand { GATHER_OUT, GATHER_INDEX, GATHER_SELF };

/* Position form and group form. ARG (int64, of self's shape) and POSITION stand for winners' positions. POSITION has
   strides but no storage: the position of a contribution is its coordinates times these strides, plus the offset.
   Along dim, self and arg have stride 0, and a step of their own instead: coordinate c with index value v meets element
   offset + sum(c[d] * strides[d]) + v * step. reduction is STREW_MEAN only in plans that the CPU makes for itself
   (cpu/scatter/mean.c). */
struct scatter_plan {
  struct plan plan;
  int64_t size, step; /* of self along dim */
  strew_reduction reduction;
  strew_mode mode;
  bool fresh;       /* a destination whose arg is arg_none has received no contribution */
  int64_t arg_step; /* of arg along dim */
  int64_t arg_none;
  bool check;      /* index values must be checked to be lowest .. size - 1 */
  bool disposable; /* on failure self and arg are released: they may be half-written */
  int64_t lowest;
};

/* Bytes from self's first destination to the end of the last one. */
size_t scatter_target_bytes(const struct scatter_plan *plan);

/* Reductions of consecutive elements of src, the segments: at each coordinate, ENDS (int64 or int32) holds the first
   element's number, and `ends_step` elements further the number behind the last one; both are valid. Element number i
   is SEGMENT_SRC's at the coordinate + i * step. Along the segments' dimension SEGMENT_SRC has stride 0, along columns
   SEGMENT_ENDS has. Where the stride of SEGMENT_ENDS along a dimension is ends_step, a segment ends where the next one
   begins. out joins `start` and the elements in order; of no elements it is `empty`. SEGMENT_ARG (int64, of out's
   shape), for amax and amin: number of the first winner among the elements, without `start`; of no elements `size`.
   STREW_MEAN divides the sum by the number of elements. Sums, products and means of 16-bit floats are computed in
   float32 and rounded once. */
enum segment_operand { SEGMENT_OUT, SEGMENT_SRC, SEGMENT_ENDS, SEGMENT_ARG };
struct segment_plan {
  struct plan plan;
  int64_t size, step; /* of src along the segments' dimension */
  int64_t ends_step;
  strew_reduction reduction;
  union element start, empty; /* of out's dtype */
};

/* Operand GATHER_SELF has stride 0 along dim. */
struct gather_plan {
  struct plan plan;
  int64_t step, size;
  strew_mode mode;
  bool check; /* as in scatter_plan; out is dropped where a value is bad */
  int64_t lowest;
};

/* Operands: 0 positions (int64, dense), 1.. index values, the first for a dimension of sizes[0]. With each, a position
   becomes position * size + value; it starts as 0, or `continues` from what it holds. STREW_DROP: a position is
   negative once a value is out of range. */
struct join_plan {
  struct plan plan;
  int64_t sizes[MAX_OPERANDS - 1];
  strew_mode mode;
  bool continues;
};

/* A program: instructions that compute each element from those of the inputs, one after another. Operands: 0 out (any
   dtype), 1.. the inputs. A single call is a program of one instruction.

   An instruction reads a number, an operand or an earlier instruction's result, which has dtype `result` as if it were
   stored. Inputs are converted to `common`, in which they meet, and from there to `compute`, which holds that (numbers,
   which have a dtype of their own, to `compute` alone). What the operation gives (`compute`, or bool for comparisons) is
   converted to `result`; that of the last instruction to out's dtype instead. */
enum elementwise_kind {
  ELEMENTWISE_UNARY,
  ELEMENTWISE_BINARY,
  ELEMENTWISE_WHERE,   /* inputs condition (bool), a, b; just moves elements, so that compute may be a 16-bit float */
  ELEMENTWISE_CLAMP,   /* inputs a, low, high: minimum(maximum(a, low), high) */
  ELEMENTWISE_CONVERT, /* to `result` by STREW_SATURATE, as copies do; only in programs of several instructions */
  ELEMENTWISE_TAKE /* inputs index (`common` is int64), table (an operand of strides 0): the element of the table that
                          the index chooses, moved; any for a value out of range. Only in programs */
};
enum { MOST_INPUTS = 3, MOST_INSTRUCTIONS = 32, FROM_NUMBER = 0, COST_OF_TAKE = 4 /* in sums */ };
struct instruction_input {
  int from;          /* FROM_NUMBER; n > 0: operand n of the plan; n < 0: the result of instruction -1 - n */
  strew_dtype dtype; /* of what is read */
  union element number;
};
struct instruction {
  enum elementwise_kind kind;
  int op; /* strew_unary_op or strew_binary_op */
  strew_dtype common, compute, result;
  int inputs;
  struct instruction_input in[MOST_INPUTS];
  int64_t size, step; /* of a table, step in elements */
  atomic_bool *bad;   /* TAKE sets it if a value is out of range */
};
/* The dtype in which an instruction computes with input i. */
static inline strew_dtype computed_dtype(const struct instruction *instruction, int i) {
  if (i == 0 && instruction->kind == ELEMENTWISE_TAKE) return instruction->common;
  return instruction->kind == ELEMENTWISE_WHERE && i == 0 ? STREW_BOOL : instruction->compute;
}
/* The instructions in use are the first `count`; the last one gives the elements of out. */
struct elementwise_plan {
  struct plan plan;
  int count;
  struct instruction instructions[MOST_INSTRUCTIONS];
};

/* The order in which floats are added (or multiplied), the same on every device: the elements that meet, numbered in
   row-major order, are cut into blocks of SUM_BLOCK. In a block, lane l of SUM_LANES starts at 0 (or 1) and takes
   elements l, l + 16, l + 32, ... in order; lanes are joined by halving: lane l takes lane l + 8, then l + 4, l + 2,
   l + 1. Block values are joined as a binary tree: neighbours in pairs, level by level; an odd last one passes through
   unchanged. A mean is the sum divided by the count. A variance takes gaps, which are elements minus the first one, so
   that a common part does not matter: the mean of the gaps, then the sum of squares of their differences from it in the
   same order, divided by max(0, count - correction).

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
   order. out stands still along those. On the CPU a third operand may multiply the input, element by element, before it
   is summed: both contiguous, of one float dtype that is computed, none kept. */
struct reduce_plan {
  struct plan plan;
  int kept;
  strew_fold fold;
  double correction;
};

/* Operands: 0 out, 1 input, of extremes 2 values, of the input's dtype; the scanned dimension is the plan's last. */
enum { SCAN_VALUES = 2 };
struct scan_plan {
  struct plan plan;
};

/* Operands: 0 values (storage NULL: not needed), 1 indices (int64), 2 input; the sorted dimension is the plan's last;
   out's last dimension may be shorter (topk): only the first `keep` of each line are written. */
struct sort_plan {
  struct plan plan;
  int64_t keep;
  bool descending;
};

/* Operands: SEARCH_OUT (int64), SEARCH_VALUES and SEARCH_SORTED, of one dtype. out is the place of each value in its
   line of `size` > 0 sorted elements, `step` apart: the number of smaller elements (right: or equal ones); NaN is the
   largest. All devices make the same comparisons, so that unsorted lines give the same places, too. Of n places, the
   first n / 2 are passed if the last of them is smaller than the value. This repeats while n > 1; the last place is
   compared, too. */
enum search_operand { SEARCH_OUT, SEARCH_VALUES, SEARCH_SORTED };
struct search_plan {
  struct plan plan;
  int64_t size, step;
  bool right;
};

/* Operands: QUANTILE_OUT and QUANTILE_SORTED, of one dtype, QUANTILE_START and QUANTILE_COUNT (int64). out is the
   q-quantile of the `count` elements from position `start` on of sorted, whose elements are `step` apart, NaN last: the
   last of them if it is NaN; `empty` if there is none. See runtime/shared/quantile_rank.h for the rank, which is computed
   in float32 or float64. unsorted, on the CPU: the number of elements in all if they are in any order, and may be moved;
   else 0. stays: they are those of one quantile, and may not be moved. */
enum quantile_operand { QUANTILE_OUT, QUANTILE_SORTED, QUANTILE_START, QUANTILE_COUNT };
struct quantile_plan {
  struct plan plan;
  int64_t step, unsorted;
  double q;
  bool in_float32, stays;
  strew_interpolation interpolation; /* of integers: one that chooses an element */
  union element empty;
};

/* Factorizations of `count` matrices a[m][n], of float32 or float64. Tensors are dense: a batch of matrices, or of
   vectors of numbers. out[i] NULL: not wanted.
     FACTOR_SOLVE     out[0][n][columns]: the inverse of a times b[n][columns]; b NULL: the inverse itself
     FACTOR_PIVOTS    out[0][n]: the pivots of elimination; the sign of the exchanges of rows is the first one's; 0 from
                      the first one on that is 0
     FACTOR_CHOLESKY  out[0][n][n]: the triangle, is_upper or lower, of the symmetric matrix of that triangle
     FACTOR_QR        out: Q[m][columns], R[columns][n]
     FACTOR_EIGEN     out: values[n], vectors[n][n] of the symmetric matrix of that triangle
     FACTOR_SINGULAR  out: U, S[least of m and n], Vh; `columns` is the size of the square one of the larger of m and n
 */
enum factor { FACTOR_SOLVE, FACTOR_PIVOTS, FACTOR_CHOLESKY, FACTOR_QR, FACTOR_EIGEN, FACTOR_SINGULAR };
struct linalg_plan {
  enum factor factor;
  int64_t count, m, n, columns;
  bool is_upper;
  const strew_tensor *a, *b, *out[3];
};
/* Why a matrix has no result: its column without a pivot, or these. */
enum { FACTORED = -1, NOT_FINITE = -2, NOT_CONVERGED = -3 };

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

/* Elements per block of 128 random bits: an element takes 32 or 64 of them. */
static inline int64_t random_per_block(enum random_kind kind, strew_dtype dtype) {
  bool is_long = kind == RANDOM_INTEGER || kind == RANDOM_BITS || dtype == STREW_FLOAT64;
  return is_long ? 2 : 4;
}

/* Fills `count` dense elements of out with start + i * step: in int64 where both are integers, else in float64, rounded
   once to out's dtype. */
struct ramp_plan {
  struct operand out;
  int64_t count;
  strew_scalar start, step;
};

/* The smallest and largest value of an index. */
struct index_range {
  int64_t lowest, highest;
};

/* Reductions of a column in a walk that several columns share. src is 1-D, of any strides; its elements are converted
   to `computed` (float32, float64 or int64) and joined in order from the identity on. out, by reduction: dense, of that
   dtype, with an element for each group; NULL: not needed. STREW_SUM, STREW_AMAX and STREW_AMIN, or STREW_PROD
   alone. */
struct aggregate_column {
  const strew_tensor *src; /* NULL: ones, of which only the int64 sum is wanted */
  strew_dtype computed;
  /* Dense, an element for each group: squares of the differences from it join, of which only the sum is wanted,
     computed in float64; NULL: elements do. */
  const strew_tensor *about;
  strew_tensor *out[STREW_REDUCTION_COUNT];
};

/* Sequences of elements, combined one by one: sequence s has elements starts[s] .. starts[s + 1] - 1 of `order`, or
   of all if that is NULL; both are int64 and dense. Slots are what programs read, an element for each column: first
   the accumulators, [sequences, columns] and dense, which hold what each begins with, then what it has become; then the
   sources, [elements, columns] of any strides, NULL: the number of the element. `partial`: [elements, columns] and
   dense, an accumulator's value after each element; NULL: not needed. At each element all programs run, then
   accumulators change. Operand i of a program's plan, which has one dimension and no storages, is slot slots[i]. It gives
   an accumulator's next value, or tests (`accumulator` -1) what operations are not defined for: a bool, false where
   they are not. Sets *bad to the first element where a test fails, and *program to the test. */
enum { COMBINED_SLOTS = PLAN_OPERANDS - 1, COMBINED_PROGRAMS = 24, COMBINED_LANES = 256 };
struct combine_program {
  struct elementwise_plan plan;
  int slots[PLAN_OPERANDS];
  int accumulator, expr, node; /* numbers; the node that is tested */
};
struct combine_plan {
  int64_t length, count, columns; /* elements; sequences; columns of each element */
  const strew_tensor *starts, *order;
  int accumulator_count, slot_count, program_count;
  const strew_tensor *slots[COMBINED_SLOTS];
  const strew_tensor *partial[COMBINED_SLOTS];
  struct combine_program programs[COMBINED_PROGRAMS];
};

/* What programs see of a source: integers as int64 or uint64, 16-bit floats as float32. */
static inline strew_dtype seen_dtype(strew_dtype dtype) {
  return dtype_category(dtype) == INTEGER ? dtype_sums(dtype) : dtype_wide(dtype);
}

/* Ids of elements: the number of each one's group, of `size`, which is at most INT32_MAX; uint8, int16, int32 or int64.
   -1, only if `drops`: none. */
struct group_ids {
  const strew_tensor *ids;
  int64_t size;
  bool drops;
};

/* A status within the engine, which no call returns: an optional entry has done nothing, the caller composes. */
#define STREW_DECLINED ((strew_status)-1)

/* The functions of a device, X(result, name, parameters): members of its table, which are the functions cpu_NAME and
   opencl_NAME. Every device has all of them but the OPTIONAL ones: for NULL, and where one returns STREW_DECLINED,
   calls are composed of other functions, or done on the CPU. Arguments are checked before: no plan is empty.

     open             makes the device ready, if it is not
     capabilities     describes an open device
     allocate         fills storage->data; release frees it
     write, read      copy between host memory and a storage; both wait for the device
     finish           waits for all enqueued work
     copy             operand 0 = operand 1, converted by STREW_SATURATE
     scatter          joins contributions. If plan->check finds values out of range, sets *bad and leaves self and arg
                      unchanged; how to do so without reading the index twice is up to the device
     divide_by_count  operand 0 /= operand 1 (int64) + extra wherever operand 1 > 0
     gather           *bad as for scatter
     index_check      *bad: the first position, in the plan's row-major order, whose value in operand 0 lies outside
                      lowest..highest; -1: none
     order_check      the same; bad are also values less than the one before them along the plan's last dimension, which
                      is not merged with others
     index_range      the smallest and the largest value of operand 0
     index_join       *bad: a value is out of range for the mode; positions are then undefined
     sorted_ends      operand 0 (int64), at coordinate v along the plan's last dimension, which is not merged with
                      others: the number of the `size` values of operand 1, `step` apart, that are less than v. They
                      are in order and valid
     segments         see segment_plan
     spread           the reverse of segments: writes the value of each segment, in SEGMENT_OUT, to all its elements
     elementwise      see elementwise_plan
     find_zero        *place: the first position whose value in operand 0, converted to `compute` (an integer dtype), is
                      zero; -1: none
     reduce, cumsum, sort, search, quantile, random, ramp
                      see their plans
     cumprod          a scan_plan of one dtype: float32, float64 or int64. A line's elements are multiplied in order; in
                      and out may be the same elements
     cumextreme       a scan_plan of positions (int64), elements of any dtype and values: the position of the largest, or
                      smallest, so far, and that element; of equal elements the last one, and so of NaN, which win
     nonzero          makes *out, the coordinates of the nonzero elements of operand 0, int64[count, rank]. Takes a plan
                      that is not simplified nor empty: rank and sizes are the tensor's
     matmul           c[m, n] = a[m, k] b[k, n], k > 0. m and n are the plan's last two dimensions, the others are
                      batches. Operands: 0 c (dense), 1 a, 2 b, of the dtype that is computed. The last two strides of a
                      and b are those of their own rows and columns: one of them is 1, the other at least as long
     compress         makes *out, rows of operand 1 where operand 0 is nonzero, whose number becomes sizes[0]. The plan
                      has one dimension; a row is as long as operand 1's stride, and rows and their elements are
                      contiguous. Optional
     repeat           makes *out: each element of a line, of rank 1 and not empty, repeated as often as its entry of
                      counts (int64, of the same size). May decline. Optional
     linalg           see linalg_plan; *bad: the number of the first matrix without a result, and *why; -1: none. Optional: the CPU
                      alone has it

   Optional, for groupings of elements, of which there are some. Tensors are dense and 1-D, except keys and src, which
   have any stride; starts, order, positions and groups are int64. There are groups.

     number_keys      makes *ids, of the narrowest dtype of ids: the number of each element's group by `count` keys; and
                      *positions: the position of each group's first element
     group_cumsum     out[i] = the sum, from +0 on, of the elements up to i of src whose id (int64) is that of element
                      i, which is less than `size`; 0 where it is -1. src and out: float32, float64 or int64, whose sums
                      are STREW_EVALUE if they leave it
     group_order      writes to `order` the positions of the elements of group g, ascending, from starts[g] on
     group_collect    the same for the elements of src instead of their positions; out is of src's dtype
     group_order_within
                      out[starts[g]] .. out[starts[g + 1] - 1]: the positions of group g, those of `order`, in the order
                      of src's elements, ties by position. There are some. May decline
     group_topk       makes *positions and *groups (`groups` may be NULL): of each group those of the first k > 0
                      elements of src, greatest or least first, ties by position. May decline
     group_aggregate  reduces all columns in one walk over the ids
     combine          see combine_plan; *bad: -1 if there is none. May decline */
#define ON_DEVICE const struct call *call, strew_device *device
#define DEVICE_ENTRIES(X, OPTIONAL)                                                                                    \
  X(strew_status, open, (ON_DEVICE))                                                                                   \
  X(void, capabilities, (const strew_device *device, strew_capabilities *out))                                         \
  X(strew_status, allocate, (ON_DEVICE, size_t size_bytes, struct storage * storage))                                  \
  X(void, release, (struct storage * storage))                                                                         \
  X(strew_status, write,                                                                                               \
    (const struct call *call, struct storage *to, size_t offset_bytes, const void *from, size_t size_bytes))           \
  X(strew_status, read,                                                                                                \
    (const struct call *call, const struct storage *from, size_t offset_bytes, void *to, size_t size_bytes))           \
  X(strew_status, finish, (ON_DEVICE))                                                                                 \
  X(strew_status, copy, (ON_DEVICE, const struct plan *plan))                                                          \
  X(strew_status, scatter, (ON_DEVICE, const struct scatter_plan *plan, bool *bad))                                    \
  X(strew_status, divide_by_count, (ON_DEVICE, const struct plan *plan, int64_t extra))                                \
  X(strew_status, gather, (ON_DEVICE, const struct gather_plan *plan, bool *bad))                                      \
  X(strew_status, index_check, (ON_DEVICE, const struct plan *plan, int64_t lowest, int64_t highest, int64_t *bad))    \
  X(strew_status, order_check, (ON_DEVICE, const struct plan *plan, int64_t lowest, int64_t highest, int64_t *bad))    \
  X(strew_status, sorted_ends, (ON_DEVICE, const struct plan *plan, int64_t size, int64_t step))                       \
  X(strew_status, segments, (ON_DEVICE, const struct segment_plan *plan))                                              \
  X(strew_status, spread, (ON_DEVICE, const struct segment_plan *plan))                                                \
  X(strew_status, index_range, (ON_DEVICE, const struct plan *plan, struct index_range *range))                        \
  X(strew_status, index_join, (ON_DEVICE, const struct join_plan *plan, bool *bad))                                    \
  X(strew_status, elementwise, (ON_DEVICE, const struct elementwise_plan *plan))                                       \
  X(strew_status, find_zero, (ON_DEVICE, const struct plan *plan, strew_dtype compute, int64_t *place))                \
  X(strew_status, reduce, (ON_DEVICE, const struct reduce_plan *plan))                                                 \
  X(strew_status, cumsum, (ON_DEVICE, const struct scan_plan *plan))                                                   \
  X(strew_status, cumprod, (ON_DEVICE, const struct scan_plan *plan))                                                  \
  X(strew_status, cumextreme, (ON_DEVICE, const struct scan_plan *plan, bool largest))                                 \
  X(strew_status, sort, (ON_DEVICE, const struct sort_plan *plan))                                                     \
  X(strew_status, search, (ON_DEVICE, const struct search_plan *plan))                                                 \
  X(strew_status, quantile, (ON_DEVICE, const struct quantile_plan *plan))                                             \
  X(strew_status, nonzero, (ON_DEVICE, const struct plan *plan, strew_tensor **out))                                   \
  X(strew_status, random, (ON_DEVICE, const struct random_plan *plan))                                                 \
  X(strew_status, ramp, (ON_DEVICE, const struct ramp_plan *plan))                                                     \
  X(strew_status, matmul, (ON_DEVICE, const struct plan *plan, int64_t k))                                             \
  OPTIONAL(strew_status, compress, (ON_DEVICE, const struct plan *plan, int rank, int64_t *sizes, strew_tensor **out)) \
  OPTIONAL(strew_status, repeat,                                                                                       \
           (ON_DEVICE, const strew_tensor *line, const strew_tensor *counts, strew_tensor **out))                      \
  OPTIONAL(strew_status, linalg, (ON_DEVICE, const struct linalg_plan *plan, int64_t *bad, int64_t *why))              \
  OPTIONAL(strew_status, number_keys,                                                                                  \
           (ON_DEVICE, int count, strew_tensor *const *keys, strew_key_order order, strew_tensor **ids,                \
            strew_tensor **positions))                                                                                 \
  OPTIONAL(strew_status, group_cumsum,                                                                                 \
           (ON_DEVICE, const strew_tensor *ids, int64_t size, const strew_tensor *src, strew_tensor *out))             \
  OPTIONAL(strew_status, group_order,                                                                                  \
           (ON_DEVICE, const struct group_ids *ids, const strew_tensor *starts, strew_tensor *order))                  \
  OPTIONAL(strew_status, group_collect,                                                                                \
           (ON_DEVICE, const struct group_ids *ids, const strew_tensor *starts, const strew_tensor *src,               \
            strew_tensor *out))                                                                                        \
  OPTIONAL(strew_status, group_order_within,                                                                           \
           (ON_DEVICE, const strew_tensor *src, const strew_tensor *order, const strew_tensor *starts,                 \
            bool descending, strew_tensor *out))                                                                       \
  OPTIONAL(strew_status, group_topk,                                                                                   \
           (ON_DEVICE, const struct group_ids *ids, const strew_tensor *src, int64_t k, bool largest,                  \
            strew_tensor **positions, strew_tensor **groups))                                                          \
  OPTIONAL(strew_status, group_aggregate,                                                                              \
           (ON_DEVICE, const struct group_ids *ids, int count, const struct aggregate_column *columns))                \
  OPTIONAL(strew_status, combine, (ON_DEVICE, const struct combine_plan *plan, int64_t *bad, int *program))

/* A mean in one pass over the index, on a scratch of pairs of sum and count. For fewer than 2^31 - 1 contributions,
   rows of index that share no value, and a self whose elements are as wide as a count. */
struct mean_scratch {
  int64_t elements; /* of self's dtype */
  /* The device's choice: parts of dimension 0, each in turns of `rows` rows with `pairs` pairs; parts 0: all at
     once. */
  int64_t parts, rows, pairs;
};
struct one_pass_mean {
  struct mean_scratch (*choose)(const strew_device *device, const struct scatter_plan *plan);
  /* Contributions join as in a sum; destinations that received any are divided as by divide_by_count. from_identity:
     the values that self holds are not summed. *bad as for scatter. */
  strew_status (*run)(const struct call *call, strew_device *device, const struct scatter_plan *plan,
                      const struct mean_scratch *scratch, struct storage *memory, bool from_identity, int64_t extra,
                      bool *bad);
};

/* The entries that may read a deferred tensor. */
enum reader {
  READ_BY_REDUCE = 1,    /* a fold's input */
  READ_BY_AGGREGATE = 2, /* src of group_aggregate */
  READ_BY_SCATTER = 4,   /* SRC of scatter and of one_pass_mean, of the index's shape */
  READ_BY_SEGMENTS = 8,  /* SEGMENT_SRC */
  READ_BY_NONZERO = 16
};

struct device_ops {
  bool host_memory;                 /* storage->data is an address in this process */
  unsigned reads;                   /* enum reader: from these, storages with a program are not stored first */
  const struct one_pass_mean *mean; /* optional; NULL: means are made by scatter and divide_by_count */
#define MEMBER(result, name, parameters) result(*name) parameters;
  DEVICE_ENTRIES(MEMBER, MEMBER)
#undef MEMBER
};

extern const struct device_ops cpu_ops;
/* An entry of the device that has a tensor. */
#define RUN_ON(tensor, entry, call, ...)                                                                               \
  (tensor)->storage->device->ops->entry(call, (tensor)->storage->device, __VA_ARGS__)

/* ------------------------------------------------------------------------------------------------------ deferred.c */

/* The cost of an element, in sums. */
int64_t program_cost(const struct elementwise_plan *program);
static inline bool is_deferred(const strew_tensor *tensor) { return tensor->storage->store != NULL; }
/* Computes the elements of a deferred tensor into memory, which is its own from then on. */
strew_status tensor_store(const struct call *call, const strew_tensor *tensor);
/* Before a call reads a tensor (NULL: passes) once: stores a deferred one where the device does not read it, where
   threads would take longer, and where `written` (NULL: nothing that must stay if the call fails) is an input; checks
   its indices where something is written. */
strew_status deferred_open(const struct call *call, const strew_tensor *tensor, enum reader reader,
                           const strew_tensor *written);
/* True if a fold over dimensions takes longer to read a deferred tensor. calls/reduce.c */
bool fold_wants_stored(strew_fold fold, const strew_tensor *tensor, const strew_reduce_options *options);
/* After a deferred tensor was read: fails if an index was out of range. What was made of it is void. */
strew_status deferred_close(const struct call *call, const strew_tensor *tensor);

/* opencl/platform.c: fills context->found. */
void opencl_find_devices(strew_context *context);

#endif
