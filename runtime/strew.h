/* strew.h: the public interface of libstrew, a tensor runtime with the scatter family. strew_core.h, which it includes
   first, is the manual of all calls, and has contexts, devices, tensors, errors, views, scatter and gather; here are the
   other operations, groups, expressions, tables and files. */
#ifndef STREW_H
#define STREW_H

#include "strew_core.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct strew_grouping strew_grouping; /* reference-counted: strew_grouping_retain, strew_grouping_release */
typedef struct strew_table strew_table;       /* owned by the caller that made it: strew_table_release */

/* The quantile at rank r = i + t, between elements i and i + 1 of a sorted sequence. Words: "linear", ... */
typedef enum strew_interpolation {
  STREW_LINEAR,
  STREW_LOWER,        /* element i */
  STREW_HIGHER,       /* element i + 1, unless t is 0 */
  STREW_MIDPOINT,     /* as STREW_LINEAR with t = 0.5, unless t is 0 */
  STREW_NEAREST,      /* the nearer of the two; halves to even */
  STREW_INVERTED_CDF, /* the least element that at least a share q of all does not exceed: rank ceil(q * n) - 1 */
  STREW_INTERPOLATION_COUNT
} strew_interpolation;

/* ----------------------------------------------------------------------------------- numbers in order and at random */

/* start, start + step, ... up to but not including stop, 1-D. Exact if all three are integers, else start + i * step
   in float64, rounded once. No element reaches stop; nor, except the first, stop rounded to dtype. STREW_EVALUE: a
   step of 0 or away from stop, a number that is not finite or that dtype cannot hold; STREW_EDTYPE: bool. This call and
   the others below also fill a given *out. */
STREW_API strew_status strew_arange(strew_device *device, strew_dtype dtype, strew_scalar start, strew_scalar stop,
                                    strew_scalar step, strew_tensor **out, strew_error *error);
/* `steps` values (0 or more, else STREW_EARGUMENT), evenly spaced from start to exactly stop, both included. They are
   start + i * (stop - start) / (steps - 1) in float64, rounded once; integers drop the fraction. */
STREW_API strew_status strew_linspace(strew_device *device, strew_dtype dtype, double start, double stop, int64_t steps,
                                      strew_tensor **out, strew_error *error);
/* Random numbers of the context's seed, by Philox 4x32-10. Element i depends only on the seed and on the number of
   draws before; a failed call draws none.
     rand      uniform in [0, 1); float dtypes only (STREW_EDTYPE)
     randn     standard normal; float dtypes only (STREW_EDTYPE)
     randint   uniform in low..high-1, which dtype must hold (STREW_EVALUE)
     randperm  0..n-1 in random order, 1-D. STREW_EVALUE: dtype cannot hold n-1; STREW_EARGUMENT: n < 0 */
STREW_API strew_status strew_rand(strew_device *device, strew_dtype dtype, int rank, const int64_t *sizes,
                                  strew_tensor **out, strew_error *error);
STREW_API strew_status strew_randn(strew_device *device, strew_dtype dtype, int rank, const int64_t *sizes,
                                   strew_tensor **out, strew_error *error);
STREW_API strew_status strew_randint(strew_device *device, strew_dtype dtype, int64_t low, int64_t high, int rank,
                                     const int64_t *sizes, strew_tensor **out, strew_error *error);
STREW_API strew_status strew_randperm(strew_device *device, strew_dtype dtype, int64_t n, strew_tensor **out,
                                      strew_error *error);

/* --------------------------------------------------------------------------------------------------- text and times */

/* Text. A tensor of dtype STREW_TEXT has int32 codes 0, 1, ... and the list of different words that they stand for, which
   its views share, and results of calls get; a list may have words that no element has. Where texts with other lists
   meet in a call, the words of all are one list in the result, which begins with those of the first one; so does that of
   a text in which other words are written, so that its codes stay valid. Words have no zero byte. strew_read gives codes;
   strew_data, strew_from and strew_wrap take no text; strew_empty, and strew_full with the number 0, make empty words.

   strew_text makes a text of codes, of any integer dtype, of `count` words; lengths: of each in bytes, NULL: they end in a
   0. Repeated words become one. The words are copied. ordered: codes compare in the order of these words;
   strew_text_align keeps it, and so do results of calls whose first text has it; another word that is to be one of them is
   STREW_EVALUE, but the empty one, which comes last; so are two orders that meet. strew_text_is_ordered: true for such a
   text. STREW_EINDEX: a code out of range, whose position it names; STREW_EVALUE: a word with a zero byte.
   strew_text_from: of one word for each element. strew_text_like: of codes of the words of another text. */
STREW_API strew_status strew_text(strew_tensor *codes, int64_t count, const char *const *words, const size_t *lengths,
                                  bool ordered, strew_tensor **out, strew_error *error);
STREW_API bool strew_text_is_ordered(const strew_tensor *text);
STREW_API strew_status strew_text_from(strew_device *device, int rank, const int64_t *sizes, const char *const *words,
                                       const size_t *lengths, strew_tensor **out, strew_error *error);
STREW_API strew_status strew_text_like(strew_tensor *codes, const strew_tensor *text, strew_tensor **out,
                                       strew_error *error);
/* The codes: a new int32 tensor. */
STREW_API strew_status strew_text_codes(const strew_tensor *text, strew_tensor **out, strew_error *error);
/* The same texts with codes of one list: equal codes are equal words. ordered: the list is sorted by the words' bytes, so
   that codes compare as words do; the order is made once for each list. out has room for `count` tensors, which may be
   the given ones, retained. */
STREW_API strew_status strew_text_align(int64_t count, strew_tensor *const *texts, bool ordered, strew_tensor **out,
                                        strew_error *error);
/* Number of words, -1: no text; a word, borrowed until the next call, NULL: no such code, *length (NULL:
   not wanted) its bytes; the code of a word, -1: it is not in the list. */
STREW_API int64_t strew_word_count(const strew_tensor *text);
STREW_API const char *strew_word(const strew_tensor *text, int64_t code, size_t *length);
STREW_API int64_t strew_word_code(const strew_tensor *text, const char *word, size_t length);
/* Number of characters of a word, of bytes if it is not UTF-8; -1: no such code. */
STREW_API int64_t strew_word_characters(const strew_tensor *text, int64_t code);

/* Times in text. Reads YYYY-MM-DD, after which T or a blank, HH:MM, :SS, a fraction of the second, and Z or an offset
   as +02:00, +0200 or +02 may follow, and the other forms of ISO 8601: 20240517T1230, 2024-W20-5, 2024-138, 2024-05,
   a fraction of the hour or minute, 24:00; without an offset it is UTC. Years from 10000 on have a sign and 5 or 6 digits:
   +12024-01-01, as have those before 0000. An empty text and "NaT" are NaT. format: of strftime's letters Y m d H M S f
   (fraction) z (offset) y j b B a A p I T F R e and %; NULL: the form above. Digits of a fraction beyond microseconds
   are dropped, toward the past. STREW_EVALUE: the text is no time, or none of the calendar, or out of range. On any
   thread. */
STREW_API strew_status strew_time_parse(const char *text, const char *format, strew_scalar *out, strew_error *error);

/* ------------------------------------------------------------------------------------------------------ rearranging */

/* Elements in another order, or several times. Always new, contiguous tensors, of tensor's dtype.
     flip               reverses dim_count dimensions, each listed once (STREW_ESHAPE); dims NULL: all
     roll               moves elements along dims[i] by shifts[i], for each of the `count` entries; those that leave at
                        one end enter at the other. dims NULL: along the flattened tensor, by one shift (STREW_ESHAPE)
     repeat             the whole, repeats[d] times along dimension d of the result, which has `count` dimensions, at least
                        as many as tensor (STREW_ESHAPE); repeats are 0 or more (STREW_EVALUE)
     repeat_interleave  each position of dim, repeats times: an integer, or a tensor of integers (STREW_EDTYPE) of one
                        count, or one for each position (STREW_ESHAPE); counts are 0 or more (STREW_EVALUE) */
STREW_API strew_status strew_flip(strew_tensor *tensor, int dim_count, const int64_t *dims, strew_tensor **out,
                                  strew_error *error);
STREW_API strew_status strew_roll(strew_tensor *tensor, int count, const int64_t *shifts, const int64_t *dims,
                                  strew_tensor **out, strew_error *error);
STREW_API strew_status strew_repeat(strew_tensor *tensor, int count, const int64_t *repeats, strew_tensor **out,
                                    strew_error *error);
STREW_API strew_status strew_repeat_interleave(strew_tensor *tensor, strew_operand repeats, int dim, strew_tensor **out,
                                               strew_error *error);
/* tensor with zeros above (tril), or below (triu) the diagonal of that number of its last two dimensions, as of
   strew_diagonal's offset; STREW_ESHAPE: fewer than two dimensions. A given *out may be tensor. */
STREW_API strew_status strew_tril(strew_tensor *tensor, int64_t diagonal, strew_tensor **out, strew_error *error);
STREW_API strew_status strew_triu(strew_tensor *tensor, int64_t diagonal, strew_tensor **out, strew_error *error);

/* ----------------------------------------------------------------------------------------------------------- DLPack */

/* DLPack 1.x, by which array libraries of one process share memory. An exported tensor is a DLManagedTensorVersioned, or
   with `unversioned` the DLManagedTensor of older versions, which belongs to the consumer: its deleter, on any thread,
   ends the export, which keeps the tensor's memory until then. Memory that may only be read is marked so; unversioned
   structs cannot (STREW_EARGUMENT). STREW_EDEVICE: the tensor is not on the CPU. */
typedef struct strew_dlpack_options {
  bool unversioned;
  uint64_t reserved[4];
} strew_dlpack_options;
STREW_API strew_status strew_to_dlpack(strew_tensor *tensor, const strew_dlpack_options *options, void **out,
                                       strew_error *error);
/* A CPU tensor over the memory that a struct of DLPack describes, of either kind, without a copy. The deleter runs once,
   as strew_wrap's release; if the call fails, the struct stays the caller's. The producer vouches for addresses: the
   struct does not tell the size of the memory. A tensor marked as read-only is like one of strew_wrap_const.
   STREW_EARGUMENT: managed is NULL or of another version, no sizes, data not aligned; STREW_EDEVICE: another device;
   STREW_EDTYPE: complex numbers, several lanes and the like; STREW_ESHAPE: a negative stride, more than 16 dimensions.
   Strides of sizes 1, and of no elements, do not matter. */
STREW_API strew_status strew_from_dlpack(strew_device *device, void *managed, strew_tensor **out, strew_error *error);
/* ------------------------------------------------------------------------------------------------- elementwise */

/* Operations on each element. The result has the operand's dtype, or the one in the comment. float: the operand's dtype
   if that is a float, else float32. */
typedef enum strew_unary_op {
  STREW_NEG,
  STREW_ABS,
  STREW_FLOOR,
  STREW_CEIL,
  STREW_ROUND, /* halves to even */
  STREW_RELU,
  STREW_EXP,         /* float */
  STREW_LOG,         /* float */
  STREW_SQRT,        /* float */
  STREW_RSQRT,       /* float */
  STREW_SIN,         /* float */
  STREW_COS,         /* float */
  STREW_TANH,        /* float */
  STREW_SIGMOID,     /* float */
  STREW_LOGICAL_NOT, /* bool */
  STREW_BITWISE_NOT, /* takes integers and bools only */
  STREW_LOG2,        /* float */
  STREW_LOG10,       /* float */
  STREW_LOG1P,       /* float; log(1 + x) */
  STREW_EXPM1,       /* float; e^x - 1 */
  STREW_SIGN,        /* -1, 0 or 1; NaN for NaN */
  STREW_SIGNBIT,     /* bool; true for negative numbers and -0, false for every NaN */
  STREW_TAN,         /* float */
  STREW_ASIN,        /* float */
  STREW_ACOS,        /* float */
  STREW_ATAN,        /* float */
  STREW_SINH,        /* float */
  STREW_COSH,        /* float */
  STREW_ASINH,       /* float */
  STREW_ACOSH,       /* float */
  STREW_ATANH,       /* float */
  STREW_EXP2,        /* float; 2^x */
  STREW_ERF,         /* float */
  STREW_ERFC,        /* float; 1 - erf(x) */
  STREW_GELU,        /* float; x erfc(-x / sqrt(2)) / 2: x Phi(x), where Phi is the normal distribution */
  STREW_CBRT,        /* float; cube root */
  STREW_SILU,        /* float; x sigmoid(x) */
  STREW_GELU_TANH,   /* float; x sigmoid(2 sqrt(2 / pi) (x + 0.044715 x^3)): close to gelu */
  STREW_UNARY_COUNT
} strew_unary_op;

