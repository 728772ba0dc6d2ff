/* device.h: the interface of devices: the plans of the core, and the table of functions. Each device has a device.c.
   Families beside the core have headers of their own: elementwise_ops.h, reduce_ops.h, order_ops.h, ... */
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
   (core/cpu/scatter/mean.c). */
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
  bool *unsorted; /* true: a value is less than the one before it in a line. A device that finds one may say so */
};

/* Bytes from self's first destination to the end of the last one. */
size_t scatter_target_bytes(const struct scatter_plan *plan);

/* Operand GATHER_SELF has stride 0 along dim. */
struct gather_plan {
  struct plan plan;
  int64_t step, size;
  strew_mode mode;
  bool check; /* as in scatter_plan; out is dropped where a value is bad */
  int64_t lowest;
};

/* The smallest and largest value of an index. */
struct index_range {
  int64_t lowest, highest;
};

/* A status within the engine, which no call returns: an optional entry has done nothing, the caller composes. */
#define STREW_DECLINED ((strew_status)-1)

/* The functions of a device, X(result, name, parameters): members of its table, which are the functions cpu_NAME and
   opencl_NAME. Every device has all of them but the OPTIONAL ones: for NULL, and where one returns STREW_DECLINED,
   calls are composed of other functions, or done on the CPU. Arguments are checked before: no plan is empty. Those of
   a family that is no part of the core stand in a table of its own, NAME_ops.h.

     open             makes the device ready, if it is not
     describe         writes the device's description, unless it was written when the device was found. Optional
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
     index_range      the smallest and the largest value of operand 0 */
#define ON_DEVICE const struct call *call, strew_device *device
#define DEVICE_ENTRIES(X, OPTIONAL)                                                                                    \
  X(strew_status, open, (ON_DEVICE))                                                                                   \
  OPTIONAL(void, describe, (strew_device * device))                                                                    \
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
  X(strew_status, index_range, (ON_DEVICE, const struct plan *plan, struct index_range *range))

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

/* The families beside the core, X(member, struct of its functions, their list): each has a header, NAME_ops.h. A device
   has the tables of those that are part of the build, cpu_NAME_ops and opencl_NAME_ops; the others are NULL. */
#define DEVICE_FAMILIES(X)                                                                                             \
  X(elementwise, elementwise_ops, ELEMENTWISE_ENTRIES)                                                                 \
  X(random, random_ops, RANDOM_ENTRIES)                                                                                \
  X(reduce, reduce_ops, REDUCE_ENTRIES)                                                                                \
  X(exact, exact_ops, EXACT_ENTRIES)                                                                                   \
  X(order, order_ops, ORDER_ENTRIES)                                                                                   \
  X(linalg, linalg_ops, LINALG_ENTRIES)                                                                                \
  X(groups, group_ops, GROUP_ENTRIES)                                                                                  \
  X(programs, combine_ops, COMBINE_ENTRIES)
#define DEVICE_FAMILY(member, functions, entries) const struct functions *member;
#define DEVICE_MEMBER(result, name, parameters)   result(*name) parameters;
struct device_ops {
  bool host_memory;                 /* storage->data is an address in this process */
  unsigned reads;                   /* enum reader: from these, storages with a program are not stored first */
  const struct one_pass_mean *mean; /* optional; NULL: means are made by scatter and divide_by_count */
  DEVICE_ENTRIES(DEVICE_MEMBER, DEVICE_MEMBER)
  DEVICE_FAMILIES(DEVICE_FAMILY)
};

extern const struct device_ops cpu_ops;
/* An entry of the device that has a tensor. */
#define RUN_ON(tensor, entry, call, ...)                                                                               \
  (tensor)->storage->device->ops->entry(call, (tensor)->storage->device, __VA_ARGS__)

/* ------------------------------------------------------------------------------------------------------ deferred.c */

/* The cost of an element, in sums. */
int64_t program_cost(const struct elementwise_plan *program);
static inline bool is_deferred(const strew_tensor *tensor) { return tensor->storage->store != NULL; }
/* A tensor without memory on the device, to be given its program: see struct storage for `check`, NULL if there are no
   indices, and `release`. Any call may store it from then on. */
strew_status deferred_create(const struct call *call, strew_device *device, strew_dtype dtype, int rank,
                             const int64_t *sizes, strew_tensor **out);
void deferred_give(strew_tensor *tensor, const struct elementwise_plan *program,
                   strew_status (*check)(const struct call *call, struct storage *storage, bool now),
                   void (*release)(void *user), void *user);
/* Computes the elements of a deferred tensor into memory, which is its own from then on. */
strew_status tensor_store(const struct call *call, const strew_tensor *tensor);
/* Before a call reads a tensor (NULL: passes) once: stores a deferred one where the device does not read it, where
   threads would take longer, and where `written` (NULL: nothing that must stay if the call fails) is an input; checks
   its indices where something is written. */
strew_status deferred_open(const struct call *call, const strew_tensor *tensor, enum reader reader,
                           const strew_tensor *written);
/* After a deferred tensor was read: fails if an index was out of range. What was made of it is void. */
strew_status deferred_close(const struct call *call, const strew_tensor *tensor);

/* opencl/core/platform.c: fills context->found. */
void opencl_find_devices(strew_context *context);

#endif
