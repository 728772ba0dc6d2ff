/* opencl.h: declarations shared by the files of opencl/, private to that folder.

   A call runs like this: a family's file (scatter.c, reduce.c, ...) chooses a kernel and the macros that specialise it,
   binds the arguments and enqueues it (struct launch). Kernels are compiled at first use from the files under kernels/
   (program.c), then kept in memory and, as driver binaries, on disk (cache.c). Each device has one in-order command
   queue. The host waits for it only to read a value: a read, a finish, or the verdict of an index check. */
#ifndef STREW_OPENCL_H
#define STREW_OPENCL_H

#define CL_TARGET_OPENCL_VERSION          120
#define CL_USE_DEPRECATED_OPENCL_1_2_APIS /* clCreateCommandQueue, deprecated since 2.0; strew needs OpenCL 1.2 only */
#include "runtime/core/base/device.h"
#include "runtime/core/base/elementwise_ops.h"
#include "runtime/core/base/library.h"

#include <CL/cl.h>
#include <signal.h>

/* -------------------------------------------------------------------------------------------------------- library.c */

/* Functions of the OpenCL loader, looked up when a device is first named: programs that stay on the CPU load no
   driver. */
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
  X(clEnqueueMapBuffer)                                                                                                \
  X(clEnqueueUnmapMemObject)                                                                                           \
  X(clEnqueueMarkerWithWaitList)                                                                                       \
  X(clGetEventInfo)                                                                                                    \
  X(clReleaseEvent)                                                                                                    \
  X(clFlush)                                                                                                           \
  X(clFinish)
struct opencl_library {
  OPENCL_CALLS(LIBRARY_MEMBER)
};
extern struct opencl_library cl; /* filled by opencl_library */
/* Loads OpenCL; returns NULL, or text that says what is missing. */
const char *opencl_library(void);
/* The name of an error code, as "CL_OUT_OF_RESOURCES". */
const char *opencl_error_name(cl_int error);

/* True if STREW_OPENCL_ASSUME contains `word`: tests make a device behave like another. */
bool opencl_assumed(const char *word);
/* Returns the hint: bytes in use, size of the device's memory, what to do. */
const char *opencl_memory_hint(const struct call *call, const strew_device *device);
/* Fails with the OpenCL function, the device, the error code and a hint. */
strew_status opencl_fail(const struct call *call, strew_device *device, const char *function, cl_int error);
/* Fails because the device is lost: no driver function is called for it any more. */
strew_status opencl_fail_lost(const struct call *call, strew_device *device);

/* Blocks the terminal's signals in this thread, and so in threads and processes that a driver starts meanwhile;
   opencl_restore_signals delivers pending ones. */
void opencl_block_signals(sigset_t *before);
void opencl_restore_signals(const sigset_t *before);
/* The same from a call's first launch on, until it ends or waits. */
struct opencl;
void opencl_hold_signals(struct opencl *on);
void opencl_let_signals(struct opencl *on);

/* --------------------------------------------------------------------------------------------------------- device.c */

enum { KERNEL_SLOTS = 256, FREE_BLOCKS = 64 };

struct block { /* a device buffer: owned by a storage, used as scratch, or in the pool of free ones */
  cl_mem memory;
  size_t size_bytes;
};