/* Operations on pairs of elements. The result has the promoted dtype, or the one in the comment (float: as above). */
typedef enum strew_binary_op {
  STREW_ADD,
  STREW_SUB,
  STREW_MUL,
  STREW_DIV,          /* float */
  STREW_FLOOR_DIVIDE, /* rounds toward minus infinity; integer division by zero is an error that names the position. Of
                         floats (a - a % b) / b: an infinity gives NaN, and a finite negative number by infinity -1 */
  STREW_REMAINDER,    /* has the sign of the divisor, as Lua's %; a zero has that of the dividend */
  STREW_POW,
  STREW_MINIMUM,     /* NaN wins, -0 < +0 */
  STREW_MAXIMUM,     /* NaN wins, -0 < +0 */
  STREW_EQ,          /* bool */
  STREW_NE,          /* bool */
  STREW_LT,          /* bool */
  STREW_LE,          /* bool */
  STREW_GT,          /* bool */
  STREW_GE,          /* bool */
  STREW_LOGICAL_AND, /* bool */
  STREW_LOGICAL_OR,  /* bool */
  STREW_BITWISE_AND, /* takes integers and bools only */
  STREW_BITWISE_OR,  /* takes integers and bools only */
  STREW_BITWISE_XOR, /* takes integers and bools only */
  STREW_FMOD,        /* a - b trunc(a / b), with the sign of a: exact; integers cannot be divided by zero */
  STREW_COPYSIGN,    /* float; a with the sign of b, of which NaN is positive */
  /* These take integers only. A shift by a negative number or by all bits gives 0, to the right -1 of negative numbers.
     The greatest common divisor of zeros is 0, and so is the least common multiple of a zero; both are not negative,
     unless they wrap. */
  STREW_BITWISE_LEFT_SHIFT,
  STREW_BITWISE_RIGHT_SHIFT,
  STREW_GCD,
  STREW_LCM,
  STREW_ATAN2,     /* float; the angle of the point (b, a), from -pi to pi */
  STREW_HYPOT,     /* float; sqrt(a^2 + b^2) */
  STREW_LOGADDEXP, /* float; log(e^a + e^b) */
  STREW_NEXTAFTER, /* the next value of the dtype from a to b, or b if they are equal; takes floats only */
  STREW_BINARY_COUNT
} strew_binary_op;

/* Applies op to each element; the result has tensor's shape. A given *out has a dtype to which the result's promotes
   (STREW_EDTYPE), and may be `tensor` itself. STREW_EDTYPE: neg of bool, bitwise operations of
   floats. */
STREW_API strew_status strew_unary(strew_unary_op op, strew_tensor *tensor, strew_tensor **out, strew_error *error);
/* Applies op to each pair of elements. The operands broadcast (STREW_ESHAPE): their last dimensions are aligned, and
   sizes 1 expand. At least one is a tensor (STREW_EARGUMENT). The promoted dtype must hold a number operand
   (STREW_EVALUE). Comparisons and logical operations take any number: integers compare with its value; floats with its
   rounded value, or with its value if it is out of their range. A given *out: as for strew_unary; it may be the same
   view as an operand. STREW_EDTYPE: sub of bools, bitwise operations of floats. STREW_EVALUE: an integer divided by 0
   (with the position in the divisor), or raised to a negative power. */
STREW_API strew_status strew_binary(strew_binary_op op, strew_operand a, strew_operand b, strew_tensor **out,
                                    strew_error *error);
/* Elements of a where condition (bool, else STREW_EDTYPE) is true, else of b. The three broadcast; a and b are
   promoted; strings alone are words. Errors of a call in place of a call it self, and b other. */
STREW_API strew_status strew_where(strew_tensor *condition, strew_operand a, strew_operand b, strew_tensor **out,
                                   strew_error *error);
/* tensor, with elements replaced by value (a number or a 0-d tensor) where mask (bool) is true; of tensor's dtype. The
   two broadcast; in place, mask broadcasts to tensor. A 0-d tensor of another dtype counts as its number. STREW_EDTYPE:
   mask is not bool; STREW_EVALUE: a number that tensor's dtype cannot hold; STREW_ESHAPE: value has dimensions. */
STREW_API strew_status strew_masked_fill(strew_tensor *tensor, strew_tensor *mask, strew_operand value,
                                         strew_tensor **out, strew_error *error);
/* minimum(maximum(tensor, low), high), in the promoted dtype; the bounds broadcast. Either may be strew_no_operand(),
   not both (STREW_EARGUMENT). */
STREW_API strew_status strew_clamp_with(strew_tensor *tensor, strew_operand low, strew_operand high, strew_tensor **out,
                                        strew_error *error);
/* Each element minus the one before it along dim, n times (0 or more, else STREW_EARGUMENT); of bools, whether they
   differ, of times seconds, once (n is 1). A size less than n becomes 0. Always a new tensor. STREW_ESHAPE: no
   dimension. */
STREW_API strew_status strew_diff(strew_tensor *tensor, int64_t n, int dim, strew_tensor **out, strew_error *error);
/* True if shapes and all elements are equal (NaN equals nothing, -0 equals +0). dtypes must be equal (STREW_EDTYPE). */
STREW_API strew_status strew_equal(strew_tensor *a, strew_tensor *b, bool *out, strew_error *error);
typedef struct strew_isclose_options {
  bool equal_nan; /* NaN is close to NaN */
  uint64_t reserved[4];
} strew_isclose_options;
/* For each pair of elements: true if |a - b| <= atol + rtol * |b|; by the rules of strew_allclose. Always a new tensor
   of bools. */
STREW_API strew_status strew_isclose_with(strew_tensor *a, strew_tensor *b, double rtol, double atol,
                                          const strew_isclose_options *options, strew_tensor **out, strew_error *error);
/* True if |a - b| <= atol + rtol * |b| everywhere, after broadcasting. Infinities equal themselves, NaN nothing. dtypes
   must be equal (STREW_EDTYPE); rtol and atol are 0 or more (STREW_EVALUE). */
STREW_API strew_status strew_allclose(strew_tensor *a, strew_tensor *b, double rtol, double atol, bool *out,
                                      strew_error *error);

/* --------------------------------------------------------------------------------- reductions, scans and sorting */

/* Reductions of elements to one value. */
typedef enum strew_fold {
  STREW_FOLD_SUM,    /* int64 for integers and bools, uint64 for uint64 */
  STREW_FOLD_PROD,   /* the same */
  STREW_FOLD_MEAN,   /* takes floats only */
  STREW_FOLD_VAR,    /* takes floats only */
  STREW_FOLD_STD,    /* takes floats only */
  STREW_FOLD_AMIN,   /* NaN wins, -0 < +0 */
  STREW_FOLD_AMAX,   /* NaN wins, -0 < +0 */
  STREW_FOLD_ARGMIN, /* int64: index of the first minimum, or of the first NaN */
  STREW_FOLD_ARGMAX, /* int64: index of the first maximum, or of the first NaN */
  STREW_FOLD_ALL,    /* bool */
  STREW_FOLD_ANY,    /* bool */
  STREW_FOLD_COUNT
} strew_fold;

typedef struct strew_reduce_options {
  int dim_count;            /* the number of dimensions in `dims` */
  const int64_t *dims;      /* that are reduced, each listed once (STREW_ESHAPE); NULL: all; a list of none: none */
  bool keepdim;             /* they stay, with size 1 */
  const double *correction; /* var and std divide by max(0, n - correction); NULL: 1 */
  bool exact;               /* sum, mean, var and std: see "Exact sums" */
  bool skip_nan;            /* of exact ones: elements that are NaN do not count */
  uint64_t reserved[4];
} strew_reduce_options;

/* Exact sums, where an option `exact` is set and the elements are floats: sums, means, variances and deviations of the
   real numbers that the elements are, rounded once, to the result's dtype, ties to even. They do not depend on the order
   of the elements, and overflow only where the result does. NaN, or infinities of both signs, give NaN, one infinity
   itself. A sum of elements that are all -0 is -0, but 0 in new rows of groups and segments. A given *out that takes part
   is a term. Integers are exact anyway. They need 8 bytes of scratch for each element of the result and each 32 to 60
   bits between the highest and the lowest bit of the elements. */

/* Reduces dimensions. An empty list reduces each element by itself. STREW_EARGUMENT: a negative dim_count; dims NULL,
   and dim_count not 0. argmin and argmax take one dimension or all. The order of a sum depends on the shape alone. var
   and std subtract the first element from all before they take the mean; squares may overflow or underflow without an
   effect on std. With no elements: 0; 1 for prod and all; NaN for mean, var and std; STREW_ESHAPE for the extremes. Of
   times: extremes; mean, the nearest time, a half to even, and var and std, of seconds, float64. A given *out must have
   the result's dtype (STREW_EDTYPE). */
STREW_API strew_status strew_reduce_with(strew_fold fold, strew_tensor *tensor, const strew_reduce_options *options,
                                         strew_tensor **out, strew_error *error);
/* Cumulative sums along dim, each including its own element; of tensor's shape. Integers and bools give int64. In
   place, an integer tensor keeps its dtype, and the sums wrap. Floats are added one after the other in halves of 8
   elements; the sum before a half is the exact sum of a pair of floats. */
typedef struct strew_cumsum_options {
  bool exact; /* of floats: see "Exact sums" */
  uint64_t reserved[4];
} strew_cumsum_options;
STREW_API strew_status strew_cumsum_with(strew_tensor *tensor, int dim, const strew_cumsum_options *options,
                                         strew_tensor **out, strew_error *error);
/* Cumulative products, with the rules of strew_cumsum_with; each element is multiplied by the product before it, in
   order. */
STREW_API strew_status strew_cumprod(strew_tensor *tensor, int dim, strew_tensor **out, strew_error *error);
/* The largest (smallest) element so far along dim, and its index along dim (int64); ties go to the last one. From the
   first NaN on, the results are NaN. values or indices may be NULL. Always new tensors. */
STREW_API strew_status strew_cummax(strew_tensor *tensor, int dim, strew_tensor **values, strew_tensor **indices,
                                    strew_error *error);
STREW_API strew_status strew_cummin(strew_tensor *tensor, int dim, strew_tensor **values, strew_tensor **indices,
                                    strew_error *error);
typedef struct strew_sort_options {
  bool descending;
  uint64_t reserved[4];
} strew_sort_options;
typedef struct strew_topk_options {
  bool smallest; /* instead of the largest */
  uint64_t reserved[4];
} strew_topk_options;
/* Sort along dim: the values in order, and their indices along dim (int64). Stable; NaN is the largest, and -0 equals
   +0. strew_topk_with makes the k largest, in order, along a dim of size k; k is at most the size of dim in tensor
   (STREW_EARGUMENT). *values and *indices behave as *out; values or indices may be NULL if that result is not
   needed. */
STREW_API strew_status strew_sort_with(strew_tensor *tensor, int dim, const strew_sort_options *options,
                                       strew_tensor **values, strew_tensor **indices, strew_error *error);
