/* steps.h: public calls composed of others. `struct steps` keeps the first failure, after which later steps do nothing,
   and owns the tensors that steps make: the end of the block releases them.

     CALL_STEPS(call, steps, "isclose", error, {"self", a}, {"other", b});
     STEP(&steps, check_devices(&call));
     strew_tensor *gap = step_binary(&steps, STREW_SUB, a, b, NULL);
     STEP(&steps, strew_item(gap, &number, steps.error));
     return steps_give(&steps, step_unary(&steps, STREW_ABS, gap, gap), out);

   A step that fails returns NULL, and so do those after it: only STEP may read the members of what a step has made. */
#ifndef STREW_STEPS_H
#define STREW_STEPS_H

#include "runtime/strew.h"
#include "tensor.h"

enum { MOST_MADE = 48 };

struct steps {
  const struct call *call;
  strew_error *error;  /* the call's: inner calls report under its name */
  const char *alias;   /* of the error, as the host has set it */
  strew_status status; /* the first failure */
  int count;
  strew_tensor *made[MOST_MADE + 1];
};

/* Declares the steps of a call. */
#define STEPS(variable, call)                                                                                          \
  struct steps variable __attribute__((cleanup(steps_close)));                                                         \
  steps_open(&variable, call)
/* CALL and the steps of that call. */
#define CALL_STEPS(call, steps, name, error, ...)                                                                      \
  CALL(call, name, error, __VA_ARGS__);                                                                                \
  STEPS(steps, &call)
/* A step: an expression that returns a status, evaluated unless a step has failed. Returns the status. */
#define STEP(steps, ...) ((steps)->status != STREW_OK ? (steps)->status : steps_note(steps, (__VA_ARGS__)))
static inline strew_status steps_note(struct steps *steps, strew_status status) {
  if (steps->status == STREW_OK) steps->status = status; /* the expression may have had steps of its own */
  return steps->status;
}

void steps_open(struct steps *steps, const struct call *call);
void steps_close(struct steps *steps);

/* A place, now NULL, for a tensor that a step makes. */
strew_tensor **steps_place(struct steps *steps);
/* Declares `place`, such a place, and is the step that makes it. */
#define STEP_INTO(steps, place, ...)                                                                                   \
  strew_tensor **place = steps_place(steps);                                                                           \
  STEP(steps, __VA_ARGS__)
/* Releases what steps have made since `count` was `mark`, except `kept`, which it returns unless a step has failed;
   NULL: all. */
strew_tensor *steps_keep(struct steps *steps, int mark, strew_tensor *kept);
/* The result to write: `given`, the call's operand `name`, which is checked; if that is NULL, a new tensor. */
strew_tensor *steps_out(struct steps *steps, const char *name, strew_device *device, strew_dtype dtype, int rank,
                        const int64_t *sizes, strew_tensor *given);
/* Moves a result to *out, unless a step has failed, or the result was given. Returns the status of the call. */
strew_status steps_give(struct steps *steps, strew_tensor *result, strew_tensor **out);
/* Returns the status of the call; errors of memory, time and the user list its operands. */
strew_status steps_status(const struct steps *steps);

/* ------------------------------------------------------------------------------------------------------- operations */

/* An operand: a tensor, a scalar, an integer or a float. */
static inline strew_operand operand_of_int(int64_t number) { return strew_number(strew_int(number)); }
static inline strew_operand operand_of_float(double number) { return strew_number(strew_float(number)); }
static inline strew_operand operand_itself(strew_operand x) { return x; }
#define OPERAND(x)                                                                                                     \
  _Generic((x), strew_tensor *                                                                                         \
           : strew_of, strew_scalar                                                                                    \
           : strew_number, int                                                                                         \
           : operand_of_int, int64_t                                                                                   \
           : operand_of_int, double                                                                                    \
           : operand_of_float, strew_operand                                                                           \
           : operand_itself)(x)

/* Defines a step that writes to *out: `into`, or a new tensor if that is NULL. Returns it. */
#define STEP_MAKES(name, into, operation, ...)                                                                         \
  static __attribute__((noinline, unused)) strew_tensor *name(struct steps *steps, __VA_ARGS__) {                      \
    strew_tensor *given = (into), **out = given ? &given : steps_place(steps);                                         \
    STEP(steps, operation);                                                                                            \
    return *out;                                                                                                       \
  }

/* device NULL: x's. step_reduce: of `count` dimensions, which are kept. step_count: 0, 1, ... count - 1.
   step_new, step_copy: errors list the operands of the call. */