/* The type of strew_device.state. */
struct opencl {
  cl_platform_id platform;
  cl_device_id device;
  bool open, lost;
  cl_context context;
  cl_command_queue queue;
  bool is_gpu; /* many small cores: no long loop in one work-item; else few large ones, as a CPU */
  cl_uint units;
  size_t largest_group, memory_bytes, largest_bytes, argument_bytes; /* the last: of a kernel */
  int64_t longest_loop;          /* most loop iterations (turns) of one work-item in one launch */
  int64_t most_turns;            /* of all work-items of a launch: at most 0.1 s, because a launch cannot be stopped */
  bool int64_atomics;            /* cl_khr_int64_base_atomics and cl_khr_int64_extended_atomics */
  unsigned software;             /* enum software: float32 operations emulated with integers */
  uint64_t sorts_tried;          /* one bit per sort program that passed its test */
  bool plain_sorts;              /* sorts are right only if compiled without optimisation */
  char driver[128], options[96]; /* driver version; compiler options */
  char prelude[384];             /* macros in front of every program: features of the device */
  char *texts;                   /* of embedded.h's kernel files; NULL until the first is needed */
  struct program *programs;
  struct kernel *kernels[KERNEL_SLOTS];
  struct block free_blocks[FREE_BLOCKS]; /* newest last */
  int free_count;
  size_t free_bytes;
  int64_t launches, read_bytes;
  struct {
    cl_mem memory;
    char *bytes;      /* it, mapped while the device is open */
    size_t used;      /* by transfers in the queue */
  } staging;          /* the driver's host memory, through which small transfers go: see buffer.c */
  bool busy;          /* the queue may hold unfinished commands */
  bool holds_signals; /* blocks the terminal's; the thread's mask before is in `signals` */
  sigset_t signals;
  cl_event batch_end; /* marker behind the last full batch of launches, or NULL */
  struct {
    int64_t launches, turns;
  } batch; /* the batch being filled */
};
/* Operations that integers compute in the device's place, if its own are not exact: X(flag, bit, results of probe.c that
   show it, macro of the kernels, text of --devices). WIDEN is a defect in the conversion of int32 to int64. */
#define SOFTWARE(X)                                                                                                    \
  X(SUM, 0, BIT(SUM), "SOFT_FLOAT32_SUM", " + -")                                                                      \
  X(PRODUCT, 1, BIT(PRODUCT) | BIT(SUM_OF_PRODUCT), "SOFT_FLOAT32_PRODUCT", " *")                                      \
  X(DIVIDE, 2, BIT(QUOTIENT), "SOFT_FLOAT32_DIVIDE", " /")                                                             \
  X(ROOT, 3, BIT(ROOT), "SOFT_FLOAT32_ROOT", " sqrt")                                                                  \
  X(COMPARE, 4, BIT(LESS), "SOFT_FLOAT32_COMPARE", " < ==")                                                            \
  X(CONVERT, 5, BIT(FROM_INT64), "SOFT_FLOAT32_CONVERT", " int64 to float32")                                          \
  X(WIDEN, 6, BIT(NEGATIVE), "WIDEN_BY_HALVES", "")                                                                    \
  X(FUSED, 7, BIT(FUSED), "SOFT_FLOAT32_FUSED", " fma")                                                                \
  X(FUSED64, 8, 0u, "SOFT_FLOAT64_FUSED", " fma of float64")                                                           \
  X(INTEGERS, 9, BIT(BY_ZERO) | BIT(OF_TRUTH), "HIDES_INTEGERS", "")
enum software {
#define ROW(flag, bit, results, macro, text) SOFT_##flag = 1 << bit,
  SOFTWARE(ROW)
#undef ROW
};

static inline struct opencl *opencl_of(const strew_device *device) { return device->state; }

/* Releases what opencl_open has created: context and queue. */
void opencl_close(strew_device *device);
extern const struct device_ops opencl_ops;

/* ------------------------------------------------------------------------------------ probe.c, probe_sort.c, sort.c */

/* Tests the device's arithmetic with chosen operands and sets `software`. */
strew_status opencl_probe(const struct call *call, strew_device *device);
/* True if an earlier process found that the device sorts right only without optimisation. */
bool opencl_knows_plain_sorts(strew_device *device);
void opencl_use_plain_sorts(strew_device *device); /* from now on, and in later processes */
/* Sorts without testing the device first; opencl_sort (probe_sort.c) tests, then calls this. */
struct sort_plan; /* order_ops.h */
strew_status opencl_sort_untested(const struct call *call, strew_device *device, const struct sort_plan *plan);

/* --------------------------------------------------------------------------------------------------------- buffer.c */

/* Buffers come from the pool of freed ones if one has the right size, else from the driver. Because the queue is in
   order, a buffer may be freed as soon as its last use is enqueued. */