STREW_API strew_status strew_topk_with(strew_tensor *tensor, int64_t k, int dim, const strew_topk_options *options,
                                       strew_tensor **values, strew_tensor **indices, strew_error *error);
/* The distinct values in ascending order, 1-D. inverse: each element's index among them (int64, of tensor's shape);
   counts: the number of elements per value (int64). inverse and counts may be NULL. Always new tensors. */
STREW_API strew_status strew_unique(strew_tensor *tensor, strew_tensor **values, strew_tensor **inverse,
                                    strew_tensor **counts, strew_error *error);
typedef struct strew_softmax_options {
  bool logarithm; /* of the result, without underflow */
  uint64_t reserved[4];
} strew_softmax_options;
/* Softmax along dim: exponentials that add up to 1. The largest element is subtracted first, so that nothing overflows;
   sums are those of strew_reduce_with. Floats (STREW_EDTYPE). Always a new tensor. */
STREW_API strew_status strew_softmax_with(strew_tensor *tensor, int dim, const strew_softmax_options *options,
                                          strew_tensor **out, strew_error *error);

typedef struct strew_quantile_options {
  const int *dim; /* NULL: of all elements */
  bool keepdim;   /* the dimension, or all of them, stay with size 1 */
  strew_interpolation interpolation;
  uint64_t reserved[4];
} strew_quantile_options;
/* The q-quantile, as NumPy's. q: a number 0..1, or a tensor of them of tensor's dtype and rank 0 or 1; rank 1 adds a
   first dimension of its size (STREW_EVALUE, STREW_ESHAPE, STREW_EDTYPE). The rank is q * (n - 1), rounded to tensor's
   dtype, for 16-bit floats to float32: n is at most 2^24 unless the dtype is float64 (STREW_ESHAPE, also for n 0).
   Between elements a and b the result is a + (b - a) * t, or from t = 0.5 on b - (b - a) * (1 - t), without overflow
   between finite ones; between equal elements, the element. NaN if one is NaN. Floats (STREW_EDTYPE). Always a new
   tensor. */
STREW_API strew_status strew_quantile_with(strew_tensor *tensor, strew_operand q, const strew_quantile_options *options,
                                           strew_tensor **out, strew_error *error);

typedef struct strew_searchsorted_options {
  bool right; /* after equal elements, instead of before them */
  uint64_t reserved[4];
} strew_searchsorted_options;
/* The position of each value in `sorted`, which ascends along its last dimension: the number of smaller elements
   (right: smaller or equal); int64, of the values' shape. NaN is the largest. sorted: one dimension, for values of any
   shape or a number, which compares by its value; or the values' sizes except the last (STREW_ESHAPE). Two dtypes are
   promoted.
   If a line is not sorted, the result is unspecified, but the same on every device. strew_bucketize_with is the same
   for boundaries of one dimension. */
STREW_API strew_status strew_searchsorted_with(strew_tensor *sorted, strew_operand values,
                                               const strew_searchsorted_options *options, strew_tensor **out,
                                               strew_error *error);
STREW_API strew_status strew_bucketize_with(strew_operand values, strew_tensor *boundaries,
                                            const strew_searchsorted_options *options, strew_tensor **out,
                                            strew_error *error);
typedef struct strew_isin_options {
  bool invert; /* true where no element is equal */
  uint64_t reserved[4];
} strew_isin_options;
/* For each of `elements`, of any shape: true if one of test_elements, of any shape, is equal by value, whatever the two
   dtypes: an integer that a float rounds to is not equal to it. NaN equals nothing. Always a new tensor of bools. */
STREW_API strew_status strew_isin(strew_tensor *elements, strew_tensor *test_elements,
                                  const strew_isin_options *options, strew_tensor **out, strew_error *error);
/* The positions of non-zero elements in row-major order: int64[count, rank], a new tensor. Waits for the device. */
STREW_API strew_status strew_nonzero(strew_tensor *tensor, strew_tensor **out, strew_error *error);

/* Products of matrices and vectors. MATMUL is PyTorch's: ranks 1 to 16, leading dimensions broadcast. The others take
   fixed ranks: MM (2, 2), MV (2, 1), DOT (1, 1). Each float is the chain s = fma(a[k], b[k], s) in order of k, from +0,
   and rounded once to a 16-bit float; DOT adds rounded products in the order of a sum. Integers wrap.
   STREW_ESHAPE: invalid ranks, or sizes that do not match; STREW_EDTYPE: different dtypes, or bool. */
typedef enum strew_product { STREW_MATMUL, STREW_MM, STREW_MV, STREW_DOT, STREW_PRODUCT_COUNT } strew_product;
STREW_API strew_status strew_matmul(strew_product kind, strew_tensor *a, strew_tensor *b, strew_tensor **out,
                                    strew_error *error);

/* The exact sum of the products of two lines of floats (see "Exact sums"), by the rules of STREW_DOT. */
STREW_API strew_status strew_exact_dot(strew_tensor *a, strew_tensor *b, strew_tensor **out, strew_error *error);

/* Small linear algebra: batches of matrices, the last two dimensions of `tensor` (STREW_ESHAPE: fewer; not square, where
   they must be), of a float dtype (STREW_EDTYPE). 16-bit floats are computed as float32, and results rounded once.
   Every number is the result of operations in an order that the sizes and the elements of its matrix decide: the same
   bits on every device and thread count. One thread computes a matrix. The CPU computes those of other devices, which
   are copied there and back. Results have the tensor's batch dimensions, dtype and device, and behave as *out; where
   there are several, those that are NULL are not wanted. STREW_EVALUE: a matrix has no result; the error's position is
   its place in the batch, and nothing is written. */
typedef struct strew_linalg_options {
  bool upper; /* strew_cholesky: the upper factor, of the upper triangle; strew_eigh: the upper triangle is read */
  bool full;  /* strew_qr, strew_svd: square orthogonal matrices, instead of those that the product needs */
  uint64_t reserved[4];
} strew_linalg_options;
/* x with a x = b, by elimination with exchanges of rows. a: [..., n, n]; b: [n], or [..., n, k], whose leading
   dimensions broadcast with a's (STREW_ESHAPE); of one dtype. STREW_EVALUE: a pivot is 0. */
STREW_API strew_status strew_solve(strew_tensor *a, strew_tensor *b, strew_tensor **out, strew_error *error);
/* The inverse, [..., n, n], with the bits of strew_solve of the identity. STREW_EVALUE: a pivot is 0. */
STREW_API strew_status strew_inv(strew_tensor *tensor, strew_tensor **out, strew_error *error);
/* The determinant, [...]: the product of the pivots of elimination, in the order of a fold; 0 if one is 0.
   strew_slogdet: its sign (0 if it is 0), and the logarithm of its magnitude: the sum of the pivots' logarithms. */
STREW_API strew_status strew_det(strew_tensor *tensor, strew_tensor **out, strew_error *error);
STREW_API strew_status strew_slogdet(strew_tensor *tensor, strew_tensor **sign, strew_tensor **logabsdet,
                                     strew_error *error);
/* Lower L with L L^T = tensor, symmetric, by its lower triangle; options->upper: upper U with U^T U = tensor, by its
   upper one. [..., n, n]. STREW_EVALUE: a pivot is not above 0, so that it is not positive definite. */
STREW_API strew_status strew_cholesky(strew_tensor *tensor, const strew_linalg_options *options, strew_tensor **out,
                                      strew_error *error);
/* Q R = tensor, [..., m, n], by reflections; the signs are LAPACK's. q: [..., m, k] with orthonormal columns; r:
   [..., k, n], upper triangular. k is the least of m and n; options->full: m. */
STREW_API strew_status strew_qr(strew_tensor *tensor, const strew_linalg_options *options, strew_tensor **q,
                                strew_tensor **r, strew_error *error);
/* Eigenvalues, [..., n], ascending, and eigenvectors, [..., n, n], orthonormal columns, of symmetric matrices, of which
   one triangle is read. By a tridiagonal matrix and the QL method. A vector's sign is either one. STREW_EVALUE: an
   element is not finite. */
STREW_API strew_status strew_eigh(strew_tensor *tensor, const strew_linalg_options *options, strew_tensor **values,
                                  strew_tensor **vectors, strew_error *error);
/* Singular values, [..., k] with k the least of m and n, descending, and u diag(s) vh = tensor, [..., m, n]. u:
   [..., m, k], vh: [..., k, n]; options->full: [..., m, m] and [..., n, n]. By reflections and one-sided Jacobi
   rotations. Signs of pairs of vectors are either one. STREW_EVALUE: an element is not finite. */
STREW_API strew_status strew_svd(strew_tensor *tensor, const strew_linalg_options *options, strew_tensor **u,
                                 strew_tensor **s, strew_tensor **vh, strew_error *error);

/* -------------------------------------------------------------------------------------------- the scatter family */

/* Adds alpha * source, rounded to self's dtype, as the calls along one dimension of strew_core.h join it. Integers wrap:
   alpha is a whole number, or a boolean for bool (STREW_EARGUMENT). An alpha other than 1 needs scratch of source's
   size. */
STREW_API strew_status strew_index_add_with(strew_tensor *self, int dim, strew_tensor *index, strew_tensor *source,
                                            strew_scalar alpha, const strew_index_options *options, strew_tensor **out,
                                            strew_error *error);

/* Rows of self: what an index for each of its first dimensions addresses, that is, elements or tensors of its other
   dimensions. They are joined in row-major order of the index. Errors name "indices[1]", "indices[2]", ... or the
   coordinate in indices. Other rules and errors: as for strew_scatter.
   Scratch: two or more indices, or coordinates, are checked and joined in one pass into an int64 position for each row.
   Beyond that, an operand is copied only if its strides do not allow a view: an index, and source, values or updates,
   as one dimension of rows (this includes values that repeat along a part of the index's dimensions); self with its
   addressed dimensions as one. */

/* self[indices[0][c], indices[1][c], ...] joins values[c], as in NumPy and torch.Tensor.index_put_. The `count` indices
   broadcast together (STREW_ESHAPE); values, a number or a tensor, broadcasts to their shape and self's other sizes. A
   bool index stands for the positions of its true elements, one index for each of its dimensions, which must have the
   sizes of those that it addresses; it waits for the device. One of rank 0 addresses no dimension: it stands for all of
   self, once if true, else not at all, and adds a first dimension of size 1 or 0 to the rows' shape. */
STREW_API strew_status strew_index_put(strew_tensor *self, int count, strew_tensor *const *indices,
                                       strew_operand values, const strew_scatter_options *options, strew_tensor **out,
                                       strew_error *error);
/* Reads these rows, of the indices' common shape and self's other sizes, as torch.Tensor's t[i, j]. */
STREW_API strew_status strew_index_get(strew_tensor *self, int count, strew_tensor *const *indices,
                                       const strew_index_options *options, strew_tensor **out, strew_error *error);
/* The rows of self at one index along dimension 0, of index's shape and self's other sizes; or at the true elements of
   a mask (bool) with self's first sizes (STREW_ESHAPE), in row-major order; a mask of rank 0 adds a first dimension of
   size 1, or of size 0 if it is false, as in NumPy. strew_set_rows writes value in place: a number, or a tensor that
   broadcasts to these rows (STREW_ESHAPE). In scripts: t[index], t[index] = v. strew_set_row does so at one position, -1
   the last: t[i] = v; value on any device, no floats for integers (STREW_EDTYPE), integers that self's dtype holds
   (STREW_EVALUE); strew_copy converts. */
STREW_API strew_status strew_get_rows(strew_tensor *self, strew_tensor *index, strew_tensor **out, strew_error *error);
STREW_API strew_status strew_set_rows(strew_tensor *self, strew_tensor *index, strew_operand value, strew_error *error);
STREW_API strew_status strew_set_row(strew_tensor *self, int64_t position, strew_operand value, strew_error *error);
/* index holds positions of self's elements in row-major order. strew_take_with reads them into out, of index's shape.
   strew_put joins source to them, which has as many elements as index, in row-major order. */
