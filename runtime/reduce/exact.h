/* exact.h: exact sums, below every call that adds floats and has the option `exact` (exact.c). */
#ifndef STREW_CALLS_EXACT_H
#define STREW_CALLS_EXACT_H

#include "runtime/core/base/index_checks.h"
#include "runtime/core/base/steps.h"
#include "runtime/reduce/exact_ops.h"

enum { EXACT_TOGETHER = 8 }; /* terms at most */
/* Adds terms of src's shape, which are read once, to sums of the results' shape, all int64: terms[k] to sums[k]. Any
   order will do: nothing is rounded. */
typedef void exact_join(struct steps *steps, void *user, int count, strew_tensor *const *terms,
                        strew_tensor *const *sums);

struct exact_sums;

/* How terms belong to results, for devices that add all limbs of sums and means in one pass: to the one whose number, in
   row-major order, is the sum of coordinates in x times `numbers`, and of the index value times `step`. */
struct exact_by {
  int64_t numbers[MAX_RANK];
  const strew_tensor *index; /* of x's shape; or NULL */
  int64_t step, size, lowest;
  strew_mode mode;
  bool checks; /* index values, to be lowest .. size - 1 */
  bool bad;    /* found: there is no result */
  bool counts; /* terms + extra are counted, of means at least 1, in place of the job's counts */
  int64_t extra;
  bool from_start; /* with counts: results of no terms are those of `start`, or 0 if that is NULL */
  strew_tensor *start;
  strew_tensor *out; /* becomes the result; NULL: a new tensor */
};
/* By an index along one dimension of results of these sizes. */
struct exact_by exact_by_index(const struct addressing *addressing, int rank, const int64_t *sizes);

/* Sums, means, variances of x, floats, or sums of x * y, for results of that shape. */
struct exact_job {
  enum exact_result result;
  strew_tensor *x, *y; /* y NULL: x alone */
  strew_tensor *self;  /* of the results' shape and x's dtype: a term of each; NULL: none */
  strew_dtype dtype;   /* of results */
  int rank;
  const int64_t *sizes;
  int64_t most;         /* terms of a result at most, without self */
  bool skips_nan;       /* `join` leaves out where x is NaN */
  bool signs_zero;      /* a sum of terms that are all -0 is -0; of none, 0. Not of products */
  strew_operand counts; /* of means and variances: int64, broadcast to the results' shape */
  struct exact_divisor divisor;
  exact_join *join;
  void (*cut)(struct steps *steps, void *user,
              const struct exact_sums *sums); /* joins up to MOST_CUT_PARTS parts; or NULL */
  void *user;
  struct exact_by *by; /* NULL: not known */
};
/* True if the device of the job's terms takes `by`. */
bool exact_goes_by(const struct exact_job *job);
/* A new tensor of the results, or the given one of `by`. */
strew_tensor *exact_results(struct steps *steps, const struct exact_job *job);

/* The same in two steps, for who joins the limbs on his own. Limbs are at places low, low + width and so on; parts are
   limbs that are float64, which has room for their sums. The first limb counts 2^exponent; the magnitude of a sum is below
   2^bits of that, bits 0: nothing to add. */
struct exact_window {
  int low, width, exponent, bits;
  int limbs, square_limbs;
  bool has_parts;
};
struct exact_sums {
  struct exact_window window;
  unsigned kinds;
  strew_tensor *sums; /* of limbs, a row for each; 0 so far. Released by who has opened them */
};
static inline bool exact_is_cut(const struct exact_sums *sums) {
  return sums->window.has_parts && sums->window.limbs <= MOST_CUT_PARTS;
}
void exact_open(struct steps *steps, const struct exact_job *job, struct exact_sums *out);
strew_tensor *exact_finish(struct steps *steps, const struct exact_job *job, const struct exact_sums *sums);
/* The words of all sums, with those of squares if the job is of variances, of a job that goes by number: in memory that the
   caller frees, NULL after a failure. */
struct exact_words {
  struct exact_window window;
  struct exact_layout layout;
  unsigned kinds; /* that are noted: with EXACT_OTHER, where terms are that are not -0 */
  uint64_t bytes;
  int64_t *words;
};
void exact_read(struct steps *steps, const struct exact_job *job, struct exact_words *out);
/* Folds the terms by strew_reduce_options, `user`. reduce.c */
exact_join exact_folds;
/* The limbs, joined; and of the job's result, counts, divisor, dtype and sizes, what they are rounded to, on their device:
   without infinities, NaN and -0. */
void exact_limbs(struct steps *steps, const struct exact_job *job, struct exact_sums *out);
strew_tensor *exact_round(struct steps *steps, const struct exact_job *job, const struct exact_sums *sums);
/* True for results of which a term, or self, has a mark (`of_self` NULL: there is none); every term of which is -0. */
strew_tensor *exact_any(struct steps *steps, const struct exact_job *job, strew_tensor *is, strew_tensor *of_self);
strew_tensor *exact_minus_zeros(struct steps *steps, const struct exact_job *job);
/* Limb or part k of x, stored. */
strew_tensor *exact_part(struct steps *steps, strew_tensor *x, const struct exact_sums *sums, int k);
/* What variances of `counts` elements are divided by, as float64, on their device. */
strew_tensor *exact_divisors(struct steps *steps, const struct exact_divisor *divisor, strew_tensor *counts);
/* 2^(p + 52) for the exponent p of a place in x. */
double exact_bound(const strew_tensor *x, int place);

#endif
