/* opencl.h: what the files of opencl/ share and nobody else sees.

   The OpenCL side of a call: a family's file (scatter.c, reduce.c, ...) chooses a kernel and the lines that specialise
   it, binds its arguments and enqueues it (struct launch). Kernels are made at first use from real files under kernels/
   (program.c), kept in memory and, as the driver's binaries, on disk (cache.c). One queue per device works in order, so
   that nothing waits for a kernel but who wants to see a value: read, finish, and the word of an index check. */
#ifndef STREW_OPENCL_H
#define STREW_OPENCL_H

#define CL_TARGET_OPENCL_VERSION          120
#define CL_USE_DEPRECATED_OPENCL_1_2_APIS /* clCreateCommandQueue: of OpenCL 1.2, which is the floor */
#include "runtime/device.h"

#include <CL/cl.h>
#include <signal.h>

/* ----------------------------------------------------------------------------------------------------- library.c */

/* The loader's functions, looked up when a script first asks for a device: programs that stay on the CPU load none. */
#define OPENCL_CALLS(X)                                                                                                \
  X(clGetPlatformIDs)                                                                                                  \
  X(clGetPlatformInfo)                                                                                                 \
  X(clGetDeviceIDs)                                                                                                    \
  X(clGetDeviceInfo)                                                                                                   \
  X(clCreateContext)                                                                                                   \
  X(clReleaseContext)                                                                                                  \
  X(clCreateCommandQueue)                                                                                              \
  X(clReleaseCommandQueue)                                                                                             \
  X(clCreateBuffer)                                                                                                    \
  X(clReleaseMemObject)                                                                                                \
  X(clCreateProgramWithSource)                                                                                         \
  X(clCreateProgramWithBinary)                                                                                         \
  X(clBuildProgram)                                                                                                    \
  X(clGetProgramInfo)                                                                                                  \
  X(clGetProgramBuildInfo)                                                                                             \
  X(clReleaseProgram)                                                                                                  \
  X(clCreateKernel)                                                                                                    \
  X(clReleaseKernel)                                                                                                   \
  X(clSetKernelArg)                                                                                                    \
  X(clEnqueueNDRangeKernel)                                                                                            \
  X(clEnqueueReadBuffer)                                                                                               \
  X(clEnqueueWriteBuffer)                                                                                              \
  X(clEnqueueCopyBuffer)                                                                                               \
  X(clEnqueueMarkerWithWaitList)                                                                                       \
  X(clGetEventInfo)                                                                                                    \
  X(clReleaseEvent)                                                                                                    \
  X(clFlush)                                                                                                           \
  X(clFinish)
struct opencl_library {
#define MEMBER(name) __typeof__(name) *name;
  OPENCL_CALLS(MEMBER)
#undef MEMBER
};
extern struct opencl_library cl; /* once opencl_library was asked */
/* NULL: it is there. Else what is missing. */
const char *opencl_library(void);
/* "CL_OUT_OF_RESOURCES", ... */
const char *cl_error_name(cl_int error);

/* ------------------------------------------------------------------------------------------------------ shield.c */

/* Between the two, what a driver starts is safe from the terminal's signals; the host's thread gets them afterwards. */
void shield_raise(sigset_t *before);
void shield_lower(const sigset_t *before);

/* ------------------------------------------------------------------------------------------------------ device.c */

enum { PROGRAM_SLOTS = 256, FREE_BLOCKS = 64 };

struct block { /* a buffer, in use by a storage or as scratch, or free */
  cl_mem memory;
  size_t size_bytes;
};

/* What strew_device.state is. */
struct opencl {
  cl_platform_id platform;
  cl_device_id device;
  bool open, lost;
  cl_context context;
  cl_command_queue queue;
  bool is_gpu; /* many small processors: no long loop in one work-item (else: few large ones, as a CPU) */
  cl_uint units;
  size_t largest_group, memory_bytes, largest_bytes;
  int64_t longest_loop;          /* turns that one work-item may take in one launch */
  int64_t most_turns;            /* of all work-items of a launch together: at most 0.1 s, for nothing stops one */
  bool int64_atomics;            /* cl_khr_int64_base_atomics and _extended_ */
  unsigned software;             /* operations of float32 that integers have to do: */
  uint64_t sorts_tried;          /* programs whose sorts are right, a bit each */
  bool plain_sorts;              /* the compiler's optimisations get sorts wrong: they are built without */
  char driver[128], options[96]; /* of the compiler */
  char prelude[320];             /* lines put in front of every kernel file: what the device has */
  struct program *programs[PROGRAM_SLOTS];
  struct block free_blocks[FREE_BLOCKS]; /* the most recently freed last */
  int free_count;
  size_t free_bytes;
  int64_t launches, read_bytes;
  bool busy;        /* is there, perhaps, work in the queue? */
  cl_event portion; /* the end of the last full portion of launches; NULL at first */
  struct {
    int64_t launches, turns;
  } since; /* that portion: the one being filled */
};
enum software {
  SOFT_SUM = 1,
  SOFT_PRODUCT = 2,
  SOFT_DIVIDE = 4,
  SOFT_ROOT = 8,
  SOFT_COMPARE = 16,
  SOFT_CONVERT = 32,
  SOFT_WIDEN = 64
};