STREW_API strew_status strew_take_with(strew_tensor *self, strew_tensor *index, const strew_index_options *options,
                                       strew_tensor **out, strew_error *error);
STREW_API strew_status strew_put(strew_tensor *self, strew_tensor *index, strew_tensor *source,
                                 const strew_scatter_options *options, strew_tensor **out, strew_error *error);
/* As ONNX's ScatterND and GatherND: the last dimension of indices holds the coordinates of a row, in self's first
   dimensions. updates, and strew_gather_nd_with's result, have the shape of indices without its last size, then self's
   other sizes (STREW_ESHAPE). strew_scatter_nd_new: self is a new tensor of zeros of `sizes`, of updates' dtype and
   device; messages call it "shape". batch_dims: the number of leading dimensions that indices and self share
   (STREW_ESHAPE); coordinates address the dimensions after them. */
STREW_API strew_status strew_scatter_nd(strew_tensor *self, strew_tensor *indices, strew_tensor *updates,
                                        const strew_scatter_options *options, strew_tensor **out, strew_error *error);
STREW_API strew_status strew_scatter_nd_new(int rank, const int64_t *sizes, strew_tensor *indices,
                                            strew_tensor *updates, const strew_scatter_options *options,
                                            strew_tensor **out, strew_error *error);
STREW_API strew_status strew_gather_nd_with(strew_tensor *self, strew_tensor *indices, int batch_dims,
                                            const strew_index_options *options, strew_tensor **out, strew_error *error);
/* mask is bool (STREW_EDTYPE) and broadcasts with self (STREW_ESHAPE); in place, to self. strew_masked_select: the
   elements where it is true, in row-major order, 1-D. strew_masked_scatter: replaces them, in that order, by the first
   elements of source; it has at least as many (STREW_ESHAPE), of self's dtype (STREW_EDTYPE). Both wait for the
   device. */
STREW_API strew_status strew_masked_select(strew_tensor *self, strew_tensor *mask, strew_tensor **out,
                                           strew_error *error);
STREW_API strew_status strew_masked_scatter(strew_tensor *self, strew_tensor *mask, strew_tensor *source,
                                            strew_tensor **out, strew_error *error);

/* The groups of a call: those of an index, of a grouping, or of ends. The others are NULL. An index broadcasts to src: of
   one dimension, it lies along dim; of more, it is aligned with src's first dimensions; sizes 1 expand (STREW_ESHAPE).
   Ends (messages call them indptr) and a sorted index give segments, see there: dim is their last dimension. */
typedef struct strew_groups {
  strew_tensor *index;
  strew_grouping *grouping;
  strew_tensor *ends;
  bool is_sorted; /* the index is */
} strew_groups;
STREW_INLINE strew_groups strew_by_index(strew_tensor *index) {
  strew_groups groups;
  groups.index = index;
  groups.grouping = NULL;
  groups.ends = NULL;
  groups.is_sorted = false;
  return groups;
}
STREW_INLINE strew_groups strew_by_grouping(strew_grouping *grouping) {
  strew_groups groups = strew_by_index(NULL);
  groups.grouping = grouping;
  return groups;
}
STREW_INLINE strew_groups strew_by_ends(strew_tensor *ends) {
  strew_groups groups = strew_by_index(NULL);
  groups.ends = ends;
  return groups;
}
STREW_INLINE strew_groups strew_by_sorted(strew_tensor *index) {
  strew_groups groups = strew_by_index(index);
  groups.is_sorted = true;
  return groups;
}

/* Reductions of groups, and what each takes besides dim, dim_size, mode and skip_nan. Without elements a group is 0,
   unless another value is given here. */
typedef enum strew_group_reduction {
  STREW_GROUP_SUM,       /* out, fill, dtype */
  STREW_GROUP_PROD,      /* out, fill, dtype; empty: 1 */
  STREW_GROUP_MEAN,      /* out, fill, dtype; integers round toward minus infinity */
  STREW_GROUP_VAR,       /* dtype, correction, biased; floats, or any src with STREW_FLOAT64. Computed in float64, about
                            the mean; from float64 elements the first one of their group is subtracted before. Squares
                            divided by max(count - correction, 1) */
  STREW_GROUP_STD,       /* the same; torch_scatter's sqrt(squares / (divisor + 1e-6)) */
  STREW_GROUP_MIN,       /* out, arg, fill; dtype: src's own */
  STREW_GROUP_MAX,       /* out, arg, fill; dtype: src's own */
  STREW_GROUP_ANY,       /* out; bool: true if an element is not 0 */
  STREW_GROUP_ALL,       /* out; bool: true if no element is 0; empty: true */
  STREW_GROUP_FIRST,     /* fill; the element of the lowest position along dim */
  STREW_GROUP_LAST,      /* fill; the element of the highest position along dim */
  STREW_GROUP_MEDIAN,    /* fill; the lower one of two in the middle; empty: NaN, of integers 0 */
  STREW_GROUP_QUANTILE,  /* fill, q, interpolation; as strew_quantile_with, ranks in float64; empty: as for a median.
                            Integers and bools: not STREW_LINEAR and STREW_MIDPOINT (STREW_EDTYPE) */
  STREW_GROUP_COUNT,     /* int64; src NULL: the elements of the grouping, or of the index, which may have any shape */
  STREW_GROUP_NUNIQUE,   /* int64: the number of different values; all NaN are equal, and both zeros */
  STREW_GROUP_LOGSUMEXP, /* out, fill; floats */
  STREW_GROUP_LOWER_MEDIAN, /* as STREW_GROUP_MEDIAN, which differs in strew_grouping_aggregate_with */
  STREW_GROUP_REDUCTION_COUNT
} strew_group_reduction;
/* All zeros are the defaults. */
typedef struct strew_group_reduce_options {
  const int *dim;           /* of src; NULL: the last */
  const int64_t *dim_size;  /* the number of groups; NULL: the size of *out, or max(index) + 1; not of a grouping */
  const strew_scalar *fill; /* value of groups without elements */
  const strew_dtype *dtype; /* that src is converted to, as by strew_to: STREW_FLOAT64, or for sums, products and means
                               of integers and bools STREW_INT64; NULL: its own */
  double q;                 /* 0..1 (STREW_EVALUE) */
  strew_interpolation interpolation;
  strew_mode mode;          /* STREW_ERROR for a grouping, whose ids are checked */
  bool skip_nan;            /* elements that are NaN belong to no group; their index values are checked like others */
  bool exact;               /* sum, mean, var and std of floats: see "Exact sums" */
  bool biased;              /* the same as a correction of 0, unless that is given */
  const double *correction; /* of a variance; NULL: 1 */
  uint64_t reserved[7];
} strew_group_reduce_options;
/* The group form, as torch_scatter.scatter: row index[c] of the result reduces all src[c]. The result has src's sizes
   except along dim, where it has one for each group, and src's dtype, options->dtype, or the one that is stated above.
   Integers wrap in it. options NULL: all zeros.
   *out given: it takes part. A sum adds to it, a mean is (out + sum) / count. Rows without contributions keep their
   values; fill is then STREW_EARGUMENT. It may not overlap src or index (STREW_EOVERLAP).
   arg: NULL, or receives a new int64 tensor of the result's shape: the position along dim of the first winner (the first
   NaN); src.size(dim) if there is none or *out wins.
   Text and times: minima, maxima, first and last elements, counts and numbers of different values, by their order. The
   empty word and NaT are what NaN is to floats for skip_nan, and the result of a group without elements; a minimum or
   maximum of NaT is NaT. fill: a scalar of times, or strew_string. Times also have means and quantiles, the nearest
   microseconds, halves to even, NaT of a group with NaT, new tensors but of ends and sorted indices; and variances and
   deviations, those of the seconds since the least of all, float64.
   STREW_EARGUMENT: an option that the reduction does not take; src NULL. STREW_EDTYPE: src or options->dtype is of a
   wrong dtype. STREW_ESHAPE: src's size along dim is not the grouping's length. STREW_EMEMORY names the largest index
   value if the result is too large. Other rules and errors: as for strew_scatter. */
STREW_API strew_status strew_group_reduce(strew_groups groups, strew_group_reduction reduction, strew_tensor *src,
                                          const strew_group_reduce_options *options, strew_tensor **out,
                                          strew_tensor **arg, strew_error *error);
/* The number of the group of each element, as strew_group_reduce sees them: int64, of src's shape (of rank 1, if that is
   0), -1 for elements without a group. Of the options dim, dim_size, mode and skip_nan count. Always a new tensor. */
STREW_API strew_status strew_group_ids(strew_groups groups, strew_tensor *src,
                                       const strew_group_reduce_options *options, strew_tensor **out,
                                       strew_error *error);
/* Softmax, or its logarithm, within each group; of src's shape. Elements without a group (STREW_DROP) give 0. Floats
   (STREW_EDTYPE). Always a new tensor. */
typedef struct strew_group_softmax_options {
  const int *dim;          /* of src; NULL: the last */
  const int64_t *dim_size; /* the number of groups; NULL: max(index) + 1; not of a grouping */
  strew_mode mode;         /* STREW_ERROR for a grouping */
  bool logarithm;
  uint64_t reserved[4];
} strew_group_softmax_options;
STREW_API strew_status strew_group_softmax_with(strew_groups groups, strew_tensor *src,
                                                const strew_group_softmax_options *options, strew_tensor **out,
                                                strew_error *error);

/* Segments of consecutive elements, the groups of strew_by_ends and strew_by_sorted. The last dimension of ends, index,
   lengths or offsets is the dimension of src along which they lie; its other dimensions are src's first ones, and sizes
   1 broadcast (STREW_ESHAPE). They hold integers (STREW_EDTYPE). The first value that breaks a rule below is STREW_EINDEX;
   the error has its position, and nothing is written. The bits are those of an index.

   By ends, as torch_scatter.segment_csr: segment i is src[ends[i]] to src[ends[i + 1] - 1]. Ends may not decrease, and
   are 0 to the size of src; elements before the first and after the last one are in no segment. Ends of size 0 have no
   segments, nor have ends of size 1. Every reduction takes *out, which is overwritten. dim and dim_size, if given, are
   those of the ends (STREW_ESHAPE). Sums, products, means and extremes that skip no NaN, and sums and means that are not
   exact, make no index of src's size.
   By a sorted index, as torch_scatter.segment_coo: its values do not decrease along its last dimension, the rest is as
   for any index. Scratch of such reductions into a new result: an int64 for each segment. */

/* As torch.segment_reduce: segments by lengths, which are not negative and add up to the size of data (STREW_ESHAPE),
   or by offsets, as ends above; the other one is NULL (STREW_EARGUMENT). axis: the segments' dimension
   (STREW_ESHAPE). initial: NULL, or of sums, products, means and extremes (STREW_EARGUMENT) joined with each segment
   first, uncounted by a mean. Of these an empty segment is options->fill, else initial, else 0, for STREW_GROUP_PROD 1,
   for a mean of floats NaN, for extremes the identity: an infinity, or the lowest or highest integer. Scratch: an int64
   for each length. */
STREW_API strew_status strew_segment_reduce_with(strew_tensor *data, strew_tensor *lengths, strew_tensor *offsets,
                                                 int axis, strew_group_reduction reduction, const strew_scalar *initial,
                                                 const strew_group_reduce_options *options, strew_tensor **out,
                                                 strew_error *error);
typedef struct strew_range_options {
  int64_t window; /* without starts and ends: all ranges of that many rows, 0 to the rows of src */
  bool mean;      /* NaN of no elements; else sums */
  bool skip_nan;  /* elements that are NaN do not count */
  uint64_t reserved[4];
} strew_range_options;
/* Exact sums, or means, of ranges of rows of src, floats or, for means, times (STREW_EDTYPE), which may overlap (see "Exact
   sums"): of rows starts[i] .. ends[i] - 1 in row i of the result, which has src's other dimensions and dtype. starts and ends: 1-D,
   of one size, values 0 to the rows of src, ends[i] at least starts[i] (STREW_EINDEX, STREW_EARGUMENT); both NULL:
   windows. The time does not depend on the lengths. Scratch: 8 bytes for each element of src and of the result. */