strew_status block_allocate(const struct call *call, strew_device *device, uint64_t asked_bytes, struct block *block);
void block_free(strew_device *device, struct block *block);
/* Releases the oldest free buffers until at most keep_bytes are kept. */
void blocks_trim(strew_device *device, size_t keep_bytes);
/* Releases the free buffers of all devices. */
void opencl_drop_kept(strew_context *context);
/* Releases all free buffers of the device; false if there were none. */
bool blocks_reclaim(strew_device *device);
/* Writes or reads a buffer, from byte `at` on; waits, but not for a write of few bytes, which a copy of them serves.
   `host` is only read if `writes`. */
strew_status block_transfer(const struct call *call, strew_device *device, const struct block *block, size_t at,
                            const void *host, size_t size_bytes, bool writes);

/* ------------------------------------------------------------------------------------------------------- throttle.c */

/* Waits for all enqueued commands, or until the running call must stop, then fails. */
strew_status opencl_wait(const struct call *call, strew_device *device);
/* The same by the last command's event, which it releases. */
strew_status opencl_wait_last(const struct call *call, strew_device *device, cl_event last);
/* Call before each launch, of `turns` loop iterations in all: counts it and waits if too much work is pending. */
strew_status opencl_throttle(const struct call *call, strew_device *device, int64_t turns);

/* -------------------------------------------------------------------------------------------------------- program.c */

/* What a launch asks for, before it is printed: the literals and the arguments of launch_start, with zeros to the next
   multiple of 8 bytes. The longest have a program's settings. */
enum { LONGEST_SETTINGS = 512 + 192 * MOST_INSTRUCTIONS, LONGEST_KEY = LONGEST_SETTINGS + 256 };
struct recipe {
  size_t size_bytes;
  char bytes[LONGEST_KEY + 256];
};
/* The kernel that was made by this recipe, or NULL. */
cl_kernel kernel_find(strew_device *device, const struct recipe *recipe);
/* Makes the kernel `name` of the program with this key: a file of kernels/, a newline, and settings that specialise it,
   "NAME=value NAME=value": each becomes a #define in front of the text. Programs are compiled at first use. */
strew_status program_kernel(const struct call *call, strew_device *device, const char *key, const char *name,
                            const struct recipe *recipe, cl_kernel *out);
/* Releases all programs and their kernels, and the texts. */
void program_release_all(strew_device *device);

/* ---------------------------------------------------------------------------------------------------------- cache.c */

/* cache_find: the binary stored under this key (a text of all that determines it), or NULL; the caller frees it by
   memory_free. cache_is_usable: whether there is a folder for binaries. No function fails: on any error nothing is
   found, nothing stored. */
bool cache_is_usable(void);
void *cache_find(strew_context *context, const char *key, size_t *size_bytes);
void cache_store(const char *key, const void *binary, size_t size_bytes);

/* --------------------------------------------------------------------------------------------------------- launch.c */

enum { MOST_SCRATCH = 16 }; /* blocks at a time; a scatter by sorting takes 10 */

/* The launches of one call, one after another. Arguments are bound in the order of the kernel's parameters. The first
   failure is kept, later steps do nothing, and functions that enqueue return it:
     struct launch launch = {.call = call, .device = device};
     launch_start(&launch, "copy.cl", "copy", "T=%s OUTER=%d", "f32", space.outer);
     launch_space(&launch, &space);
     launch_operand(&launch, &space, 0);
     launch_rows(&launch, &space);
     return launch_end(&launch); */
struct launch {
  const struct call *call;
  strew_device *device;
  strew_status status;
  cl_kernel kernel;
  cl_uint bound;  /* arguments so far */
  int64_t turns;  /* loop iterations per work-item, of launch_groups per group; 1 unless set */
  bool continues; /* an earlier launch of the same operation has already written */
  struct block scratch[MOST_SCRATCH];
};

/* A scratch block that launch_end frees, or NULL after a failure. */
struct block *launch_scratch(struct launch *launch, uint64_t size_bytes);
/* Frees a scratch block, or none if NULL, earlier. */
void launch_free(struct launch *launch, struct block *block);
/* Ends every call that launches: frees all scratch; returns the first failure. */
strew_status launch_end(struct launch *launch);
/* As block_transfer; nothing after a failure. What a failed read has written does not count. */
void launch_write(struct launch *launch, const struct block *to, const void *from, size_t size_bytes);
void launch_read(struct launch *launch, const struct block *from, size_t offset_bytes, void *to, size_t size_bytes);

