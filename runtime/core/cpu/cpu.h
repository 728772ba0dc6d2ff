/* cpu.h: what the files of the CPU device share: the pool, walks over plans, conversion of rows, index values. */
#ifndef STREW_CPU_H
#define STREW_CPU_H

#include "prefetch.h"
#include "runtime/core/base/device.h"
#include "runtime/core/base/pool.h"

/* Elements between two tests whether the call must stop: a few milliseconds of work at most. */
enum { CHUNK = 1 << 17 };

/* Returns the rows of that many columns (0: elements) which make a CHUNK, `most` at most. */
static inline int64_t rows_of_chunk(int64_t most, int64_t columns) {
  return least(most, columns > 1 ? (CHUNK - 1) / columns + 1 : CHUNK); /* small calls need no division */
}

/* --------------------------------------------------------------------------------------------------- walk.c */

/* A row of a plan: `count` coordinates along its last dimension, and for each operand the address of the first element
   and the distance between elements. */
struct row {
  int64_t place; /* number of the first coordinate in the plan's row-major order */
  int64_t count;
  char *address[PLAN_OPERANDS];
  int64_t step_bytes[PLAN_OPERANDS];
};

/* Returns the address of the operand's first element; of a number, of its bytes in the plan, which are never written.
   */
char *operand_address(const struct operand *operand);
/* Returns the bytes from one element to the next along dimension d. */
static inline int64_t operand_step(const struct operand *operand, int d) {
  return operand->strides[d] * (int64_t)dtype_bytes(operand->dtype);
}
/* Returns the address of operand i's element at the coordinate of that number, in row-major order. */
char *operand_at(const struct plan *plan, int i, int64_t number);

/* Calls visit(argument, row) for the rows that make up coordinates begin .. end - 1 of the plan's row-major order. No
   row is longer than `longest`, nor than a CHUNK. Before each row the walk ends if the call must stop. */
void walk_rows(const struct plan *plan, int64_t begin, int64_t end, int64_t longest,
               void (*visit)(void *argument, const struct row *row), void *argument);
/* The same over the whole plan, shared among the workers, for light visits that do not depend on one another. */
void walk_rows_parallel(strew_context *context, const struct plan *plan, int64_t longest,
                        void (*visit)(void *argument, const struct row *row), void *argument);
/* The same for visits that are not light and pass through that many bytes in all. */
void walk_rows_sized(strew_context *context, const struct plan *plan, int64_t bytes, int64_t longest,
                     void (*visit)(void *argument, const struct row *row), void *argument);
/* Returns the bytes that a walk over the whole plan touches. */
int64_t walk_bytes(const struct plan *plan);

/* --------------------------------------------------------------------------------------------------- copy.c */

/* Converts a row of elements by STREW_SATURATE; steps in bytes. */
typedef void convert_row(int64_t count, char *to, int64_t to_step, const char *from, int64_t from_step);
convert_row *converter(strew_dtype to, strew_dtype from);
/* Turns uint64 into int64 in the same order, and back. */
convert_row flip_signs;

/* ------------------------------------------------------------------------------------------------- small things */

/* For loops that move elements: an instance for each width, and a list of them by bytes. */
#define EACH_WIDTH(X)  X(uint8_t) X(uint16_t) X(uint32_t) X(uint64_t)
#define BY_WIDTH(name) [1] = name##_uint8_t, [2] = name##_uint16_t, [4] = name##_uint32_t, [8] = name##_uint64_t

/* -------------------------------------------------------------------------------------------------- index.c */

/* Applies the mode to index values: wraps them, clips them, or makes those to be dropped -1. */
void apply_mode(strew_mode mode, int64_t size, int64_t count, int64_t *values);
/* True if index values are read in place. Values to be dropped may then be any that are not 0 .. size - 1. */
bool index_is_direct(strew_dtype dtype, int64_t step_bytes, strew_mode mode);
/* Returns the index values of operand i of a row: in place, or in `block`, which has room for them. */
const int64_t *index_values(const struct row *row, int i, strew_dtype dtype, strew_mode mode, int64_t size,
                            int64_t *block);

/* ------------------------------------------------------------------------------------------------------- gather.c */

/* A line of elements, `step` bytes apart, each of `bytes`. */
struct lookup {
  const char *base;
  int64_t size, step;
  size_t bytes;
  atomic_bool *bad; /* set if an index value is out of range */
};
/* Writes the elements that the index values choose, one after the other; zeros for values out of range. */
void lookup_take(const struct lookup *from, int64_t count, const int64_t *index, void *to);

/* ---------------------------------------------------------------------------------------------- the device's table */

/* Declares a function; those of a family are declared where they are defined. */
#define CPU_FUNCTION(result, name, parameters) result cpu_##name parameters;
DEVICE_ENTRIES(CPU_FUNCTION, CPU_FUNCTION)
#define CPU_ENTRY(result, name, parameters) .name = cpu_##name,
/* Defines the table of a family. */
#define CPU_TABLE(functions, ENTRIES) const struct functions cpu_##functions = {ENTRIES(CPU_ENTRY, CPU_ENTRY)};
extern const struct one_pass_mean cpu_mean; /* core/cpu/scatter/mean.c */

/* Makes unsigned numbers in the order of elements, as many bits wide as these; equal ones for -0 and +0, and for all
   NaN, which are greatest. sort.c */
void cpu_sort_keys(strew_dtype dtype, const char *elements, int64_t step_bytes, int64_t count, uint64_t *keys);

/* Sets *bad if operand `operand` of a plan holds values outside of lowest..highest, in a pass of its own. index.c */
strew_status cpu_operand_check(const struct call *call, strew_device *device, const struct plan *plan, int operand,
                               int64_t lowest, int64_t highest, bool *bad);

/* ------------------------------------------------------------------------------------------------- cumulative.c */

/* cumsum of lines of at most SUM_RUN elements, of the dtype of their sums and of the result. */
struct scan_plan; /* reduce_ops.h */
strew_status cpu_cumsum_short(const struct call *call, strew_device *device, const struct scan_plan *scan);

#endif