STREW_API strew_status strew_sum_ranges(strew_tensor *src, strew_tensor *starts, strew_tensor *ends,
                                        const strew_range_options *options, strew_tensor **out, strew_error *error);
/* The inverse of strew_by_ends: repeats the value of each segment for all of its elements. indptr begins with
   0, does not decrease, and has one element more than src along the segments' dimension; its last value is the result's
   size there. If src has size 0 there, indptr may have size 0, too, and the result has. */
STREW_API strew_status strew_gather_csr(strew_tensor *src, strew_tensor *indptr, strew_tensor **out,
                                        strew_error *error);
/* The same by a sorted index: out[i] = src[index[i]] along the last dimension of index. */
STREW_API strew_status strew_gather_coo(strew_tensor *src, strew_tensor *index, strew_tensor **out, strew_error *error);

/* The number of elements of each value 0, 1, ... in self (integers, one dimension), or the sums of their weights:
   int64, or the weights' dtype; max(self) + 1 of them, at least minlength. weights may be NULL. Always a new tensor.
   STREW_EINDEX: a negative value; STREW_EMEMORY names the largest one. */
STREW_API strew_status strew_bincount(strew_tensor *self, strew_tensor *weights, int64_t minlength, strew_tensor **out,
                                      strew_error *error);
/* The number of elements in each of `bins` equal parts of min..max, of self's dtype (floats; STREW_EDTYPE). Elements
   out of range are not counted. min == max: the elements' own range; if they are all equal, the middle part counts
   them. STREW_EVALUE: a range that is not finite, or that the dtype cannot hold. Always a new tensor. */
STREW_API strew_status strew_histc(strew_tensor *self, int64_t bins, double min, double max, strew_tensor **out,
                                   strew_error *error);
/* Counts points in bins along `count` coordinates, 1..STREW_MAX_RANK, of one shape. edges[d], of coordinates[d]'s dtype
   (STREW_EDTYPE) and one dimension of at least two, ascends without NaN (STREW_EVALUE). A bin has its lower edge; the
   last one has both. *counts: the points of each bin, int64[bins of dimension 0, ...], or the sums of their weights,
   which have the coordinates' shape. *bins: the row-major number of each point's bin, -1 outside of all; int64, of the
   coordinates' shape. Either may be NULL, and so may weights. Always new tensors. STREW_ESHAPE: shapes that do not fit,
   or more bins than int64 counts. */
STREW_API strew_status strew_histogram(int count, strew_tensor *const *coordinates, strew_tensor *const *edges,
                                       strew_tensor *weights, strew_tensor **counts, strew_tensor **bins,
                                       strew_error *error);

/* ----------------------------------------------------------------------------------------------------- groupings */

/* A grouping assigns each of its elements to a numbered group. It never changes. Its derived tensors (counts, order,
   ...) are made when first needed, and kept. It belongs to one device. */

/* How groups of keys are numbered: by ascending key, or by the positions of their first elements. */
typedef enum strew_key_order { STREW_KEYS_SORTED, STREW_KEYS_FIRST } strew_key_order;

/* A grouping of ids: a tensor of rank 0 or 1, as an index of the group form along one dimension. It is copied, and its
   values are checked now. Elements that STREW_DROP skips belong to no group; their id is -1. Errors: as for
   strew_group_reduce. */
typedef struct strew_grouping_options {
  const int64_t *dim_size; /* the number of groups; NULL: the largest id + 1 */
  strew_mode mode;
  uint64_t reserved[4];
} strew_grouping_options;
STREW_API strew_status strew_grouping_create_with(strew_tensor *index, const strew_grouping_options *options,
                                                  strew_grouping **out, strew_error *error);
/* A grouping by `count` keys, 1-D tensors of one length and any dtypes (STREW_EARGUMENT: none; STREW_ESHAPE): elements
   whose keys are all equal share a group. Floats compare by value: all NaN are equal, greater than any number, and -0
   equals +0; all NaT are equal, and last; words are in the order of their bytes, or of their list. Several keys sort as a dictionary does, by the first one first. The same on every device and number of
   threads. Scratch on the CPU: a table of at most 64 MiB; for integers and floats of a wide range 8 bytes for each
   element, and 50 for each group and thread, or, if most elements begin a group, 50 more for each element. */
typedef struct strew_group_by_options {
  strew_key_order order;
  uint64_t reserved[4];
} strew_group_by_options;
STREW_API strew_status strew_group_by_with(int count, strew_tensor *const keys[], const strew_group_by_options *options,
                                           strew_grouping **out, strew_error *error);
STREW_API strew_grouping *strew_grouping_retain(strew_grouping *grouping); /* returns its argument */
STREW_API void strew_grouping_release(strew_grouping *grouping);           /* NULL is fine */
STREW_API int64_t strew_grouping_size(const strew_grouping *grouping);     /* the number of groups */
STREW_API int64_t strew_grouping_length(const strew_grouping *grouping);   /* the number of elements */
STREW_API strew_device *strew_grouping_device(const strew_grouping *grouping);
STREW_API bool strew_grouping_drops(const strew_grouping *grouping); /* true if elements belong to no group */
/* Tensors of the grouping, int64 and 1-D, with a reference for the caller. No call writes to them (STREW_EOVERLAP), and
   neither may a host through strew_data: the ids are not checked again.
     ids        the number of each element's group, or -1. (A grouping of keys on the CPU holds 1, 2 or 4 bytes for
                each element, which strew_group_reduce and strew_grouping_..._with read if src is 1-D; the 8 are made
                when they are first needed.)
     counts     the number of elements of each group
     positions  the position of each group's first element; of an empty group the number of elements
     order      positions of all elements that have a group, group after group, ascending within each
     starts     where each group begins in this order, then the end: one more than the groups */
STREW_API strew_status strew_grouping_ids(strew_grouping *grouping, strew_tensor **out, strew_error *error);
STREW_API strew_status strew_grouping_counts(strew_grouping *grouping, strew_tensor **out, strew_error *error);
STREW_API strew_status strew_grouping_positions(strew_grouping *grouping, strew_tensor **out, strew_error *error);
STREW_API strew_status strew_grouping_order(strew_grouping *grouping, strew_tensor **out, strew_error *error);
STREW_API strew_status strew_grouping_starts(strew_grouping *grouping, strew_tensor **out, strew_error *error);
/* The number of keys, 0 for a grouping of ids; and key `which` of each group, as its first element has it: of the key's
   dtype. Not to be written either. STREW_EARGUMENT: no such key. */
STREW_API int strew_grouping_key_count(const strew_grouping *grouping);
STREW_API strew_status strew_grouping_key(strew_grouping *grouping, int which, strew_tensor **out, strew_error *error);
/* The grouping on another device, which belongs to any context; `grouping` itself, retained, if it is there. */
STREW_API strew_status strew_grouping_to(strew_grouping *grouping, strew_device *device, strew_grouping **out,
                                         strew_error *error);

/* Several reductions at once: out[i], always new, is that of aggregates[i]; all of them, or none if one fails. As by
   strew_group_reduce, except that nothing wraps, and nothing is taken for a number:
     integers, bools   without options.dtype a sum or product is int64 (of unsigned ones: uint64), and a mean float64: the
                       exact sum, rounded once, divided by the count. A sum or product whose exact value the dtype cannot hold
                       is STREW_EVALUE; the error's value is the group.
                       A variance, deviation, median, or quantile between elements is float64, of src as float64.
     median            the mean of the two in the middle; STREW_GROUP_LOWER_MEDIAN the lower one, of src's dtype.
     var, std          squares / (count - correction), and its root; NaN unless the count is more than the correction.
     empty groups      without options.fill a result in floats is NaN, but for sums, products and logsumexp; also that of
                       a group whose elements are all NaN, with options.skip_nan.
   Sums, products, means and extremes of 1-D tensors share one pass over the ids on the CPU. Sums of 64-bit elements that
   are large enough to wrap take a second pass; products always do. */
typedef struct strew_group_aggregate {
  strew_tensor *src; /* NULL, for STREW_GROUP_COUNT: all elements */
  strew_group_reduction reduction;
  strew_group_reduce_options options; /* without dim_size and mode */
} strew_group_aggregate;
STREW_API strew_status strew_grouping_aggregate_with(strew_grouping *grouping, int64_t count,
                                                     const strew_group_aggregate aggregates[], strew_tensor *out[],
                                                     strew_error *error);
/* The positions of the elements of src, 1-D (STREW_ESHAPE), that have a group: group after group, within each in
   strew_sort_with's order, ties by position. Always a new tensor. */
STREW_API strew_status strew_grouping_argsort_with(strew_grouping *grouping, strew_tensor *src,
                                                   const strew_sort_options *options, strew_tensor **out,
                                                   strew_error *error);
/* For each element of src its rank in this order within its group, from 0 on; -1: it has no group. int64, always a new
   tensor. */
STREW_API strew_status strew_grouping_rank(strew_grouping *grouping, strew_tensor *src,
                                           const strew_sort_options *options, strew_tensor **out, strew_error *error);
/* Of each group the positions of the k greatest elements of src, 1-D (STREW_ESHAPE), or the least, as strew_sort_with
   orders them, ties by position; of a smaller group those of all. Group after group, the greatest (least) first; and the
   groups that they belong to; NULL: not wanted. Always new tensors. STREW_EARGUMENT: k is negative. */
STREW_API strew_status strew_grouping_topk_with(strew_grouping *grouping, strew_tensor *src, int64_t k,
                                                const strew_topk_options *options, strew_tensor **positions,
                                                strew_tensor **groups, strew_error *error);
/* Sums within each group up to each element, which is added to the one before it, in order of positions, from +0 on; of
   src's length. src: 1-D (STREW_ESHAPE). Integers and bools give int64, unsigned ones uint64; STREW_EVALUE: a sum leaves
   it, the error's value is the group. Elements without a group give 0. Always a new tensor. Computed on the CPU, whatever
   the device. */
STREW_API strew_status strew_grouping_cumsum(strew_grouping *grouping, strew_tensor *src, strew_tensor **out,
                                             strew_error *error);
/* For each element of src, 1-D (STREW_ESHAPE), the one n before it in its group in order of positions, n negative: behind
   it; `fill` where there is none, or no group. STREW_EVALUE: src's dtype cannot hold fill; STREW_EDTYPE: text or times.
   Always a new tensor. Computed on the CPU, whatever the device. */
STREW_API strew_status strew_grouping_shift(strew_grouping *grouping, strew_tensor *src, int64_t n, strew_scalar fill,
                                            strew_tensor **out, strew_error *error);

/* A growing table of distinct keys of `columns` columns (1 or more), numbered in order of appearance: groups of data
   that come in chunks. A hash table in host memory: 8 bytes for each column of a key, and 32 to 64 for its place. Equal
   keys are compared, not only their hashes. Floats compare by value: all NaN are one key, and both zeros. */
typedef struct strew_key_table strew_key_table;
STREW_API strew_status strew_key_table_create(strew_context *context, int columns, strew_key_table **out,
                                              strew_error *error);
STREW_API void strew_key_table_release(strew_key_table *table); /* NULL is fine */
/* The ids of keys as int64[n] on the keys' device, a new tensor: row i of the table's columns is keys[0][i],
   keys[1][i], ..., tensors [n] of one length and device (STREW_ESHAPE, STREW_EDEVICE). New keys get the next numbers,
   in order of appearance. The first call decides the columns' dtypes (STREW_EDTYPE). A call that fails adds no key. On
   a device other than the CPU its distinct keys are found there, and only those are copied to the host. */