/* A plan as kernels see it (kernels/space.h): `columns` is its last dimension, `rows` the product of the others. A
   row's coordinates are a vector of `outer` numbers: 1, 4 or 16. */
struct space {
  const struct plan *plan;
  int outer;
  int64_t columns, rows;
};
struct space space_of(const struct plan *plan);
/* " NARROW", a setting of kernels/space.h, on a GPU where all offsets in the operands fit in 31 bits; else "". */
const char *space_width(const strew_device *device, const struct plan *plan);

/* One number per outer dimension as `vector`, of `outer`, right-aligned; `filling` pads the front. */
void space_vector(const struct space *space, const int64_t *numbers, int64_t filling, int64_t *vector);

/* The dtype's suffix in scalar.h: "f32", ... */
const char *dtype_suffix(strew_dtype dtype);
/* The integer dtype of the same size: copies keep all bits, those of NaNs included. */
strew_dtype word_of(strew_dtype dtype);
/* The unsigned type of the dtype's size: "uint", ... */
const char *word_type(strew_dtype dtype);

/* Begins the launch of a kernel; file and settings are those of program_kernel. File, name and format are literals; the
   format has %s, %d and %zu alone. */
void launch_start(struct launch *launch, const char *file, const char *name, const char *settings_format, ...)
    __attribute__((format(printf, 4, 5)));
void launch_value(struct launch *launch, const void *value, size_t size_bytes);
/* Several in order: each a `const long`, a `const int` (a truth value, bits of a verdict), or a struct block, of which
   NULL binds no memory. */
#define launch_ints(launch, ...)  LAUNCH_LIST(launch, int64_t, __VA_ARGS__)
#define launch_flags(launch, ...) LAUNCH_LIST(launch, cl_int, __VA_ARGS__)
#define LAUNCH_LIST(launch, type, ...)                                                                                 \
  launch_list(launch, (type const[]){__VA_ARGS__}, sizeof((type const[]){__VA_ARGS__}) / sizeof(type), sizeof(type))
#define launch_blocks(launch, ...)                                                                                     \
  launch_block_list(launch, (struct block const *const[]){__VA_ARGS__},                                                \
                    sizeof((struct block const *const[]){__VA_ARGS__}) / sizeof(struct block *))
void launch_list(struct launch *launch, const void *values, size_t count, size_t size_bytes);
void launch_block_list(struct launch *launch, const struct block *const *blocks, size_t count);
/* Binds SPACE of kernels/space.h. */
void launch_space(struct launch *launch, const struct space *space);
/* Binds OPERAND(T, name) of kernels/space.h. An operand without storage binds no memory. */
void launch_operand(struct launch *launch, const struct space *space, int operand);
/* Binds SPACE and these operands. */
#define launch_plan(launch, space, ...)                                                                                \
  launch_plan_list(launch, space, (const int[]){__VA_ARGS__}, sizeof((const int[]){__VA_ARGS__}) / sizeof(int))
void launch_plan_list(struct launch *launch, const struct space *space, const int *operands, size_t count);
/* Binds STRIDES(name): an operand's strides alone. */
void launch_strides(struct launch *launch, const struct space *space, int operand);
/* Binds an operand's memory and its offset. */
void launch_memory(struct launch *launch, const struct operand *operand);
/* Enqueue the kernel in whole work-groups, split into launches of at most most_turns iterations. group_id of
   kernels/prelude.h counts through all launches. If the call must stop between two, the first have already written.
   If OpenCL fails there, the device is lost.

   launch_rows: one work-item per (column, row). */
strew_status launch_rows(struct launch *launch, const struct space *space);
/* One work-item for each of `count`, in groups of GROUP. The last group is padded, so kernels compare their id with
   `count`. */
enum { GROUP = 64 };
strew_status launch_items(struct launch *launch, int64_t count);
/* `groups` groups of `size` work-items: GROUP, 1, or one of few other sizes, because drivers compile for each. */
strew_status launch_groups(struct launch *launch, int64_t groups, size_t size);
/* The iterations that fit into one launch if each costs `each` turns: longer loops are split into several launches. At
   least 1. */