static inline struct opencl *opencl_of(const strew_device *device) { return device->state; }

/* Makes context and queue and asks the device what it can do; at first use. */
strew_status opencl_open(const struct call *call, strew_device *device);
void opencl_close(strew_device *device);
extern const struct device_ops opencl_ops;
/* Is the device to be taken for one that it is not? Words of STREW_OPENCL_ASSUME. */
bool opencl_assumed(const char *word);
/* Which operations the device gets wrong, by chosen operands. probe.c */
strew_status opencl_probe(const struct call *call, strew_device *device);
/* Sorts by a program that need not have been tested on this device: see probe_sort.c. sort.c */
strew_status sort_untested(const struct call *call, strew_device *device, const struct sort_plan *plan);
/* True if an earlier process found that the device sorts right only without optimisations. */
bool opencl_knows_plain_sorts(strew_device *device);

/* In text (of TEXT_BYTES): what is in use, of how much, and what to do. */
const char *hint_of_memory(const strew_device *device, char *text);
/* A failed OpenCL function, as an error that says which, on what device, and what to do. */
strew_status fail_opencl(const struct call *call, strew_device *device, const char *function, cl_int error);
/* Where `lost`: whatever the driver would do by now, nothing more is asked of it. */
strew_status fail_lost(const struct call *call, strew_device *device);

/* ------------------------------------------------------------------------------------------------------ buffer.c */

/* Blocks come from the pool of freed ones where one fits, else from the driver. In an in-order queue a block may be
   given back as soon as the last launch that uses it is enqueued. */
strew_status block_allocate(const struct call *call, strew_device *device, size_t size_bytes, struct block *block);
void block_free(strew_device *device, struct block *block);
void blocks_trim(strew_device *device, size_t keep_bytes);
/* Frees the free blocks of all devices. */
void opencl_drop_kept(strew_context *context);
/* Gives all free blocks back to the driver; false where there were none. */
bool blocks_make_room(strew_device *device);
/* Host memory to a block, and back: both wait. */
strew_status block_write(const struct call *call, strew_device *device, const struct block *to, size_t offset_bytes,
                         const void *from, size_t size_bytes);
strew_status block_read(const struct call *call, strew_device *device, const struct block *from, size_t offset_bytes,
                        void *to, size_t size_bytes);

strew_status opencl_allocate(const struct call *call, strew_device *device, size_t size_bytes, struct storage *storage);
void opencl_release(struct storage *storage);
strew_status opencl_write(const struct call *call, struct storage *to, size_t offset_bytes, const void *from,
                          size_t size_bytes);
strew_status opencl_read(const struct call *call, const struct storage *from, size_t offset_bytes, void *to,
                         size_t size_bytes);
strew_status opencl_finish(const struct call *call, strew_device *device);

/* ------------------------------------------------------------------------------------------------------- wait.c */

/* Waits for all that was enqueued, or until the call has to stop: then its failure. */
strew_status opencl_wait(const struct call *call, strew_device *device);
/* Before each launch, of so many turns: counts it, and waits where too much is outstanding. */
strew_status opencl_throttle(const struct call *call, strew_device *device, int64_t turns);

/* ---------------------------------------------------------------------------------------------------- program.c */

/* One kernel of a file under kernels/, specialised by `settings`, "NAME=value NAME=value", each a #define in front.
   Built at first use. */
strew_status kernel_find(const struct call *call, strew_device *device, const char *file, const char *name,
                         const char *settings, cl_kernel *out);
void programs_release(strew_device *device);

/* cache.c: the binary that was kept under this key (a text of everything that decides it), or NULL; memory_free'n by
   the caller. Trouble of any kind means that nothing is found, or nothing kept. */
void *cache_find(strew_context *context, const char *key, size_t *size_bytes);
void cache_keep(const char *key, const void *binary, size_t size_bytes);

/* ----------------------------------------------------------------------------------------------------- launch.c */