STREW_API strew_status strew_key_table_ids(strew_key_table *table, strew_tensor *const keys[], strew_tensor **out,
                                           strew_error *error);
STREW_API int strew_key_table_columns(const strew_key_table *table);
STREW_API int64_t strew_key_table_size(const strew_key_table *table); /* the number of keys */
/* Column i of the keys by id, a new tensor on `device`, of the dtype of that column: the first of equal keys, but NaN
   and zero without sign. Before the first strew_key_table_ids: float32[0]. STREW_EINDEX: no column i. */
STREW_API strew_status strew_key_table_keys(const strew_key_table *table, int i, strew_device *device,
                                            strew_tensor **out, strew_error *error);

/* n exact sums that grow (see "Exact sums"): each is the real number that its terms add up to, whatever the order of the
   calls, of the terms and of merges. Memory: 9 bytes for each sum, and 4 for each 32 bits between the highest and the
   lowest bit of all sums; with squares twice as many bits. */
typedef struct strew_exact_sums strew_exact_sums;
typedef struct strew_exact_sums_options {
  const strew_dtype
      *dtype;   /* of sums: a float dtype, STREW_INT64 or STREW_UINT64; NULL: of the terms, as they come: the
                               float dtype that all terms have or are promoted to; without floats uint64 of unsigned
                               integers, else int64 */
  bool squares; /* sums of squares, too, which var and std need */
  uint64_t reserved[4];
} strew_exact_sums_options;
/* `device`: of results. n: 0 or more (STREW_EARGUMENT). options NULL: all zeros. */
STREW_API strew_status strew_exact_sums_create(strew_device *device, int64_t n, const strew_exact_sums_options *options,
                                               strew_exact_sums **out, strew_error *error);
STREW_API void strew_exact_sums_release(strew_exact_sums *sums); /* NULL is fine */
typedef struct strew_exact_sums_description {
  int64_t n;
  strew_dtype dtype; /* of strew_exact_sums_result with STREW_GROUP_SUM */
  strew_device *device;
  bool squares;
} strew_exact_sums_description;
STREW_API void strew_exact_sums_describe(const strew_exact_sums *sums, strew_exact_sums_description *out);
/* Adds terms, of any dtype of numbers, on any device: each element of src to the sum that the index names, or to that of
   its group. An index has src's shape or rank 0, or src has rank 0; of two dimensions or more they are one list
   (STREW_ESHAPE). A grouping is of a 1-D src, and has at most n groups (STREW_ESHAPE). Neither given: all elements, if n
   is 1 (STREW_EARGUMENT). Terms are exact whatever their dtype; floats cannot be added to integer sums (STREW_EDTYPE). A
   call that fails adds nothing. Other rules and errors: as for strew_group_reduce. */
typedef struct strew_exact_sums_add_options {
  strew_mode mode; /* of the index; STREW_ERROR for a grouping */
  bool skip_nan;   /* elements that are NaN are not added, nor counted */
  uint64_t reserved[4];
} strew_exact_sums_add_options;
STREW_API strew_status strew_exact_sums_add(strew_exact_sums *sums, strew_tensor *src, strew_groups groups,
                                            const strew_exact_sums_add_options *options, strew_error *error);
/* Adds what `other` has, both with squares or both without (STREW_EARGUMENT), which stays as it is. index NULL: of the
   same n (STREW_ESHAPE); it may be the same. Else adds sum i of `other`, which is not `sums` (STREW_EARGUMENT), to the one
   that index[i] names, of a 1-D index with an element for each (STREW_ESHAPE, STREW_EINDEX). */
STREW_API strew_status strew_exact_sums_merge(strew_exact_sums *sums, const strew_exact_sums *other,
                                              strew_tensor *index, strew_error *error);
/* The sums, means, variances, deviations or counts (STREW_GROUP_SUM, MEAN, VAR, STD, COUNT; STREW_EARGUMENT: another one, or
   no squares), each rounded once; [n], a new tensor on the device of the sums. Counts are int64; sums have the dtype of
   the sums, the others float64 if that is an integer one. Without terms 0, and NaN for mean, var and std. A sum of terms
   that are all -0 and were added without index or grouping is -0, else 0. An integer sum that its dtype cannot hold is
   STREW_EVALUE, with its position. */
typedef struct strew_exact_sums_result_options {
  const strew_dtype *dtype; /* a float dtype, or of integer sums STREW_INT64 or STREW_UINT64; NULL: see above */
  const double *correction; /* var and std divide by max(0, count - correction); NULL: 1 */
  uint64_t reserved[4];
} strew_exact_sums_result_options;
STREW_API strew_status strew_exact_sums_result(const strew_exact_sums *sums, strew_group_reduction reduction,
                                               const strew_exact_sums_result_options *options, strew_tensor **out,
                                               strew_error *error);
/* The state as bytes, uint8 [size], on the device of the sums: equal sums that were made with equal options have equal
   bytes, on every processor. Integers are little-endian:

     0   "strewsum", 8 bytes; 8: version, 1; 9: dtype: 0 none yet, 1 float16, 2 bfloat16, 3 float32, 4 float64, 5 int64,
         6 uint64; 10: flags: 1 squares, 2 dtype was given; 11..15: 0; 16: n, 8 bytes
     24  for each sum: the number of terms, 8 bytes; its kind, 1 byte: 0, 1 NaN, 2 inf, 4 -inf, 8 -0; the sum, of the first
         three kinds 0; with squares that of the squares
     -8  FNV-1a, of 64 bits, of all bytes before

   A sum: the number i of the first word, 1 byte; of words, 1 byte; words of 4 bytes, the lowest first: an integer in
   two's complement, times 2^(32 i - 1074), of squares 2^(32 i - 2148). The lowest word is not 0, nor is the highest one a
   copy of the sign that the next has; 0 has no words, and i 0.

   strew_exact_sums_from_state reads it, with results on `device`: a state that differs in a byte, or is no state that this
   call writes, is STREW_EFILE. Memory is at most 80 times that of the state. */
STREW_API strew_status strew_exact_sums_state(const strew_exact_sums *sums, strew_tensor **out, strew_error *error);
STREW_API strew_status strew_exact_sums_from_state(strew_tensor *state, strew_device *device, strew_exact_sums **out,
                                                   strew_error *error);

/* ------------------------------------------------------------------------------------------------- expressions */

/* A text such as "(x - mean(x)) / std(x)", parsed once: formulas of a host's users, without Lua, that are computed in
   one pass over the inputs instead of one for each operation. Results have the dtypes and bits of the same calls made
   one by one.

   The grammar is that of Lua's expressions, with its precedences: numbers, true, false, names, + - * / // % ^, unary -
   and ~, & | ~, comparisons (which give bools), "and", "or" and "not" (of bools), parentheses and calls:
     functions    the words of strew_unary_op and strew_binary_op; where(c, a, b), clamp(x, low [, high]),
                  masked_fill(x, mask, value), isnan, isinf, isfinite (x), nan_to_num(x [, nan [, posinf [, neginf]]]),
                  isclose(a, b [, rtol [, atol [, equal_nan]]]), which stores a and b; square, reciprocal, trunc, softplus
                  (x), elu(x [, alpha]), leaky_relu(x [, slope]), lerp(x, other, weight), heaviside(x, other),
                  logical_xor(a, b)
     conversions  the words of strew_dtype: float32(x), which is strew_to
     reductions   sum mean var std min max amin amax any all prod (x [, dim [, keepdim]]): strew_reduce_with; dim and keepdim
                  are constants. nansum nanmean nanmax nanmin nanstd leave NaN out; nanstd divides by the count,
                  and nanmax of NaN alone is NaN. Computed first; the result broadcasts
     calls        median nanmedian (x [, dim [, keepdim]]), round(x, digits); of texts and times lower upper trim length
                  (t), contains starts_with ends_with (t, word), match(t, pattern), replace(t, a, b), sub(t, i, j),
                  split(t, separator, k), join_words(a, b [, separator]), floor_time(t, unit),
                  format(t, format), and the parts of times year month day hour minute second weekday day_of_year
                  quarter iso_year iso_week days_in_month (t): a host computes texts with these node by node, as
                  strew.expr does;
                  strew_expr_evaluate and what reads an expression in parts refuse them
     rows         m[i]: the rows of m along dimension 0 that an index tensor chooses; checked as STREW_ERROR
     words        x == "word", x ~= "word": the number that stands for the word in input x, see strew_expr_values; in
                  those calls, where, masked_fill, maximum, minimum and - a value, which makes it a text for a host
   A name that is not called is an input. Operations on numbers alone are computed in int64 or float64 and give numbers.
   Errors that say what was meant: comparisons of a comparison without parentheses, or with what is not bool; & | ~ of a
   comparison and a number; max(x, 0) and its kind with two arguments; "--". There are no comments.

   Limits (STREW_EARGUMENT): 65,536 bytes of text, 1000 different operations, inputs and numbers in all, 200 levels of
   nesting, 64 inputs, 64 words. A message of a text, and of an operation in it, marks the place; that of a text is the
   position of strew_error, in bytes. */
typedef struct strew_expr strew_expr; /* owned by the caller that made it: strew_expr_release */
STREW_API strew_status strew_expr_parse(strew_context *context, const char *text, size_t length, strew_expr **out,
                                        strew_error *error);
STREW_API void strew_expr_release(strew_expr *expr);           /* NULL is fine */
STREW_API const char *strew_expr_text(const strew_expr *expr); /* ended by a zero, as the two below */
/* The names of inputs, in the order of their first use. NULL: no input i. */
STREW_API int strew_expr_input_count(const strew_expr *expr);
STREW_API const char *strew_expr_input(const strew_expr *expr, int i);
/* The words, in the order of their first use; *input is the number of the input that word i is compared with, -1: it is
   compared with something computed, or a value. Comparisons compare codes: `<` needs codes in the order of the words. */
STREW_API int strew_expr_word_count(const strew_expr *expr);
STREW_API const char *strew_expr_word(const strew_expr *expr, int i, int *input);
/* Node i: an operation, or what it takes. A node comes after its operands, and the last one is the result; equal parts
   of the text are one node. False: no node i. */
typedef struct strew_expr_node {
  const char *op;  /* the word of a strew_unary_op, strew_binary_op or strew_fold, or one of where, clamp, masked_fill,
                          to, index, isclose, and, or, not, number, input, word, replacement: the number in place of
                          NaN (`which` 0), inf (1) or -inf (2) in operand 0: operand 1, or that of nan_to_num(x);
                          wide: operand 0 as its mean is computed; like: operand 0 in the float dtype of operand 1;
                          median, nanmedian, round with `dim` digits, calls of texts and times such as lower or sub,
                          and words that are values, which have no operand (is_call) */
  int count;       /* of operands */
  int operands[5]; /* their nodes */
  strew_scalar number; /* of a number */
  int which;           /* the number of the input or word; of "to" the strew_dtype */
  bool has_dim;        /* of a strew_fold or median: over one dimension, not all; of round with digits */
  int dim;
  bool keepdim;
  unsigned char written; /* of a comparison, & | or ~ a sum of: 1, operand 0 is a comparison, so operand 1 must be bool;
                            2, the reverse; 4, it is an operand of a comparison without parentheses: both are bool, or
                            none */
  int at, length;        /* of the operation in the text, in bytes */
  bool is_call;          /* left to the host */
} strew_expr_node;
STREW_API bool strew_expr_node_at(const strew_expr *expr, int i, strew_expr_node *out);
/* Adds the text, with a mark under node i, to the message of a host's own error, such as that of an unknown name. */
STREW_API void strew_expr_mark(const strew_expr *expr, int i, strew_error *error);

/* The values of inputs, in their order; at least one is a tensor, and all tensors are on one device. `codes`: of each
   word, the number that stands for it in its input, -1: none; may be NULL if there are no words. */
