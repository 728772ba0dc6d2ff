/* testing.h: shared by the Check programs. Each tests/check_NAME.c defines make_suite and holds only tests; testing.c
   has main, the fixture, random tensors of every layout, and comparison bit for bit. A test program uses the library as
   a host does: strew.h, and scalar.h to read elements.

   Environment:
     STREW_TEST_THREADS   the context's thread count (else 2), and that of sweeps (else see use_turn)
     STREW_TEST_DEVICE    the device of the tensors (else cpu)
     STREW_TEST_ALL       set: other devices run everything that the CPU runs
     STREW_TEST_FEW       set: the CPU runs only what other devices run, for slow tools
     STREW_TEST_SEED=n    without FEW the CPU runs a third of the cases, chosen by this number
     STREW_TEST_PROGRAMS=n,s  without SEED check_expr and check_programs run n random programs of each kind, seeds from s
                          on, on every device
     STREW_TEST_EVERY     set: check_functions takes every float32
     STREW_TEST_STEP=n    only every n-th event of a trial fails (trials.h)
     STREW_TEST_EMULATED  set: QEMU emulates the processor
     STREW_TEST_THIN=n    other devices than the CPU, and QEMU, run an n-th of their sample of cases and of the trials; of
                          some specs, too
   On a device other than the CPU drivers start slowly and load kernels slowly: there all tests of a program run in one
   process, in one context, unless CK_FORK=yes requires a process each. Under QEMU, too, in one process, with a context
   each: a child would translate anew all code that it runs. */
#ifndef TESTING_H
#define TESTING_H

#include "runtime/core/shared/scalar.h"
#include "strew.h"

#include <check.h>
#include <stdio.h>
#include <stdlib.h>

Suite *make_suite(void);

/* A case whose tests each get a fresh `context` and `device`, and must release all tensor memory. (On a device other
   than the CPU the context is reused until a test fails.) */
TCase *new_case(Suite *suite, const char *name);
extern strew_context *context;
extern strew_device *device;
void use_threads(int threads);
/* Sweeps over many cases run twice: on one thread (turn 0), and, case by case, on 2, 3 or 7 (turn 1). All four for each
   case would take long and find little: starting a pool larger than the machine is slow. */
enum { TURNS = 2 };
void use_turn(int turn, int i);
/* True for a device other than the CPU. There is no wrap there, and host threads do nothing. */
bool on_device(void);
/* False under ThreadSanitizer and QEMU, which cannot create threads in a child; the former reports a child that does not
   join those of its parent, too. */
bool follows_forks(void);
/* Returns how many of `counts` thread counts (or turns) to try: all, or on a device other than the CPU one. */
int sweep(int counts);
/* On a device other than the CPU each combination of dtypes, operation and layout needs kernels of its own, which
   compile slowly: there sweeps try a sample, unless STREW_TEST_ALL is set. Returns true if case i is in a sample of one
   in `n`; returns how many of `count` random cases to try. */
bool chosen(int i, int one_in);
int some(int count);
/* STREW_TEST_SEED where it chooses a third, else 0: to be added to the seed of a loop over some() draws, which would take
   the same first third with every SEED. */
unsigned seed_of_third(void);
/* QEMU is slow: under it one in `one_in` of count, elsewhere count. */
bool is_emulated(void);
int under_qemu(int count, int one_in);
/* The cases of a test of random programs, `each` of them in a case: `usual` ones, or as STREW_TEST_PROGRAMS says. */
struct cases {
  int first, end;
};
struct cases program_cases(int usual, int each);
/* True if the device lacks this dtype. Prints once that such cases are left out. */
bool lacks(strew_dtype dtype);
/* Returns the dtype, or float32 if the device lacks it: for random draws. */
strew_dtype dtype_here(strew_dtype dtype);
/* The allocator of the fixture's contexts; make_suite may set it. */
extern strew_allocator test_allocator;

/* The error for every call: ok(strew_fill(..., &failure)). Cleared before each call, because `op` is read, too. (Not
   ck_assert_msg, which reports to Check's process even on success: too slow in loops.) */