/* A kernel with its arguments, bound one after the other in the order of its parameters; the first failure is kept, and
   told by launch_run, so that a launch reads as one sequence:
     struct launch launch;
     launch_start(&launch, call, device, "copy.cl", "copy", "T=%s OUTER=%d", "f32", space.outer);
     launch_space(&launch, &space);
     launch_operand(&launch, &space, 0);
     return launch_rows(&launch, &space); */
struct launch {
  const struct call *call;
  strew_device *device;
  cl_kernel kernel;
  cl_uint bound; /* arguments so far */
  int64_t turns; /* that a work-item takes, or with launch_groups a group: 1, or what is set before */
  bool goes_on;  /* with what an earlier launch has begun to write */
  strew_status status;
};

/* A plan as kernels see it (kernels/space.h): columns, which is its last dimension, and rows, which are all others;
   `outer` says in how many numbers a row's coordinates are kept: 1, 4 or 16. */
struct space {
  const struct plan *plan;
  int outer;
  int64_t columns, rows;
};
struct space space_of(const struct plan *plan);

/* S of scalar.h: "f32", ... */
const char *dtype_suffix(strew_dtype dtype);

void launch_start(struct launch *launch, const struct call *call, strew_device *device, const char *file,
                  const char *name, const char *settings_format, ...) __attribute__((format(printf, 6, 7)));
void launch_value(struct launch *launch, const void *value, size_t size_bytes);
void launch_int(struct launch *launch, int64_t value); /* a `const long` */
void launch_block(struct launch *launch, const struct block *block);
/* SPACE */
void launch_space(struct launch *launch, const struct space *space);
/* OPERAND(T, name) of kernels/space.h: an operand of the plan. One without storage binds no memory. */
void launch_operand(struct launch *launch, const struct space *space, int operand);
/* STRIDES(name): those of an operand alone. */
void launch_strides(struct launch *launch, const struct space *space, int operand);
/* Just the memory of an operand, and its offset. */
void launch_memory(struct launch *launch, const struct operand *operand);
/* These enqueue launches of whole groups and at most most_turns, as many as it takes; ids count through all of them
   (group_id of kernels/prelude.h). Where the call has to stop between two of them, the first ones have written already;
   where OpenCL fails there, the device is lost.
   One work-item per (column, row). */
strew_status launch_rows(struct launch *launch, const struct space *space);
/* One work-item for each of `count`, in groups of GROUP; more are started than asked for, so kernels compare. */
enum { GROUP = 64 };
strew_status launch_items(struct launch *launch, int64_t count);
/* `groups` groups of `size` work-items: size is GROUP, 1, or another of few. */
strew_status launch_groups(struct launch *launch, int64_t groups, size_t size);
/* How often a loop of `each` turns may go round where the caller's sizes say how often: a longer one goes on in another
   launch. */
int64_t longest_run(const strew_device *device, int64_t each);

/* How many work-items the groups of such kernels have, their setting GROUP_SIZE: GROUP where a device takes no more. */
static inline size_t large_group(const strew_device *device) {
  return opencl_of(device)->largest_group >= 256 ? 256 : GROUP;
}

/* ------------------------------------------------------------------------------------ the families' entries */

strew_status opencl_copy(const struct call *call, strew_device *device, const struct plan *plan);
strew_status opencl_scatter(const struct call *call, strew_device *device, const struct scatter_plan *plan, bool *bad);
strew_status opencl_divide_by_count(const struct call *call, strew_device *device, const struct plan *plan,
                                    int64_t extra);
strew_status opencl_gather(const struct call *call, strew_device *device, const struct gather_plan *plan, bool *bad);
strew_status opencl_index_check(const struct call *call, strew_device *device, const struct plan *plan, int64_t lowest,
                                int64_t highest, int64_t *bad);
strew_status opencl_index_range(const struct call *call, strew_device *device, const struct plan *plan,
                                struct index_range *range);
strew_status opencl_elementwise(const struct call *call, strew_device *device, const struct elementwise_plan *plan);
strew_status opencl_find_zero(const struct call *call, strew_device *device, const struct plan *plan,
                              strew_dtype compute, int64_t *place);
strew_status opencl_reduce(const struct call *call, strew_device *device, const struct reduce_plan *plan);
strew_status opencl_cumsum(const struct call *call, strew_device *device, const struct scan_plan *plan);
strew_status opencl_sort(const struct call *call, strew_device *device, const struct sort_plan *plan);
strew_status opencl_nonzero(const struct call *call, strew_device *device, const struct plan *plan, struct operand *out,
                            int64_t *count);
strew_status opencl_random(const struct call *call, strew_device *device, const struct random_plan *plan);
strew_status opencl_ramp(const struct call *call, strew_device *device, const struct ramp_plan *plan);
strew_status opencl_matmul(const struct call *call, strew_device *device, const struct plan *plan, int64_t k);

#endif