int64_t launch_iterations(const strew_device *device, int64_t each);

/* The size of large work-groups, GROUP_SIZE of the kernels: 256, or GROUP if the device allows no more. */
static inline size_t opencl_large_group(const strew_device *device) {
  return opencl_of(device)->largest_group >= 256 ? 256 : GROUP;
}

/* -------------------------------------------------------------------------------------------------- instructions.c */

/* A program as settings of kernels/program.h, and its numbers, arguments that come after the operands. */
enum { MOST_NUMBERS = MOST_INSTRUCTIONS * MOST_INPUTS };
struct described {
  char settings[LONGEST_SETTINGS];
  int number_count;
  union element numbers[MOST_NUMBERS];
  size_t number_bytes[MOST_NUMBERS];
};
void instructions_describe(const struct call *call, const struct elementwise_plan *plan, struct described *out);
/* The programs of a combination as settings of kernels/combine.cl. False: they are too long. */
struct combine_plan; /* combine_ops.h */
bool combination_describe(const struct call *call, const struct combine_plan *plan, struct described *out);
/* A number as an element of that dtype. */
union element number_as(const struct call *call, const struct instruction_input *in, strew_dtype dtype);
void launch_numbers(struct launch *launch, const struct described *described);
/* The most iterations of operations' own loops, for each unit of program_cost. */
enum { LOOPS_PER_TURN = 4 };
/* True if instructions take elements of that operand. */
bool program_has_table(const struct elementwise_plan *plan, int operand);
/* The word in which a program with tables notes the instructions whose index is out of range, an argument after the
   numbers; NULL: it has none. taken_end waits and sets `bad` of these instructions. */
struct block *taken_start(struct launch *launch, const struct elementwise_plan *plan);
void taken_end(struct launch *launch, const struct elementwise_plan *plan, const struct block *bad);

/* ------------------------------------------------------------------------------------------------------ computed.c */

/* An operand whose elements kernels read through kernels/computed.h. */
struct computed {
  const struct elementwise_plan *program; /* NULL: they are in memory */
  int64_t cost;                           /* of an element */
  struct described described;             /* settings: the program's, or S alone */
  struct block *bad;                      /* see taken_start */
  struct storage stored;
};
/* Takes an operand's program from it, or stores its elements in scratch. `words` is a bound of the kernel's other
   arguments, `loops` of the elements that a work-item reads in a launch. */
void computed_start(struct computed *computed, struct launch *launch, struct operand *operand, size_t words,
                    int64_t loops);
/* Binds PROGRAM. */
void computed_bind(struct launch *launch, const struct computed *computed);
/* After the last launch: as taken_end. */
void computed_end(struct launch *launch, const struct computed *computed);

/* --------------------------------------------------------------------------------------------------------- radix.c */

/* Replaces each of `count` numbers (uint, or ulong if `wide`) by the sum of those before it. A trailing 0 thus becomes
   the total. */
void opencl_prefix_sums(struct launch *launch, const struct block *numbers, int64_t count, bool wide);
/* True if a group sums the totals before its own by itself: of few on a GPU. */
bool prefix_has_few(const strew_device *device, int64_t totals);

/* Bytes of an item of kernels/items.h, a key and a position: 8 (key << 32 | position), or 16 if broad (ulong2(key,
   position)). */
static inline size_t item_bytes(bool broad) { return broad ? 16 : 8; }

/* `lines` contiguous lines of n items each. */
struct item_lines {
  int64_t lines, n; /* lines * n < 2^32 */
  bool broad;
  uint64_t bits; /* in which keys may differ: fewer take fewer passes */
};