extern strew_error failure;
#define ok(call)                                                                                                       \
  do {                                                                                                                 \
    clear_failure();                                                                                                   \
    if ((call) != STREW_OK) ck_abort_msg("%s failed: %s", #call, failure.message);                                     \
  } while (0)
/* The call fails with this code and exactly this message (NULL: any), in which tensors are on cpu, whatever their
   device. */
#define assert_fails(call, code, text)                                                                                 \
  do {                                                                                                                 \
    clear_failure();                                                                                                   \
    check_failure(#call, (call), (code), (text));                                                                      \
  } while (0)
void clear_failure(void);
void check_failure(const char *what, strew_status status, strew_status code, const char *message);

/* Random numbers, the same in every run; call seed_draws first in a test whose failure should be repeatable alone. */
void seed_draws(uint64_t seed);
uint64_t draw(void);
int64_t draw_below(int64_t n); /* 0..n-1 */

/* Key i, below 2^24, of those whose hashes in runtime/groups/key_table.c would have equal low bits without the seed; 0:
   0. */
uint64_t colliding_key(uint64_t i);

enum layout {
  CONTIGUOUS,
  PERMUTED, /* dense memory, dimensions in another order */
  STRIDED,  /* every second or third element of a larger tensor, from an offset on */
  EXPANDED, /* stride 0 along some dimensions: read only */
  LAYOUT_COUNT
};
const char *layout_name(enum layout layout);

/* A random element: often a special one (zeros, infinities, NaN, denormals, the ends of the range), else a small number
   with a fraction, else any bits. */
void random_element(strew_dtype dtype, void *element);
strew_tensor *random_tensor(strew_dtype dtype, int rank, const int64_t *sizes, enum layout layout);
/* Elements in low..high-1, which dtype must hold. */
strew_tensor *random_integers(strew_dtype dtype, int rank, const int64_t *sizes, enum layout layout, int64_t low,
                              int64_t high);
/* A tensor of that layout with dense row-major `elements`. Not EXPANDED. */
strew_tensor *tensor_of(strew_dtype dtype, int rank, const int64_t *sizes, enum layout layout, const void *elements);
/* Short vectors: tensor_from_doubles(STREW_FLOAT16, 3, (double[]){1, 2, 3}), converted by STREW_SATURATE. */
strew_tensor *tensor_from_doubles(strew_dtype dtype, int64_t count, const double *values);
strew_tensor *tensor_from_integers(strew_dtype dtype, int64_t count, const int64_t *values);
strew_tensor *scalar_tensor(strew_dtype dtype, strew_scalar value); /* rank 0 */

/* -1, 0 or 1 by value, or UNORDERED with NaN: exact, though not every machine has a float that holds int64. */
enum { UNORDERED = 2 };
int order_of(strew_scalar a, strew_scalar b);

int64_t count_of(int rank, const int64_t *sizes);
/* Computes the coordinates of the i-th element in row-major order, and its offset in the tensor's storage. */
void coordinates(int64_t i, int rank, const int64_t *sizes, int64_t *at);
int64_t offset_of(const strew_tensor *tensor, int64_t i);
/* Returns the elements in row-major order, read through data, sizes and strides, not through the library's loops; the
   caller frees them. */
void *host_of(const strew_tensor *tensor);

bool is_float_dtype(strew_dtype dtype);
static inline bool is_unsigned_dtype(strew_dtype dtype) { return dtype == STREW_UINT8 || dtype >= STREW_UINT16; }
/* The dtype of sums and products: a float's own, uint64, or int64. */
static inline strew_dtype dtype_of_sums(strew_dtype dtype) {
  return is_float_dtype(dtype) || dtype == STREW_UINT64 ? dtype : STREW_INT64;
}
/* The same in tables. */
static inline strew_dtype dtype_of_table_sums(strew_dtype dtype) {
  return is_unsigned_dtype(dtype) ? STREW_UINT64 : dtype_of_sums(dtype);
}
/* The greatest integer of a dtype, that int64 holds. */
static inline int64_t highest_of(strew_dtype dtype) {
  const int bits = 8 * (int)strew_dtype_size_bytes(dtype) - !is_unsigned_dtype(dtype);
  return (int64_t)(UINT64_MAX >> (bits < 63 ? 64 - bits : 1));
}
bool is_nan_element(strew_dtype dtype, const void *element);
/* True if the bits are equal, or both are NaN. */
bool same_element(strew_dtype dtype, const void *a, const void *b);
/* The tensor has this dtype and these elements; else the message names the first difference and the case. */
void assert_elements(const strew_tensor *tensor, strew_dtype dtype, const void *expected, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
void assert_sizes(const strew_tensor *tensor, int rank, const int64_t *sizes);
/* Two tensors of one dtype and shape, bit for bit. */
void assert_same(const strew_tensor *a, const strew_tensor *b, const char *what);

/* strew_group_reduce for the reductions that scatter has, with a value for every option. */
struct group_form {
  int dim;
  int64_t dim_size; /* -1: none */
  strew_reduction reduction;
  strew_mode mode;
  const strew_scalar *fill;
  const strew_dtype *dtype;
  bool skip_nan;
};
/* clang-format off */
#define GROUP_FORM {-1, -1, STREW_SUM, STREW_ERROR, NULL, NULL, false}
/* clang-format on */
strew_group_reduction group_reduction_of(strew_reduction reduction);
strew_group_reduce_options reduce_options_of(const struct group_form *form);
strew_status group_form(strew_groups groups, strew_tensor *src, const struct group_form *form, strew_tensor **out,
                        strew_tensor **arg, strew_error *error);
/* The same of strew_grouping_aggregate_with; src NULL: the counts. */
struct form_of {
  strew_tensor *src;
  struct group_form options;
};
enum { MOST_FORMS = 64 };
strew_status aggregate_forms(strew_grouping *grouping, int count, const struct form_of forms[], strew_tensor *out[],
                             strew_error *error);

#endif