typedef struct strew_expr_values {
  const strew_operand *inputs;
  const int64_t *codes;
  bool columns; /* the inputs are columns of a table, for which the rules are those of NumPy: integers of 32 and 64 bits
                   meet floats in float64, and so does what makes floats of them; mean, var and std of integers and
                   bools are float64; sum and prod of unsigned integers uint64, and STREW_EVALUE where 64 bits do not
                   hold those of integers */
  bool unmarked; /* errors of its operations are those of the call, without their places in the text */
  uint64_t reserved[3];
} strew_expr_values;
/* The dtype and shape of the result; sizes has room for STREW_MAX_RANK. Any of them may be NULL. Elements are computed only
   where a check reads them: rows m[i], computed divisors of integers. */
STREW_API strew_status strew_expr_type(const strew_expr *expr, const strew_expr_values *values, strew_dtype *dtype,
                                       int *rank, int64_t *sizes, strew_error *error);
/* The result: written to *out, or a new tensor. *out has the result's shape and a dtype that holds it; it may be an
   input of the result's shape, but not overlap one in another way (STREW_EOVERLAP). On failure nothing is written. */
STREW_API strew_status strew_expr_evaluate(const strew_expr *expr, const strew_expr_values *values, strew_tensor **out,
                                           strew_error *error);
/* The result as a tensor without memory, where the device reads those: what reads its source once and in order (folds, the
   scatter family, segments, groups) computes elements as it goes; any other call stores them first. Inner reductions are
   computed and divisors looked at here, elements when they are read: until then no input may change (an integer divided
   by a 0 that was written since gives 0). The inputs are retained. */
STREW_API strew_status strew_expr_bind(strew_expr *expr, const strew_expr_values *values, strew_tensor **out,
                                       strew_error *error);
/* strew_reduce_with of the result, which on the CPU is not stored. */
STREW_API strew_status strew_expr_reduce(const strew_expr *expr, const strew_expr_values *values, strew_fold fold,
                                         const strew_reduce_options *options, strew_tensor **out, strew_error *error);

/* ------------------------------------------------------------------------------------------------ combinations */

/* A reduction of one's own: accumulators that change with each element, one element after the other, in order: defined
   for combinations that are not associative, with the same bits on every device and number of threads.

   Each accumulator has a name, a first value, and an expression of its next one, which sees all accumulators as they
   were before the element. Its other names are sources; `i` is the position. `finish`, an expression of the
   accumulators, gives the result; NULL: the only accumulator. Neither has reductions, rows (m[i]) or words.

   The dtype of an accumulator, unless given: bool if `init` is one and `combine` gives bools; integers if both are:
   uint64 if `combine` gives it or `self` is, neither self nor a source is signed, and `init` not negative, else int64;
   else a float: float32 if all float sources have at most 32 bits and there are some, else float64. Where uint64 meets
   a signed dtype, both are int64, whose bits wrap; they are not compared. What `combine` gives is converted as by
   strew_to. The result has the dtype that `finish` gives; where no dtype is given and the sources' promoted dtype is a
   16-bit float, a float32 result is rounded to that.

   Limits (STREW_EARGUMENT): 8 accumulators, 10 of them and sources together, 32 operations of a text. */
typedef struct strew_combination strew_combination; /* owned by the caller that made it */
typedef struct strew_accumulator {
  const char *name; /* at most 63 bytes; not "i" */
  strew_scalar init;
  const char *combine;
  const strew_dtype *dtype; /* NULL: see above */
  uint64_t reserved[4];
} strew_accumulator;
STREW_API strew_status strew_combination_create(strew_context *context, int count,
                                                const strew_accumulator accumulators[], const char *finish,
                                                strew_combination **out, strew_error *error);
STREW_API void strew_combination_release(strew_combination *combination); /* NULL is fine */
/* The names of sources, in the order of their first use. NULL: no source i. */
STREW_API const char *strew_combination_source(const strew_combination *combination, int i);
STREW_API bool strew_combination_has_position(const strew_combination *combination); /* true if a text has `i` */

typedef struct strew_combine_options {
  strew_tensor *const
      *sources;             /* in their order, of the shape and device of `elements`; may be NULL if there are none */
  strew_tensor *positions;  /* of each element along dim 0, int64, of one dimension; NULL: 0, 1, ... */
  strew_grouping *grouping; /* of the elements along dim 0 */
  strew_tensor *starts; /* instead: segment s is starts[s] .. starts[s + 1] - 1; int64. Both NULL: a single segment */
  strew_tensor
      *self;    /* what the only accumulator begins with: numbers of the result's shape and category; NULL: init */
  bool partial; /* the result after each element, of the shape of `elements`; without a group: of init */
  uint64_t reserved[4];
} strew_combine_options;
/* Combines elements along dim 0: the result has a row for each group or segment. Always a new tensor. An integer that
   is divided by 0 is STREW_EVALUE with the position and the place in the text. */
STREW_API strew_status strew_combine(const strew_combination *combination, strew_tensor *elements,
                                     const strew_combine_options *options, strew_tensor **out, strew_error *error);

/* ------------------------------------------------------------------------------------------------------- files */

/* An ordered table of named tensors: the contents of .npz, .safetensors and .csv files. */
STREW_API strew_status strew_table_create(strew_context *context, strew_table **out, strew_error *error);
STREW_API void strew_table_release(strew_table *table); /* releases its tensors, too; NULL is fine */
/* Appends a tensor, which is retained and may belong to another context. The name is copied; NULL: its number, "1",
   "2", ... STREW_EVALUE: the table has the name already. */
STREW_API strew_status strew_table_add(strew_table *table, const char *name, strew_tensor *tensor, strew_error *error);
STREW_API int64_t strew_table_count(const strew_table *table);
STREW_API bool strew_table_is_numbered(const strew_table *table); /* true if all names are numbers by default */
/* Entries by number and by name, borrowed from the table; NULL if out of range or not found. */
STREW_API const char *strew_table_name(const strew_table *table, int64_t i);
STREW_API strew_tensor *strew_table_tensor(const strew_table *table, int64_t i);
STREW_API strew_tensor *strew_table_find(const strew_table *table, const char *name);

/* Arrow's C data interface, by which libraries of one process share the columns of tables: structs as its specification
   declares them. A struct is empty if its `release` is NULL. STREW_ARROW_BYTES: room for either, empty if it is zeros. */
struct ArrowArray;
struct ArrowSchema;
enum { STREW_ARROW_BYTES = 80 };
/* Fills two empty structs, which the consumer releases, on any thread. Numbers are shared without a copy if they are
   contiguous and on the CPU; bools become bits, text dictionaries of words with int32 indices; NaN stays NaN. A table of
   one column without a name is a bare array, other tables are structs. STREW_EDTYPE: bfloat16; STREW_ESHAPE: columns
   that are not of one dimension and equal length. */
STREW_API strew_status strew_table_to_arrow(const strew_table *table, struct ArrowArray *array,
                                            struct ArrowSchema *schema, strew_error *error);
/* A struct of arrays ("+s") becomes a table of its columns (x and x_2 if both are x), another array a table of one column
   without a name. Numbers, times in microseconds, times of day and durations (their integers, in the column's unit)
   without missing elements are used in place: read-only tensors, which keep the array until the last one is freed.
   Copied are bools, text (STREW_TEXT, as strew_load makes it), dictionaries of text, dates and other times (STREW_TIME),
   and columns with missing elements: NaN in floats; other numbers become float64, if it holds them (STREW_EVALUE); the
   empty word in text. Decimals become float64, rounded once;
   those of scale 0 int64, if it holds all of them. On success array and schema are empty: both are owned here; if the
   call fails they stay the caller's. STREW_EDTYPE: other formats, as lists and binary data; STREW_EARGUMENT: empty or
   invalid structs. Sizes of buffers are not in the structs: the producer vouches
   for them. */
STREW_API strew_status strew_table_from_arrow(strew_device *device, struct ArrowArray *array,
                                              struct ArrowSchema *schema, strew_table **out, strew_error *error);
/* Releases those that are not empty; NULL is fine. */
STREW_API void strew_arrow_release(struct ArrowArray *array, struct ArrowSchema *schema);

/* The suffix of a file's name, ignoring case, or the option `format` selects its format:
   .npy  one NumPy tensor, versions 1 to 3; uint16 and uint32 load as int32 and int64
   .npz  a NumPy archive of named tensors, stored or deflated, with ZIP64; needs the library libzip at run time
   .safetensors  named tensors of every dtype: elements in their order of size, largest first, so that all are aligned
         and the file can be mapped. Gaps, overlaps, repeated names and unknown dtypes are STREW_EFILE
   .csv  lines of cells: see strew_load_options; .tsv: the same, with tabs between them
   .jsonl  a flat JSON object a line: a column for each key, in order of appearance; bools, numbers and words, as in .csv
         files, whose options of values and columns it takes. An absent key, null and NaN are missing elements. Saves
         these as null; an infinity is STREW_EARGUMENT
   .png  a picture: [height, width] if grey, else [height, width, channels] (2: grey and alpha, 3: RGB, 4: RGBA). Loads
         as uint8, or as uint16 if the file has 16 bits; palettes are looked up, and 1, 2 and 4 bits scaled
         to 0..255. Saves uint8, and int32 as 16 bits. Needs the library libpng at run time
   .csv.gz, .tsv.gz, .jsonl.gz, .npy.gz  the same, compressed by gzip; need the library zlib at run time
   An option that the format does not take is STREW_EARGUMENT. */

/* Tells whether the first line of a .csv file holds names. */
typedef enum strew_header {
  STREW_HEADER_UNSAID, /* loading: yes if it has no number, and a word above one of the next line, or, while cells are
                          missing, of those after it, up to line 8, or no other line; cells may be empty.
                          Saving: yes if columns have names */
  STREW_HEADER_NO,
  STREW_HEADER_YES
} strew_header;

/* How a column of a .csv file is read. */
typedef struct strew_csv_rule {
  const char *column; /* its name, or its number */
  const char *unit;   /* before or after its numbers, as "%" in 20% and "$" in $5: left out; NULL: none */
  /* Of its numbers, which it must be able to hold; a word is an error. STREW_BOOL also reads true and false, ignoring
     case; STREW_TEXT and STREW_TIME: as if `text` or `dates` named it. NULL: that of the file. */
  const strew_dtype *dtype;
  uint64_t reserved[1];
} strew_csv_rule;

/* Lists of .csv files. */
typedef struct strew_csv_lists {
  int64_t rule_count;
  const strew_csv_rule *rules;
  int64_t missing_count;
  const strew_scalar *missing; /* numbers to read as empty cells, by their value, however written, in all columns but
                                  those of text */
  uint64_t reserved[4];
} strew_csv_lists;

/* More options of .csv files. */
typedef struct strew_csv_options {
  int64_t skip;               /* lines to skip at the beginning, empty ones included */
  char comment;               /* lines that begin with this character are skipped; 0: no lines */
  int64_t name_count;         /* the number of names: that of the file's columns */
  const char *const *names;   /* of all columns, instead of those that `header` reads; may be NULL */
  int64_t missing_count;      /* the number of words in `missing` */
  const char *const *missing; /* cells to read as empty, as they are written, ignoring blanks around them */
  int64_t rows;               /* strew_load: of the table, at most; no more of the file is read. 0: all */
  /* Receives a message if names of the file are empty or repeated, with the code STREW_OK; else an empty one. NULL: none
     is wanted */
  strew_error *warning;
  char thousands; /* between groups of three digits, as ',' in 1,234,567; 0: none. Not the decimal point */
  bool all_dates; /* columns whose first element is a date are ones of dates, as if `dates` named them */
  /* strew_load: lines have any number of cells, as adjacency lists have. The table has "values", all cells one after the
     other, and "starts", int64, where each line starts in them, then their number, as strew_by_ends takes them. An empty
     line has no values; `rows` counts lines. The name of the file may have another suffix: cells are between blanks
     then, unless `separator` is given. Options by column know "values". Not with `header`, `names` or `columns` */
  bool ragged;
  /* Of each name in `dates` the format of its dates, as for strew_time_parse, or NULL; NULL: of none */
  const char *const *date_formats;
  const strew_csv_lists *lists; /* or NULL */
  uint64_t reserved[1];
} strew_csv_options;