/* A sort of items. On a GPU the kernel that counts digits adds up the totals of the tiles of their prefix sums. */
struct item_sort {
  struct item_lines shape;
  int64_t block, blocks; /* items per block, blocks per line */
  size_t group;          /* work-items per block */
  struct block *counts, *totals;
  int64_t tiles; /* totals; 0: there are none */
  int shift;     /* of the first digit; 64: no keys differ */
};
/* Allocates. */
void item_sort_start(struct item_sort *sort, struct launch *launch, const struct item_lines *shape);
/* Binds COUNTS of kernels/digits.h, the last arguments of a kernel that makes the items and counts their first digit, and
   enqueues it. is_sorted: no sort follows. */
void item_sort_make(struct item_sort *sort, struct launch *launch, bool is_sorted);
/* Sorts every line by key, stably: equal keys stay in memory order, whatever their positions. *items becomes the block
   that holds the result, the original or another of the same size. */
void item_sort_run(struct item_sort *sort, struct launch *launch, struct block *items);
void item_sort_end(struct item_sort *sort, struct launch *launch);

/* --------------------------------------------------------------------------------------------------------- index.c

   Passes over an index, and the verdict that the launches of one call write on the device (kernels/index.h). */

enum verdict { VERDICT_BAD = 1, VERDICT_UNSORTED = 2, VERDICT_LONG = 4 };
/* The words of a verdict: one per stage, and numbers that are read with them. */
enum { VERDICT_STAGES = 3, VERDICT_COUNTS = 2, VERDICT_WORDS = VERDICT_STAGES + VERDICT_COUNTS };

/* The distinct elements of an index operand and how kernels walk them. */
struct index_pass {
  struct launch *launch;
  struct plan values;
  struct space space;
  bool dense;
  bool ordered; /* checks find descents along the last dimension, too */
};
/* `values` has one operand and is simplified; with `ordered`, its last dimension is not merged with others. */
void index_pass_start(struct index_pass *pass, struct launch *launch, const struct plan *values);
/* A new verdict: UNSORTED if a few samples are out of order. */
struct block *verdict_sample(struct index_pass *pass);
/* Adds UNSORTED if values descend somewhere; with `check` BAD if one is outside of lowest..highest; LONG if one equals
   that `long_run` after it, unless this is 0. Does nothing if the verdict is UNSORTED already. */
void verdict_order(struct index_pass *pass, bool check, int64_t lowest, int64_t highest, int long_run,
                   const struct block *verdict);
/* A new verdict of no bits. */
struct block *verdict_clear(struct launch *launch);
/* A verdict that a kernel will initialise. */
struct block *verdict_allocate(struct launch *launch);
/* True if a value is outside of lowest..highest. Waits. */
bool index_pass_check(struct index_pass *pass, int64_t lowest, int64_t highest);
/* The verdict, all stages combined; 0 after a failure. Waits. The other one reads the numbers, too, or zeros. */
int verdict_read(struct launch *launch, const struct block *verdict);
int verdict_read_counts(struct launch *launch, const struct block *verdict, uint32_t counts[VERDICT_COUNTS]);

/* Binds LIMITS of kernels/index.h: the size of the indexed dimension and the mode for values out of range. In modes
   that do not map them into range they address no element. */
enum { MODE_AS_IS = 0, MODE_WRAP = 1, MODE_CLIP = 2 };
static inline void launch_limits(struct launch *launch, int64_t size, strew_mode mode) {
  launch_ints(launch, size);
  launch_flags(launch, mode == STREW_WRAP ? MODE_WRAP : mode == STREW_CLIP ? MODE_CLIP : MODE_AS_IS);
}
/* The index's type in kernels, I. */
static inline const char *index_type(strew_dtype dtype) { return dtype == STREW_INT64 ? "long" : "int"; }

/* ---------------------------------------------------------------------------------------------- the device's table */

/* Declares a function; those of a family are declared where they are defined. */
#define OPENCL_FUNCTION(result, name, parameters) result opencl_##name parameters;
#define OPENCL_NONE(result, name, parameters)
DEVICE_ENTRIES(OPENCL_FUNCTION, OPENCL_NONE)
#define OPENCL_ENTRY(result, name, parameters) .name = opencl_##name,
/* Defines the table of a family. */
#define OPENCL_TABLE(functions, ENTRIES)                                                                               \
  const struct functions opencl_##functions = {ENTRIES(OPENCL_ENTRY, OPENCL_NONE)};

#endif
