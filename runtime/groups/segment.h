/* segment.h: groups of consecutive elements, segments, by the tensor that gives them: segment.c. */
#ifndef STREW_GROUPS_SEGMENT_H
#define STREW_GROUPS_SEGMENT_H

#include "groups.h"
#include "runtime/core/base/steps.h"

/* A tensor that gives segments, and the tensor whose elements they are of, with their names in messages. */
struct segments {
  const char *name, *src_name;
  strew_tensor *tensor, *src;
  struct shape1 shape; /* src's */
  int dim;             /* along which segments lie */
};

struct segments segments_of(const char *name, strew_tensor *tensor, const char *src_name, strew_tensor *src);
/* A view of a tensor, with one dimension if it has none. */
strew_tensor segments_line(const strew_tensor *tensor);
/* Fails unless the operands are on one device, and the tensor is an index of a shape that fits src. */
strew_status segments_check(const struct call *call, const struct segments *given);
/* Fails unless ends are in order and in range. */
strew_status segments_check_ends(const struct call *call, const struct segments *ends);
strew_status segments_check_axis(const struct call *call, const struct segments *given, const char *name,
                                 const int *axis);
/* The number of segments between ends; without any there is none. */
int64_t segments_between(const struct segments *given, const strew_tensor *ends);
/* Fails unless lengths add up to the size of src. The ends of such segments: 0, then the sums so far. */
strew_status segments_check_lengths(struct steps *steps, const struct segments *lengths);
strew_tensor *segments_ends_of_lengths(struct steps *steps, const strew_tensor *lengths);
/* Checks a given result (NULL: passes), first its number of segments. */
void segments_check_out(struct steps *steps, const struct segments *given, int64_t count, strew_dtype dtype,
                        strew_tensor *out);

/* A reduction of checked segments into values of src's dtype. */
struct segment_reduction {
  const struct segments *given;
  strew_tensor *ends;
  strew_reduction reduction;
  union element start, empty;
};

/* By ends, from the identity on. Segments without elements are 0, 1 for a product. */
struct segment_reduction segments_reduction(const struct segments *ends, strew_reduction reduction);
/* Reduces into *out, given and checked, or made here, and *arg, which is made here, unless arg is NULL. */
void segments_reduce(struct steps *steps, const struct segment_reduction *reducing, strew_tensor **out,
                     strew_tensor **arg);
/* The index of ends, which are in order: int64, with size 1 where they have it, -1 between segments. */
strew_tensor *segments_index(struct steps *steps, const struct segments *given, strew_tensor *ends);
/* Checks ends. Returns that index, and sets dim, dim_size and mode. */
strew_tensor *group_index_of_ends(struct steps *steps, strew_tensor *ends, strew_tensor *src,
                                  struct group_options *options);

/* Fails at the first value of an index that is less than the one before it, unless a negative one, which is left to
   others, comes first; fails with that one. */
strew_status segments_check_sorted(const struct call *call, const struct segments *index, bool *has_negative);
strew_status segments_fail_negative(const struct call *call, const struct segments *index);
/* True if the index has an entry for each element, and the call no errors but those of index values. */
bool segments_are_plain(const struct segments *index, strew_tensor *src, const struct group_options *options,
                        bool with_arg);
/* Reduces such a sorted index by its ends, if it has few rows; else *out stays NULL. */
void segments_reduce_sorted(struct steps *steps, const struct segments *index, int64_t dim_size,
                            strew_reduction reduction, strew_tensor **out, strew_tensor **arg);

#endif