/* As a separator: any run of blanks and tabs, without empty cells at the ends of lines. */
enum { STREW_BLANKS = 'b' };

/* .csv files: each column becomes a 1-D tensor, named by its header or "1", "2", ... An empty name becomes the column's
   number, a repeated one gets a number: x, x_2. Cells may be in double quotes, with "" for a quote, and may then contain
   line ends. Lines end in LF, CR LF or CR. Empty lines are skipped; all others have the same number of cells. Text is read
   byte by byte; a UTF-8 mark at the beginning is skipped.
   The first cell with a number or a word decides the type of its column:
   - numbers: int64 if all are whole, else float64, correctly rounded. A cell that is not a number is an error that
     names line and column. An empty cell, nan, na, n/a and null, ignoring case, become NaN.
   - text: STREW_TEXT, its words in order of first appearance. All cells are words: an empty one, and one that the option
     missing names, is the empty word.
   A column without numbers and words is float64.
   No value changes without `dtype`: the call fails for a number beyond float64 ("1e999"), an integer beyond int64, and
   one that float64 does not hold in a column of float64. Fractions are rounded, to 0 below the least float64.
   It also fails where text would silently become numbers, or numbers text, and names the options that read the column:
   for an integer with leading zeros ("00501"), or with a plus and 7 digits or more ("+4912345"), unless `dtype` is given;
   for a first word that is a number with a decimal comma ("1,5"), marks between thousands
   ("1,234,567") or a unit ("12.5%", "$5"), or a date ("2024-05-17", "12/31/2024"); for a word without letters and
   digits ("-", "?"), or unknown, none, nil, missing, n.a., n/d, #n/a, above numbers; and for a line of words, as units,
   between names and numbers. */
typedef struct strew_load_options {
  /* .npy and .safetensors, on the CPU: memory-map the file. Pages are read on first use; writes stay in memory and never
     reach the file. While the tensor lives, the file must not be truncated (reading the lost part ends the process with SIGBUS) and
     should not be changed in place (pages not yet read change, too). Replacing it, as strew_save does, is safe. */
  bool map;
  strew_header header; /* .csv */
  char separator; /* .csv: between cells; 0: a comma, .tsv: a tab. Not a character of numbers, a quote or a line end;
                     or STREW_BLANKS */
  const strew_dtype *dtype; /* .csv: of number columns, which it must be able to hold; NULL: as above */
  int64_t text_count;       /* .csv: the number of names in `text` */
  const char *const *text;  /* .csv: columns to read as text whatever they hold; a name that no column has may be the
                               number of one, from 1 on: also in `dates`, `columns` and rules */
  const char *format;       /* a suffix without its point, "csv" or "csv.gz", whatever the name's; NULL: the name's */
  char decimal;             /* .csv: of numbers, '.' or ','; 0: a point. A comma needs `separator`; if that is a comma
                               as well, such numbers are in quotes */
  int64_t date_count;       /* .csv: the number of names in `dates` */
  /* .csv: columns of dates of ISO 8601: YYYY-MM-DD; T or a blank, HH:MM, :SS, and Z or an offset as +02:00 may follow;
     or of a form that csv->date_formats has. They become times; see STREW_TIME. Without an offset they are UTC; missing
     cells are NaT. */
  const char *const *dates;
  int64_t column_count; /* the number of names in `columns` */
  /* .csv: the columns of the table, in this order; .npz and .safetensors: its tensors. The others are skipped; NULL:
     all */
  const char *const *columns;
  const strew_csv_options *csv; /* .csv: more options, or NULL */
  uint64_t reserved[1];
} strew_load_options;

/* Reads a file. Either *out is a new tensor, or *table a new table, which the caller releases; the other is NULL. out
   or table may be NULL: a file that needs it is then STREW_EARGUMENT. Sizes in the file are not trusted: memory is
   limited to what the file could fill, and to the machine's. options NULL: all defaults.
   path "-" is standard input, and needs `format`. Pipes, standard input and compressed files are first read into memory
   to their end; waiting for them can be interrupted. Exception: a terminal or device as standard input whose bytes
   another process takes first; that wait lasts until more bytes or a signal arrive. */
STREW_API strew_status strew_load(strew_device *device, const char *path, const strew_load_options *options,
                                  strew_tensor **out, strew_table **table, strew_error *error);

/* A tensor on the CPU over raw records of a file, memory-mapped as with strew_load_options.map: one field of a struct is
   a view. Where the elements cannot be used in place (another byte order; an offset, or a stride, that is no multiple of
   their size) they are copied. sizes: rank entries; -1 in dimension 0: as many as the file has, which takes all of its
   bytes if there are no strides. STREW_EFILE: records beyond the file; STREW_EARGUMENT: a negative offset, an unknown
   byte order; STREW_ESHAPE: an invalid shape or stride; STREW_EDEVICE: another device. */
typedef struct strew_map_options {
  int64_t offset;         /* of the first element, in bytes */
  const int64_t *strides; /* rank entries, in bytes; NULL: row-major */
  const char *byte_order; /* "little" or "big"; NULL: this machine's */
  uint64_t reserved[4];
} strew_map_options;
STREW_API strew_status strew_map(strew_device *device, const char *path, strew_dtype dtype, int rank,
                                 const int64_t *sizes, const strew_map_options *options, strew_tensor **out,
                                 strew_error *error);

/* A file that is read in chunks of rows (or a stream: strew_table_from_arrow_stream): .csv, .tsv, .jsonl and .npy, also compressed by gzip, members of .npz, pipes and
   standard input. Memory is one chunk and a constant, and the words of text columns. A thread reads bytes ahead, up to
   8 MiB, of files that are read in order. A reader keeps its context alive. */
typedef struct strew_reader strew_reader;
typedef struct strew_reader_options {
  int64_t rows;                   /* of a chunk, at most; 0: 1000000 */
  const char *member;             /* .npz: the name of a tensor; NULL if it has only one */
  const strew_load_options *load; /* as for strew_load, but not `map`; NULL: all defaults */
  uint64_t reserved[4];
} strew_reader_options;
/* Opens a file and reads its first line or header, of .jsonl its first chunk; waits for a pipe. options NULL: all defaults. path and options are
   copied. The first dimension of a .npy has the rows; one in Fortran's order, or in an archive that is not a regular
   file, is STREW_EFILE. */
STREW_API strew_status strew_reader_open(strew_device *device, const char *path, const strew_reader_options *options,
                                         strew_reader **out, strew_error *error);
/* The next rows: a new table in *table (.csv), or a new tensor in *out; the other one is NULL. Both NULL: the end.
   The first chunk decides the dtypes of columns, and the keys of .jsonl, as strew_load decides by the whole file: a later cell that does not
   fit (a word among numbers, a fraction or a missing cell among integers) is STREW_EFILE, which names line and column,
   and the option that decides otherwise. A column without numbers and words in the first chunk is one of numbers. A line
   of units is known by the rows of the first chunk. (Arrays of
   a stream: see strew_table_from_arrow_stream.) Words keep their codes from chunk to chunk: the text of a later chunk has
   the words of the earlier ones, too.
   A file that ends in the middle of a row, has a row of another width, or changes while it is read, is STREW_EFILE,
   too; earlier chunks stay valid. After a failure that lost bytes of the file (while reading it, interrupts included),
   later calls fail in the same way. After any other the reader is where it was: without memory or after an interruption
   the call can be repeated; one that the contents cause is the same every time. */
STREW_API strew_status strew_reader_next(strew_reader *reader, strew_tensor **out, strew_table **table,
                                         strew_error *error);
STREW_API void strew_reader_close(strew_reader *reader); /* ends the thread, within 0.1 s; NULL is fine */

/* Arrow's C stream interface: tables one after the other, as strew_table_to_arrow and strew_table_from_arrow have them.
   STREW_ARROW_BYTES is room for a stream, too. */
struct ArrowArrayStream;
/* Fills an empty stream with the table's array, the only one. The consumer may call get_next and release on any thread;
   get_schema is a call of the context: see Threads. */
STREW_API strew_status strew_table_to_arrow_stream(const strew_table *table, struct ArrowArrayStream *stream,
                                                   strew_error *error);
/* A reader of the stream's arrays, on the CPU: strew_reader_next gives a table for each, or a tensor if it is bare.
   Words keep their codes from array to array. The first array with rows decides the dtype of a column: float64 if
   integers are missing there, else later missing ones are STREW_EVALUE, which names the column; so are integers of
   decimals beyond int64. On success the stream is
   empty: the reader owns it, and releases it at its end, after its failure, or when it is closed; if the call fails it
   stays the caller's. STREW_EARGUMENT: an empty stream; STREW_EDTYPE: a column of another format; STREW_EFILE: the stream failed, here or later, with its error and message (ENOMEM: STREW_EMEMORY). An array
   that cannot be imported is kept: the next call tries it again; unless it failed for lack of memory or an interruption,
   the stream is released. */
STREW_API strew_status strew_table_from_arrow_stream(strew_device *device, struct ArrowArrayStream *stream,
                                                     strew_reader **out, strew_error *error);
STREW_API void strew_arrow_stream_release(struct ArrowArrayStream *stream); /* NULL and an empty one are fine */

typedef struct strew_save_options {
  bool compress;       /* .npz: deflated */
  strew_header header; /* .csv */
  char separator;      /* .csv: 0: a comma; .tsv: a tab */
  const char *format;  /* as for strew_load */
  const char *missing; /* .csv: the text of NaN and NaT; NULL: an empty cell */
  char decimal;        /* .csv: of numbers, '.' or ','; 0: a point. A comma needs `separator` */
  uint64_t reserved[2];
} strew_save_options;

/* Write a file, first under another name in the same folder. An old file stays unchanged until the new one is complete,
   and if the call fails or the process ends. The next save into the folder removes the remains of a killed process. A
   symbolic link's target is written; an old file's mode is kept. options NULL: all defaults.
   path "-" is standard output, for .csv and .tsv, also compressed, and needs `format`; so is a path of it that is no
   regular file, as /dev/stdout in a pipe. A failure may leave a part there. */
STREW_API strew_status strew_save(strew_tensor *tensor, const char *path, const strew_save_options *options,
                                  strew_error *error);
STREW_API strew_status strew_save_table(const strew_table *table, const char *path, const strew_save_options *options,
                                        strew_error *error);

/* ---------------------------------------------------------------------------------------------------- pictures */

typedef enum strew_colormap {
  STREW_VIRIDIS,
  STREW_MAGMA,
  STREW_INFERNO,
  STREW_COOLWARM, /* diverging: blue, grey in the middle of the range, red */
  STREW_GREY,
  STREW_COLORMAP_COUNT
} strew_colormap;
typedef struct strew_image_options {
  strew_colormap colormap;
  int64_t scale; /* pixels per number, in each direction; 0: 1 */
  /* The range: values at its ends and beyond get the first and the last colour. NULL: the least, the greatest finite
     value. */
  const double *min, *max;
  const unsigned char *nan; /* the colour of NaN: red, green, blue; NULL: magenta, which no colormap has */
  uint64_t reserved[4];
} strew_image_options;

/* The colours of numbers [height, width], of any dtype, as a new tensor uint8[height * scale, width * scale, 3] on
   their device: strew_save writes it to a .png file. options NULL: all defaults. STREW_ESHAPE: not 2-D; STREW_EVALUE:
   scale, min or max. */
STREW_API strew_status strew_image(strew_tensor *tensor, const strew_image_options *options, strew_tensor **out,
                                   strew_error *error);

#ifdef __cplusplus
}
#endif
#endif
