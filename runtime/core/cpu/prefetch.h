/* prefetch.h: the prefetches of the CPU device; no other file issues one. Distances stand in tuning.h.

   A prefetch never faults, so that its address may lie past the tensor, or come from an index value out of range. C
   defines such sums for integers alone: addresses are uintptr_t here. */
#ifndef STREW_PREFETCH_H
#define STREW_PREFETCH_H

#include "runtime/core/base/context.h"
#include "tuning.h"

/* For loops that take a function per element as an argument: inlined, it is a constant, and no call remains. */
#define ALWAYS_INLINE static inline __attribute__((always_inline))

/* ------------------------------------------------------------------------------------- cache lines into a level */

/* Data that is read once: into L2, without displacing L1; by NTA, without displacing either. (Inlined, because gcc
   drops a call that only prefetches.) */
ALWAYS_INLINE void prefetch_l2(uintptr_t address, uintptr_t bytes) {
  for (uintptr_t at = 0; at < bytes; at += CACHE_LINE) __builtin_prefetch((const void *)(address + at), 0, 2);
}
ALWAYS_INLINE void prefetch_nta(uintptr_t address, uintptr_t bytes) {
  for (uintptr_t at = 0; at < bytes; at += CACHE_LINE) __builtin_prefetch((const void *)(address + at), 0, 0);
}

/* Data that is read soon, or written: into L1. (The number is signed, so that gcc unrolls the loop where it knows a
   bound.) */
ALWAYS_INLINE void prefetch_read(uintptr_t address, int64_t bytes) {
  for (int64_t at = 0; at < bytes; at += CACHE_LINE) __builtin_prefetch((const void *)(address + (uintptr_t)at));
}
ALWAYS_INLINE void prefetch_write(uintptr_t address, int64_t bytes) {
  for (int64_t at = 0; at < bytes; at += CACHE_LINE) __builtin_prefetch((const void *)(address + (uintptr_t)at), 1);
}

/* In a loop over elements in order that has reached `at`; or over rows of them, of row_bytes each. */
ALWAYS_INLINE void prefetch_onward(const void *at, const uintptr_t bytes) {
  prefetch_l2((uintptr_t)at + ONWARD_BYTES, bytes);
}
ALWAYS_INLINE void prefetch_along(const void *at, const uintptr_t bytes, int64_t row_bytes) {
  prefetch_l2((uintptr_t)at + (row_bytes < ALONG_MIN ? ONWARD_BYTES : ALONG_BYTES), bytes);
}

/* ---------------------------------------------------------------------------------------------------- streams */

/* Rows that are read in order: row i prefetches what lies at `at` + i `step`, in bytes. */
struct stream {
  uintptr_t at, step;
};

/* The stream of rows from `first` on, `at_once` of them copied at a time; 1: each is read in place. Rows more than 8
   bytes apart get none (step 0). */
struct stream stream_of(const struct tuning *tuning, const char *first, int64_t step_bytes, int64_t at_once);

ALWAYS_INLINE void prefetch_stream(struct stream stream, const bool nta, int64_t i, const uintptr_t bytes) {
  const uintptr_t at = stream.at + (uintptr_t)i * stream.step;
  __builtin_expect(nta, 1) ? prefetch_nta(at, bytes) : prefetch_l2(at, bytes);
}

/* ----------------------------------------------------------------------------- elements that an index selects */

/* Row i, of index value ix, selects base + i `row` + ix `step`, in bytes. */
struct selection {
  const int64_t *index;
  const char *base;
  int64_t row, step;
};

ALWAYS_INLINE uintptr_t selected_address(const struct selection *of, int64_t i) {
  return (uintptr_t)of->base + (uintptr_t)i * (uintptr_t)of->row + (uintptr_t)of->index[i] * (uintptr_t)of->step;
}

/* Bytes that are prefetched of a row, whose step is 0 if it is one element: the hardware prefetcher continues by itself.
   */
ALWAYS_INLINE int64_t first_bytes(int64_t bytes) {
  if (bytes <= 0) return 1;
  return bytes < ROW_LINES * CACHE_LINE ? bytes : ROW_LINES * CACHE_LINE;
}

/* Returns the distance, in rows, for selected rows of that many bytes. */
int64_t row_distance(const struct tuning *tuning, int64_t row_bytes);

/* True if `values` index values hit a range so sparsely that no hardware prefetcher helps, in operands larger than L2.
   */
bool is_sparse(const struct tuning *tuning, int64_t values, int64_t range_bytes, int64_t whole_bytes);

/* Returns the distance, in lines of `values` index values each, if they are sparse; else 0. */
int64_t line_distance(const struct tuning *tuning, int64_t values, int64_t range_bytes, int64_t whole_bytes);

#endif