STEP_MAKES(step_to, NULL, strew_to(x, device ? device : x->storage->device, dtype, out, steps->error), strew_tensor *x,
           strew_device *device, strew_dtype dtype)
STEP_MAKES(step_unary, into, strew_unary(op, x, out, steps->error), strew_unary_op op, strew_tensor *x,
           strew_tensor *into)
STEP_MAKES(step_binary, into, strew_binary(op, a, b, out, steps->error), strew_binary_op op, strew_operand a,
           strew_operand b, strew_tensor *into)
STEP_MAKES(step_where, NULL, strew_where(condition, a, b, out, steps->error), strew_tensor *condition, strew_operand a,
           strew_operand b)
STEP_MAKES(step_gather, NULL, strew_gather_with(x, dim, index, &(strew_index_options){.mode = mode}, out, steps->error),
           strew_tensor *x, int dim, strew_tensor *index, strew_mode mode)
STEP_MAKES(step_narrow, NULL, strew_narrow(x, dim, start, length, out, steps->error), strew_tensor *x, int dim,
           int64_t start, int64_t length)
STEP_MAKES(step_view, NULL, strew_view(x, rank, sizes, out, steps->error), strew_tensor *x, int rank,
           const int64_t *sizes)
STEP_MAKES(step_reshape, NULL, strew_reshape(x, rank, sizes, out, steps->error), strew_tensor *x, int rank,
           const int64_t *sizes)
STEP_MAKES(step_expand, NULL, strew_expand(x, rank, sizes, out, steps->error), strew_tensor *x, int rank,
           const int64_t *sizes)
STEP_MAKES(step_reduce, NULL,
           strew_reduce_with(fold, x,
                             &(strew_reduce_options){.dim_count = count, .dims = dims, .keepdim = dims != NULL}, out,
                             steps->error),
           strew_fold fold, strew_tensor *x, int count, const int64_t *dims)
STEP_MAKES(step_cumsum, NULL, strew_cumsum_with(x, dim, NULL, out, steps->error), strew_tensor *x, int dim)
STEP_MAKES(step_new, NULL, tensor_create(steps->call, device, dtype, rank, sizes, out), strew_device *device,
           strew_dtype dtype, int rank, const int64_t *sizes)
STEP_MAKES(step_copy, NULL, copy_as(steps->call, x, dtype, out), const strew_tensor *x, strew_dtype dtype)
STEP_MAKES(step_full, NULL, strew_full(device, dtype, rank, sizes, value, out, steps->error), strew_device *device,
           strew_dtype dtype, int rank, const int64_t *sizes, strew_scalar value)
STEP_MAKES(step_count, NULL,
           strew_arange(device, STREW_INT64, strew_int(0), strew_int(count), strew_int(1), out, steps->error),
           strew_device *device, int64_t count)
/* The positions that sort x; values: NULL, or receives the elements in this order. */
STEP_MAKES(step_argsort, NULL,
           strew_sort_with(x, dim, &(strew_sort_options){.descending = descending}, values, out, steps->error),
           strew_tensor *x, int dim, bool descending, strew_tensor **values)
/* The order keys of an operand of the call: x itself if it has numbers. */
strew_tensor *step_key(struct steps *steps, strew_tensor *x, enum order_key kind);
/* As steps_give, of a result of step_key's keys, which becomes one of elements of that dtype; of text and times also to
   the given one, the call's RESULT of that name, after its checks. */
strew_status steps_give_key(struct steps *steps, const char *name, strew_tensor *result, strew_dtype dtype,
                            enum order_key kind, strew_tensor **out);
/* The result that numbers are written to: NULL if text or times are computed apart. */
static inline strew_tensor *given_number(const strew_tensor *x, strew_tensor *given) {
  return dtype_is_number(x->dtype) ? given : NULL;
}
/* The fold of all elements. */
static inline strew_scalar step_number(struct steps *steps, strew_fold fold, strew_tensor *x) {
  strew_scalar number = strew_int(0);
  strew_tensor *folded = step_reduce(steps, fold, x, 0, NULL);
  STEP(steps, strew_item(folded, &number, steps->error));
  return number;
}
#define step_binary(steps, op, a, b, into) step_binary(steps, op, OPERAND(a), OPERAND(b), into)
#define step_where(steps, condition, a, b) step_where(steps, condition, OPERAND(a), OPERAND(b))

#endif
