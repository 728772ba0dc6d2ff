/* strew_core.h: contexts, devices, tensors, views, scatter, gather and index: the first part of the public interface of
   libstrew, and its manual. strew.h includes it and has the rest; libstrew_core (make PARTS=core) has this part alone.

   A *context* owns devices, worker threads, an allocator, random numbers and limits. All state is in contexts; a
   process may have any number of them, and they are independent. A *device* (the CPU, an OpenCL device) belongs to a
   context and owns memory. A *tensor* is a reference-counted view of device memory: a dtype, up to STREW_MAX_RANK sizes
   and strides, an offset. Views share memory; a view keeps its memory and its context alive.

     strew_context_create(NULL, &context, &error);
     strew_device_find(context, "cpu", &cpu, &error);
     strew_wrap(cpu, STREW_FLOAT32, 1, &size, NULL, array, sizeof array, NULL, NULL, &sums, &error);
     strew_scatter(sums, 0, index, strew_of(src), &options, &sums, &error); // adds to the array, in place

   *Counting.* Dimensions and positions start at 0, and -1 is the last. The values of an index tensor start at 0;
   negative ones are valid with STREW_WRAP only. In row-major order the last dimension varies fastest.

   *Errors.* A call that can fail returns STREW_OK (0) or a code. Its last argument `error` may be NULL; it is filled on
   failure and left unchanged on success. A failed call has changed nothing, and *out is unchanged. There are two
   exceptions: an interrupted call in place may have written a part of its result (on the CPU the message says so), and
   a device is lost if an OpenCL driver fails in the middle of a long call: later calls on it fail. Each call documents
   its own codes. In addition
     STREW_EMEMORY                   any call that makes a tensor or needs scratch
     STREW_EINTERRUPTED, STREW_ETIME any call that reads or writes elements
     STREW_EDEVICE                   such a call on a device other than the CPU; tensors on different devices
                                     or of different contexts (strew_to, strew_copy and strew_table_add take tensors of
                                     other contexts)
     STREW_EARGUMENT                 an unknown enumerator
   Pointers are not checked unless they are documented to take NULL. Only builds with DEBUG=1 detect use after release.

   *Results.* A call that computes takes `*out` NULL and makes a new contiguous tensor; the caller owns one reference to
   it. Or `*out` is a tensor and receives the result, as out = or the trailing underscore in PyTorch; reference counts
   do not change. It must have the result's shape and device (STREW_ESHAPE, STREW_EDEVICE); it may not overlap itself,
   nor share elements with an operand (STREW_EOVERLAP) unless documented. Calls that create, view, convert or join
   always make new tensors. Inputs are borrowed: retain them to keep them.

   *Structs.* A host built with this header runs with any later library of the same name (libstrew.so.0). Structs that
   hosts allocate therefore keep their size and the place of each member. A later version puts a new member into
   `reserved`, where zero keeps the former behaviour. Fill options with zeros before use, as `= {0}`, `= {}` in C++ and
   designated initialisers do; options NULL means zeros, too. A call fails with STREW_EARGUMENT if reserved bytes of its
   options are not zero: the library is older than the header, or the struct was not initialised. Structs without
   `reserved` never change.

   *Forms.* A call with a mode or a flag takes a pointer to options, in which zeros are the defaults and values that may
   be left out are pointers. Operands are tensors or, by value, strew_operand. Lists of sizes or dimensions are int64_t;
   a rank, a dimension and a number of dimensions, keys or dtypes are int, other numbers int64_t.

   *Rules* follow PyTorch for views, arithmetic, reductions and the position form of scatter, torch_scatter for the
   group form, NumPy for its files, and IEEE 754-2019 for floats: round to nearest even, denormals, maximum and minimum.
   Where these leave the result of repeated indices, the order of sums or the last bits open, strew defines them:
   results are the same on any number of threads, instruction set and device.

   *Threads.* A context, with all its devices and tensors, is used by one thread at a time; that thread may change.
   Different contexts are independent. Any thread may call strew_context_interrupt at any time and, as finalisers of
   garbage collectors do, release its references: strew_release, strew_grouping_release, strew_table_release and
   strew_context_release. What the thread that used the context last releases is freed at once; what others release is
   freed, and its callbacks run, in that thread's next call (strew_context_check is one), or in the release of the last
   reference to anything of the context. Builds with DEBUG=1 detect two threads in one context, whose calls fail with
   STREW_EARGUMENT, and tensors that are used after their last release, in lists as well: STREW_EFREED. (They remember
   the last 4096; functions without an error do not check.)

   *The host.* The library never prints, exits, aborts, forks, installs a signal handler or changes the locale. Its
   worker threads block all signals. Calls compute with the default rounding, denormals and traps, and restore the
   thread's own afterwards; callbacks run with the default ones. A child of fork() may go on using CPU tensors, but not
   OpenCL devices. */
#ifndef STREW_CORE_H
#define STREW_CORE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#if defined(__GNUC__)
#define STREW_API          __attribute__((visibility("default")))
#define STREW_PRINTF(f, a) __attribute__((cold, format(printf, f, a)))
#else
#define STREW_API
#define STREW_PRINTF(f, a)
#endif

/* The version of this header, in numbers for #if, and as text, "0.2.0". strew_version returns the library's. */
#define STREW_VERSION_MAJOR 0
#define STREW_VERSION_MINOR 2
#define STREW_VERSION_PATCH 0
#define STREW_VERSION       STREW_VERSION_OF_(STREW_VERSION_MAJOR, STREW_VERSION_MINOR, STREW_VERSION_PATCH)
/* (Macros in two steps: the first expands the numbers, the second quotes them.) */
#define STREW_VERSION_OF_(major, minor, patch)   STREW_VERSION_TEXT_(major, minor, patch)
#define STREW_VERSION_TEXT_(major, minor, patch) #major "." #minor "." #patch

#define STREW_MAX_RANK    16  /* dimensions of a tensor */
#define STREW_MAX_THREADS 256 /* CPU workers of a context */

/* --------------------------------------------------------------------------------------------------- vocabulary */

/* The type of elements. Names in scripts: strew_dtype_name. Two dtypes in one call are promoted, whatever the ranks of
   their tensors: to the higher category (bool < integer < float); within a category to the dtype that holds both (an
   unsigned one with a signed one that is not wider: the next larger signed one, but uint64: float64; float16 with
   bfloat16: float32). See strew_result_type. Every integer dtype may be an index. */
typedef enum strew_dtype {
  STREW_FLOAT32, /* the default of Lua's floats */
  STREW_FLOAT64,
  STREW_FLOAT16,  /* both 16-bit floats are stored in 16 bits, computed in float32 and rounded once, to even */
  STREW_BFLOAT16, /* the upper half of a float32 */
  STREW_INT64,    /* the default of Lua's integers */
  STREW_INT32,
  STREW_INT16, /* integers wrap on overflow */
  STREW_INT8,
  STREW_UINT8,
  STREW_BOOL, /* one byte, 0 or 1; its sum is or, its product is and */
  STREW_UINT16,
  STREW_UINT32,
  STREW_UINT64,
  STREW_DTYPE_COUNT, /* of the dtypes above, those of numbers */
  /* Microseconds since 1970-01-01 UTC, stored as int64; INT64_MIN is NaT, no time. Calls that make, move or choose
     elements take it, with times alone, and so do those that compare or order them, in which NaT is what NaN is to floats:
     it equals nothing, wins in minimum and maximum, and is sorted last. STREW_SUB of two times, of which one may be a
     text, gives seconds, float64, STREW_ADD and STREW_SUB of times and seconds times. Means, variances and deviations
     take times, and quantiles of groups. Others fail with STREW_EDTYPE.
     strew_to converts from and to int64 alone. */
  STREW_TIME = STREW_DTYPE_COUNT,
  /* Words, stored as int32 codes of a list that the tensor carries: see Text, in strew.h. Calls that make, move or choose
     elements take it, with text alone, and so do those that compare or order words, by their bytes. Others fail with
     STREW_EDTYPE. */
  STREW_TEXT,
  STREW_DTYPE_END,    /* after the last dtype */
  STREW_STRING = 4096 /* of scalars alone: see strew_string; far from what memory that was not set has */
} strew_dtype;

/* How contributions to one destination are joined. Words in scripts: see strew_enum_from_word. */
typedef enum strew_reduction {
  STREW_ASSIGN, /* the last one in row-major order of index */
  STREW_SUM,
  STREW_PROD,
  STREW_MEAN, /* the sum divided by the count; integers round toward minus infinity */
  STREW_AMAX, /* IEEE 754-2019 maximum: NaN wins, -0 < +0 */
  STREW_AMIN, /* IEEE 754-2019 minimum: NaN wins, -0 < +0 */
  STREW_REDUCTION_COUNT
} strew_reduction;

/* The valid values of an index tensor for a dimension of size n, and the treatment of others. */
typedef enum strew_mode {
  STREW_ERROR, /* valid: 0..n-1; other values are an error, found before anything is written */
  STREW_WRAP,  /* valid: -n..n-1; negative ones count from the end; other values are an error */
  STREW_CLIP,  /* replaced by the nearest of 0..n-1; an error if n is 0 */
  STREW_DROP,  /* skipped; gather gives 0, the empty word or NaT there */
  STREW_MODE_COUNT
} strew_mode;

/* Success, or the kind of failure. Words: "ok", "argument", "dtype", ... */
typedef enum strew_status {
  STREW_OK = 0,
  STREW_EARGUMENT,    /* an argument of the wrong kind or number, an unknown word or option */
  STREW_EDTYPE,       /* a dtype that the operation does not support */
  STREW_ESHAPE,       /* a rank, size, stride or dimension that does not fit */
  STREW_EINDEX,       /* a position or index value out of range */
  STREW_EVALUE,       /* a number that the dtype cannot hold; integer division by zero */
  STREW_EOVERLAP,     /* a tensor written in place that shares elements with itself or an operand */
  STREW_EDEVICE,      /* no such device; operands on different devices; the device failed */
  STREW_EMEMORY,      /* out of memory */
  STREW_EFREED,       /* a tensor that was released */
  STREW_EINTERRUPTED, /* the host asked the call to stop: strew_context_interrupt */
  STREW_ETIME,        /* the time limit is exceeded: strew_context_limit_time */
  STREW_EFILE,        /* a file that cannot be read or written, or is invalid */
  STREW_STATUS_COUNT
} strew_status;

/* A number: dtype is STREW_BOOL or STREW_INT64 (in .i), or STREW_FLOAT64 (in .f); STREW_UINT64 of an element above
   INT64_MAX, whose bits are in .i. A time: STREW_TIME (in .i). Any other one is STREW_EARGUMENT. An element of text that
   is read: STREW_TEXT, its code in .i, for strew_word. A word, or the text of a time: STREW_STRING, borrowed for the call, in
   .s, where calls compare text or times with it, or write it there. */
typedef struct strew_scalar {
  strew_dtype dtype;
  union {
    int64_t i;
    double f;
    const char *s;
  } as;
} strew_scalar;

typedef struct strew_context strew_context; /* reference-counted: strew_context_retain, strew_context_release */
typedef struct strew_device strew_device;   /* owned by its context */
typedef struct strew_tensor strew_tensor;   /* reference-counted: strew_retain, strew_release */

/* An operand of an elementwise call: a tensor, or a number if tensor is NULL. A number takes the tensor's dtype; one of
   a higher category (bool < integer < float) promotes the tensor to int64 or float32. Both operands are converted to
   the promoted dtype first; a number that multiplies or divides 16-bit floats is a float32. */
typedef struct strew_operand {
  strew_tensor *tensor;
  strew_scalar number;
} strew_operand;

/* The report of a failure. Start with all zeros; one object may serve any number of calls. Its pointers are constants
   of the library, or the alias; nothing in it is to be released. */
typedef struct strew_error {
  const char *alias;    /* input: another name of the operation, for messages; NULL: the library's own */
  const char *op;       /* the operation: alias, or the library's name for it */
  strew_status code;    /* the kind of failure */
  const char *argument; /* name of the argument at fault ("self", "index", ...), or NULL */
  bool has_value;       /* `value` is the offending value */
  strew_scalar value;
  int position_rank; /* dimensions of `position`, where that value is in the argument; -1: none. In a .csv file: line,
                        column, from 1 on, or the line alone */
  int64_t position[STREW_MAX_RANK];
  char hint[256];     /* what to do about it, or empty */
  char message[2048]; /* "OP: 'ARGUMENT' FACT, RULE", a line per tensor (dtype, shape, device), the hint */
  /* Where the parts of `message` begin, of which all but the fact may be empty: the fact, the lines of tensors, those
     that mark a text, and the hint's. */
  uint16_t fact_at, lines_at, mark_at, hint_at;
  uint16_t name_width; /* of the names in those lines */
  uint16_t unused[3];
  uint64_t reserved[6];
} strew_error;

/* For hosts that report failures of their own in this form. Fills the error and returns the code: the fact, of printf's
   format, follows "ALIAS: 'ARGUMENT' "; the argument may be NULL, and must outlive the error. Then a line below, before
   any hint; then the hint, in place of the one that it has. */
STREW_API strew_status strew_error_set(strew_error *error, strew_status code, const char *argument, const char *format,
                                       ...) STREW_PRINTF(4, 5);
STREW_API void strew_error_line(strew_error *error, const char *name, const char *text);
STREW_API void strew_error_hint(strew_error *error, const char *hint);
/* Writes the error's hint, which names calls of C, as scripts of the Lua module have them: self:to("float32") for
   strew_to(self, float32). */
STREW_API void strew_error_script(strew_error *error);

/* The name ("float32"), and the size of one element. Constants; NULL, or 0, for an unknown enumerator. On any
   thread. */
STREW_API const char *strew_dtype_name(strew_dtype dtype);
STREW_API size_t strew_dtype_size_bytes(strew_dtype dtype);

/* The dtype of that name. An unknown word, or NULL, is STREW_EARGUMENT; the message lists the known ones. On any thread. */
STREW_API strew_status strew_dtype_from_word(const char *word, strew_dtype *out, strew_error *error);

/* The other enumerations whose values have words: "sum", "error", "linear", "abs", "add", "matmul", "sorted", "viridis". */
typedef enum strew_words {
  STREW_WORDS_REDUCTION, /* strew_reduction; "add", "multiply" = "mul", "max" and "min", too, are words, "assign" is none */
  STREW_WORDS_MODE,
  STREW_WORDS_INTERPOLATION,
  STREW_WORDS_UNARY,  /* strew_unary_op */
  STREW_WORDS_BINARY, /* strew_binary_op */
  STREW_WORDS_FOLD,
  STREW_WORDS_PRODUCT,
  STREW_WORDS_GROUP_REDUCTION, /* strew_group_reduction; the words of STREW_WORDS_REDUCTION, too */
  STREW_WORDS_KEY_ORDER,
  STREW_WORDS_COLORMAP, /* "gray", too */
  STREW_WORDS_STATUS,
  STREW_WORDS_COUNT
} strew_words;
/* The name of a value, a constant; NULL for an unknown one. The value of a word; errors as of strew_dtype_from_word. On
   any thread. */
STREW_API const char *strew_enum_name(strew_words of, int value);
STREW_API strew_status strew_enum_from_word(strew_words of, const char *word, int *out, strew_error *error);

/* Constructors of scalars and operands; functions of the library, too, for languages that read no header. */
#ifndef STREW_INLINE
#define STREW_INLINE static inline
#endif
STREW_INLINE strew_scalar strew_bool(bool value) {
  strew_scalar scalar;
  scalar.dtype = STREW_BOOL;
  scalar.as.i = value;
  return scalar;
}
STREW_INLINE strew_scalar strew_int(int64_t value) {
  strew_scalar scalar;
  scalar.dtype = STREW_INT64;
  scalar.as.i = value;
  return scalar;
}
STREW_INLINE strew_scalar strew_float(double value) {
  strew_scalar scalar;
  scalar.dtype = STREW_FLOAT64;
  scalar.as.f = value;
  return scalar;
}
/* A word beside text, beside times a time as strew_time_parse reads it. */
STREW_INLINE strew_scalar strew_string(const char *text) {
  strew_scalar scalar;
  scalar.dtype = STREW_STRING;
  scalar.as.s = text;
  return scalar;
}
STREW_INLINE strew_operand strew_of(strew_tensor *tensor) {
  strew_operand operand;
  operand.tensor = tensor;
  operand.number = strew_int(0);
  return operand;
}
STREW_INLINE strew_operand strew_number(strew_scalar number) {
  strew_operand operand;
  operand.tensor = NULL;
  operand.number = number;
  return operand;
}
/* All zeros: an operand that is left out, where a call allows it. */
STREW_INLINE strew_operand strew_no_operand(void) {
  strew_operand operand = {NULL, {STREW_FLOAT32, {0}}};
  return operand;
}

/* How a number is converted to a dtype. */
typedef enum strew_conversion {
  STREW_EXACT,    /* the numbers of all calls: floats round to nearest even, and overflow to infinity is an error;
                     integers must be whole and in range; bool takes true, false, 0 and 1 */
  STREW_TRUNCATE, /* strew.tensor{...}: as STREW_EXACT, but a float loses its fraction when it becomes an integer, and
                     bool takes any number (x != 0) */
  STREW_SATURATE  /* strew_to; never fails: float to integer saturates, and NaN becomes 0; integer to integer wraps;
                     overflow of a float gives infinity */
} strew_conversion;
/* Writes a number as dtype to `element` (strew_dtype_size_bytes(dtype) bytes, any alignment); STREW_EVALUE if
   the dtype cannot hold it. On any thread. */
STREW_API strew_status strew_scalar_store(strew_scalar number, strew_conversion how, strew_dtype dtype, void *element,
                                          strew_error *error);
/* The number stored as dtype at `element`, of any alignment. On any thread. */
STREW_API strew_scalar strew_scalar_load(strew_dtype dtype, const void *element);

/* ----------------------------------------------------------------------------------------- contexts and devices */

/* STREW_VERSION of the running library, a constant. It may be later than the header's: see Structs, above. On any
   thread. */
STREW_API const char *strew_version(void);

/* The source of host memory. `allocate` returns size_bytes > 0 aligned to `alignment` (a power of two), or NULL;
   `deallocate` receives the same size. Both are called on the context's thread, within a call, and may not use the
   context.

   Blocks of 1 KiB and more are requested in sizes rounded up by at most a sixteenth, and free ones are kept for reuse.
   To the allocator they are in use; strew_context_bytes does not count them. Kept are at most 256 MiB, and as much more
   as was deallocated for that reason and allocated again within 5 seconds; together with those in use at most 32 MiB
   above the highest use so far. The rest is deallocated; all of it if `allocate` returns NULL (which is then called
   again), and when the context ends. Of more than 32 MiB, a call deallocates what no call has used for 5 seconds. */
typedef struct strew_allocator {
  void *(*allocate)(void *user, size_t size_bytes, size_t alignment);
  void (*deallocate)(void *user, void *block, size_t size_bytes);
  void *user;
} strew_allocator;

/* Options of a context. All zeros: all defaults. Not needed after the call, except for what the `user` pointers point
   to. */
typedef struct strew_options {
  const char *device;        /* default device of new tensors; NULL: "cpu" */
  int threads;               /* CPU workers, 1..STREW_MAX_THREADS; 0: the processors available to the process */
  size_t grain_bytes;        /* smaller operands stay on one thread; 0: 256 KiB. Never changes a result */
  strew_allocator allocator; /* allocate NULL: the C library's, and mmap for 2 MiB and more */
  /* Called for work that may take long (compiling kernels, reading a large file): before it, after each of its steps,
     and with doing NULL after it or its failure. `doing` describes the work in a few words and lives until the callback
     returns; `done` is the finished part, 0..1, or -1 if unknown. Runs on the context's thread within a call, and may
     not use the context. May be NULL. */
  void (*progress)(void *user, const char *doing, double done);
  void *progress_user;
  /* Limits for untrusted work; 0: none. memory_limit_bytes counts tensors, their scratch and memory kept for reuse, on
     the host and on all devices, and the host's own charges (strew_context_charge); beyond it a call fails with
     STREW_EMEMORY. Stacks of workers and drivers are not counted. time_limit_seconds: see
     strew_context_limit_time, from the context's creation on. */
  size_t memory_limit_bytes;
  double time_limit_seconds;
  bool sandbox; /* read by strew_new_state of strew_lua.h alone */
  uint64_t reserved[8];
} strew_options;

/* A new context. options NULL: all defaults. The caller owns one reference, and each tensor holds another: release
   them in any order. Fails with STREW_EARGUMENT (threads; $STREW_CPU names an instruction set that the
   processor lacks), STREW_EDEVICE (device), STREW_EMEMORY. */
STREW_API strew_status strew_context_create(const strew_options *options, strew_context **out, strew_error *error);
STREW_API void strew_context_release(strew_context *context);          /* NULL is fine */
STREW_API strew_context *strew_context_retain(strew_context *context); /* returns its argument */

/* The number of threads of a call on the CPU, the caller's included; STREW_EARGUMENT if invalid. Never changes a
   result. Workers start when they are first needed, wait without spinning, and end with the context or the next
   setting; if none can start, the caller's thread does all work. They start on processors other than the caller's if
   there are enough; an affinity that the host sets later is kept. */
STREW_API int strew_context_threads(const strew_context *context);
STREW_API strew_status strew_context_set_threads(strew_context *context, int threads, strew_error *error);
/* Current and highest number of bytes of tensor memory on all devices, without wrapped host memory. */
STREW_API size_t strew_context_bytes(const strew_context *context);
STREW_API size_t strew_context_peak_bytes(const strew_context *context);
/* Bytes that count against the memory limit. A host charges memory of its own, for example a Lua state's, before it
   allocates it; false: the limit would be exceeded, and nothing is charged. On the context's thread. */
STREW_API size_t strew_context_charged_bytes(const strew_context *context);
STREW_API size_t strew_context_memory_limit_bytes(const strew_context *context); /* 0: none */
STREW_API bool strew_context_charge(strew_context *context, size_t size_bytes);
STREW_API void strew_context_discharge(strew_context *context, size_t size_bytes);
/* Sets a time limit in seconds of wall-clock time, from now on. When it is exceeded, the running call stops as if
   interrupted, but with STREW_ETIME; so does every later call until another limit is set. 0: no limit. */
STREW_API void strew_context_limit_time(strew_context *context, double seconds);
STREW_API double strew_context_time_limit(const strew_context *context); /* as it was set */
/* True, the default: float sums have the same bits everywhere. False: a device may add in any order if that is faster
   (atomics of a GPU). */
STREW_API bool strew_context_deterministic(const strew_context *context);
STREW_API void strew_context_set_deterministic(strew_context *context, bool deterministic);
/* Seeds the context's random numbers; the initial seed is 0. One seed gives the same numbers on every device and thread
   count. */
STREW_API void strew_context_seed(strew_context *context, uint64_t seed);

/* Interrupts the running call, or else the next one: it fails with STREW_EINTERRUPTED within about 0.1 s, and so does
   every later call that reads or writes elements, until strew_context_clear_interrupt. Safe in a signal handler and on
   any thread while the context lives: it only sets a flag. An interrupted call makes no new tensor. In place it may
   have written a part of its result: the tensor is valid, and each element is old, new or partly joined. A call that is
   still checking its arguments writes nothing. A running OpenCL kernel cannot be stopped: long ones are split into
   launches of bounded work (at most 0.1 s on two cores), the flag is read before each, and a device's queue holds at
   most two. The device finishes those: a later call on it, and the context's release, wait for them. Nor can a driver's
   compilation of a kernel: the call fails when the driver returns. strew_context_clear_interrupt is for the context's
   own thread, between calls: after an interruption, and before work that an earlier interruption must not affect. */
STREW_API void strew_context_interrupt(strew_context *context);
STREW_API void strew_context_clear_interrupt(strew_context *context);
/* For a host's own loops, every few milliseconds: STREW_OK, or the failure that a call would return now. Before a step
   of `seconds` that cannot be interrupted (else 0) STREW_ETIME, too, if the time limit would be exceeded before its end.
   Then it counts as exceeded. */
STREW_API strew_status strew_context_check(strew_context *context, double seconds, strew_error *error);

/* Finds a device by name: "cpu", "opencl" (the first usable one), "opencl:P.D" (platform and device, numbered from 0 by
   the loader) or "opencl:WORD" (a part of the platform's or device's name, ignoring case); NULL: the context's default
   device. STREW_EDEVICE if none or several match; the message lists the available ones. Drivers are loaded when an
   OpenCL device is first named, here or by strew_device_count. The context owns its devices. */
STREW_API strew_status strew_device_find(strew_context *context, const char *spec, strew_device **out,
                                         strew_error *error);
/* The CPU (number 0) and every OpenCL device, opened or not; NULL if out of range. Borrowed. */
STREW_API int strew_device_count(strew_context *context);
STREW_API strew_device *strew_device_at(strew_context *context, int i);
/* Messages why a platform has no usable device, 0..count-1; NULL if out of range. Owned by the context. */
STREW_API int strew_problem_count(strew_context *context);
STREW_API const char *strew_problem_at(strew_context *context, int i);
/* The properties of a device. */
typedef struct strew_capabilities {
  bool float64;
  bool int64_atomics;
  bool exact_division; /* the device itself rounds / and sqrt correctly; else they are computed with integers */
  bool denormals;      /* kept by the device itself */
  int units;           /* threads, or OpenCL's compute units */
  size_t memory_bytes, largest_block_bytes, work_group_size; /* 0: unknown, or not limited */
  int64_t launches;                                          /* kernels launched so far */
  int64_t read_bytes;                                        /* copied from it to host memory so far */
  char driver[128];
  char promise[256]; /* guarantees that the device needs slower code for, or lacks; empty: none */
  uint64_t reserved[8];
} strew_capabilities;
/* Opens the device, if it is not open. STREW_EDEVICE with the driver's reason if that fails; *out is then all zeros. */
STREW_API strew_status strew_device_capabilities(strew_device *device, strew_capabilities *out, strew_error *error);
/* The name that strew_device_find takes; the processor's own name and the instruction set in use. Owned by the
   context. */
STREW_API const char *strew_device_name(const strew_device *device);
STREW_API const char *strew_device_description(strew_device *device);
STREW_API strew_context *strew_device_context(const strew_device *device); /* borrowed */
/* Calls options.progress, if there is one, for the host's own work. doing NULL: the work has ended. */
STREW_API void strew_context_progress(const strew_context *context, const char *doing, double done);
/* Waits until all work enqueued on the device, or on all devices in use, is done. For timing, and for hosts that share
   memory with a device: calls that read results wait by themselves. */
STREW_API strew_status strew_device_finish(strew_device *device, strew_error *error);
STREW_API strew_status strew_context_finish(strew_context *context, strew_error *error);

/* -------------------------------------------------------------------------------------------- tensors, in and out */

/* Add and drop a reference. The memory is freed with the last view of it. */
STREW_API strew_tensor *strew_retain(strew_tensor *tensor); /* returns its argument */
STREW_API void strew_release(strew_tensor *tensor);         /* NULL is fine */

/* The properties of a tensor. They never fail and never change; the tensor owns sizes and strides. */
STREW_API strew_dtype strew_tensor_dtype(const strew_tensor *tensor);
STREW_API strew_device *strew_tensor_device(const strew_tensor *tensor);
STREW_API int strew_tensor_rank(const strew_tensor *tensor);
STREW_API const int64_t *strew_tensor_sizes(const strew_tensor *tensor);   /* rank entries */
STREW_API const int64_t *strew_tensor_strides(const strew_tensor *tensor); /* rank entries, in elements, 0 or more */
STREW_API int64_t strew_tensor_offset(const strew_tensor *tensor);         /* in elements, from the storage's start */
STREW_API const void *strew_tensor_storage(const strew_tensor *tensor);    /* one address for all views of a storage */
STREW_API int64_t strew_tensor_numel(const strew_tensor *tensor);          /* elements: the product of the sizes */
STREW_API bool strew_tensor_is_contiguous(const strew_tensor *tensor);     /* dense in row-major order */

/* New contiguous tensors: uninitialised; filled with `value`, converted by STREW_EXACT (STREW_EVALUE). sizes: rank
   entries, 0 or more each; rank 0 is a single number. STREW_ESHAPE if rank or a size is invalid, or if the tensor has
   more bytes than can be addressed; STREW_EDTYPE if the device lacks the dtype. */
STREW_API strew_status strew_empty(strew_device *device, strew_dtype dtype, int rank, const int64_t *sizes,
                                   strew_tensor **out, strew_error *error);
STREW_API strew_status strew_full(strew_device *device, strew_dtype dtype, int rank, const int64_t *sizes,
                                  strew_scalar value, strew_tensor **out, strew_error *error);
/* A new tensor with a copy of dense row-major host memory: numel elements, of any alignment. */
STREW_API strew_status strew_from(strew_device *device, strew_dtype dtype, int rank, const int64_t *sizes,
                                  const void *data, strew_tensor **out, strew_error *error);
/* A CPU tensor over host memory, without a copy. strides: in elements, 0 or more; NULL: row-major. size_bytes: the
   size of the memory, which sizes and strides may not exceed (STREW_ESHAPE). The host owns the memory. It may read and
   write it between calls, and keeps it until `release(user)` runs: once, when the last view is freed (see Threads,
   above). release may be NULL; it does not run if the call fails. STREW_EARGUMENT: data is not aligned to its
   elements, or NULL for a tensor with elements; STREW_EDEVICE: the device is not the CPU. A bool is a byte 0 or 1.
   Calls and scripts may write to the memory: see strew_wrap_const. */
STREW_API strew_status strew_wrap(strew_device *device, strew_dtype dtype, int rank, const int64_t *sizes,
                                  const int64_t *strides, void *data, size_t size_bytes, void (*release)(void *user),
                                  void *user, strew_tensor **out, strew_error *error);
/* The same for memory that may only be read, as constants and files mapped without PROT_WRITE: a call that would write
   to the tensor, or to a view of it, fails with STREW_EARGUMENT, a script's x[0] = 5 as well. strew_data returns the
   address nevertheless. (With strew_wrap a script could write to read-only memory, which ends the process.) */
STREW_API strew_status strew_wrap_const(strew_device *device, strew_dtype dtype, int rank, const int64_t *sizes,
                                        const int64_t *strides, const void *data, size_t size_bytes,
                                        void (*release)(void *user), void *user, strew_tensor **out,
                                        strew_error *error);
/* The address of the first element of a CPU tensor; the others follow at its strides. Valid while the tensor lives;
   NULL if it has no memory. Later calls read what a host writes there. STREW_EDEVICE: the tensor is on another
   device. */
STREW_API strew_status strew_data(const strew_tensor *tensor, void **data, strew_error *error);
/* Copies all elements, in row-major order, from any device into host memory. size_bytes must be numel * element size
   (STREW_EARGUMENT). Waits for the device. */
STREW_API strew_status strew_read(const strew_tensor *tensor, void *to, size_t size_bytes, strew_error *error);
/* The element of a tensor with exactly one (STREW_ESHAPE). This call and the next two wait for the device: do not loop
   over elements with them. */
STREW_API strew_status strew_item(const strew_tensor *tensor, strew_scalar *out, strew_error *error);
/* Read and write the element at a position: `rank` entries, negative ones count from the end. STREW_EINDEX: out of
   range; STREW_ESHAPE: rank is not the tensor's. strew_set converts value by STREW_EXACT (STREW_EVALUE). */
STREW_API strew_status strew_get(const strew_tensor *tensor, int rank, const int64_t *position, strew_scalar *out,
                                 strew_error *error);
STREW_API strew_status strew_set(strew_tensor *tensor, int rank, const int64_t *position, strew_scalar value,
                                 strew_error *error);

/* A matrix [rows, columns] with 1 on the diagonal and 0 elsewhere. Always a new tensor. */
STREW_API strew_status strew_eye(strew_device *device, strew_dtype dtype, int64_t rows, int64_t columns,
                                 strew_tensor **out, strew_error *error);

/* ------------------------------------------------------------------------------------------------------- views */

/* Each call makes a new tensor that shares the storage of `tensor`: nothing is copied, and a write to one is seen in
   the other. Names and rules are PyTorch's. Dimensions count from 0, and -1 is the last. STREW_ESHAPE: no such
   dimension, or a shape that does not fit. */

/* Another shape over the same elements in row-major order. One size may be -1: it is computed from the others.
   STREW_ESHAPE if the number of elements differs. If the strides do not allow a view, strew_view fails with
   STREW_ESHAPE, and strew_reshape copies. */
STREW_API strew_status strew_view(strew_tensor *tensor, int rank, const int64_t *sizes, strew_tensor **out,
                                  strew_error *error);
STREW_API strew_status strew_reshape(strew_tensor *tensor, int rank, const int64_t *sizes, strew_tensor **out,
                                     strew_error *error);
/* Merges dimensions first..last into one; copies if the strides do not allow a view. */
STREW_API strew_status strew_flatten(strew_tensor *tensor, int first, int last, strew_tensor **out, strew_error *error);
/* Reorders dimensions: dimension d of the result is dims[d] of tensor, each once. */
STREW_API strew_status strew_permute(strew_tensor *tensor, int rank, const int64_t *dims, strew_tensor **out,
                                     strew_error *error);
/* Exchanges dimensions a and b. */
STREW_API strew_status strew_transpose(strew_tensor *tensor, int a, int b, strew_tensor **out, strew_error *error);
/* The transpose of a matrix; a view of the same shape for rank 0 and 1. */
STREW_API strew_status strew_t(strew_tensor *tensor, strew_tensor **out, strew_error *error);
/* Removes those of dim_count dimensions, each listed once (STREW_ESHAPE), whose size is 1; dims NULL: all of size 1. */
STREW_API strew_status strew_squeeze(strew_tensor *tensor, int dim_count, const int64_t *dims, strew_tensor **out,
                                     strew_error *error);
/* Inserts a dimension of size 1 as dimension dim of the result: 0..rank. */
STREW_API strew_status strew_unsqueeze(strew_tensor *tensor, int dim, strew_tensor **out, strew_error *error);
/* Expands sizes 1, with stride 0, and adds leading dimensions; -1 keeps a size. The result cannot be written in place
   (STREW_EOVERLAP). */
STREW_API strew_status strew_expand(strew_tensor *tensor, int rank, const int64_t *sizes, strew_tensor **out,
                                    strew_error *error);
/* The same memory as elements of another dtype, with the same bits. Of another size, the last dimension grows or shrinks
   with it: its stride must be 1, and its size, the other strides and the beginning multiples of an element
   (STREW_ESHAPE). STREW_EDTYPE: bool, text or time, from which strew_to converts. */
STREW_API strew_status strew_view_as(strew_tensor *tensor, strew_dtype dtype, strew_tensor **out, strew_error *error);
/* One position of dimension dim, which is removed. STREW_EINDEX: out of range. */
STREW_API strew_status strew_select(strew_tensor *tensor, int dim, int64_t position, strew_tensor **out,
                                    strew_error *error);
/* Positions start .. start + length - 1 of dimension dim. STREW_EINDEX: out of range. */
STREW_API strew_status strew_narrow(strew_tensor *tensor, int dim, int64_t start, int64_t length, strew_tensor **out,
                                    strew_error *error);
/* Python's tensor[start:stop:step] along dim: ends are clamped, negative ones count from the end; step > 0, else
   STREW_EARGUMENT. */
STREW_API strew_status strew_slice(strew_tensor *tensor, int dim, int64_t start, int64_t stop, int64_t step,
                                   strew_tensor **out, strew_error *error);
/* Any view of the storage, within its bounds (STREW_ESHAPE). strides and offset: in elements, 0 or more. The offset is
   from the storage's start, not from the tensor's. */
STREW_API strew_status strew_as_strided(strew_tensor *tensor, int rank, const int64_t *sizes, const int64_t *strides,
                                        int64_t offset, strew_tensor **out, strew_error *error);

/* The elements whose positions in dim2 and dim1 differ by offset; they lie along a new last dimension, in the place of
   the two. STREW_ESHAPE, too: fewer than two dimensions, or dim1 is dim2. */
STREW_API strew_status strew_diagonal(strew_tensor *tensor, int64_t offset, int dim1, int dim2, strew_tensor **out,
                                      strew_error *error);
/* `count` parts along dim, of these sizes, which add up to its own (STREW_ESHAPE): out[0], out[1], ... If one fails,
   there is none. */
STREW_API strew_status strew_split(strew_tensor *tensor, int dim, int count, const int64_t *sizes, strew_tensor *out[],
                                   strew_error *error);

/* ------------------------------------------------------------------------------------------ copying and joining */

/* A contiguous copy with another dtype or on another device; `tensor` itself, retained, if nothing changes. Converts by
   STREW_SATURATE, which never fails. To STREW_TEXT: the words of numbers and times, as strew_scalar_text writes them, NaN
   and NaT as empty words; from it the numbers, bools or times that the words are, with blanks around them, an empty word
   as NaN or NaT; STREW_EVALUE names the first word that is none. STREW_EDTYPE: the device lacks the dtype; times and numbers do not mix. The device may belong to another
   context, which then owns the result; the calling thread uses both contexts. */
STREW_API strew_status strew_to(strew_tensor *tensor, strew_device *device, strew_dtype dtype, strew_tensor **out,
                                strew_error *error);
/* A contiguous copy. */
STREW_API strew_status strew_clone(const strew_tensor *tensor, strew_tensor **out, strew_error *error);
/* `tensor` itself, retained, if it is contiguous; else a contiguous copy. */
STREW_API strew_status strew_contiguous(strew_tensor *tensor, strew_tensor **out, strew_error *error);
/* Writes src into tensor, in place: broadcast to tensor's shape (STREW_ESHAPE), converted by STREW_SATURATE. Devices,
   dtypes and contexts may differ; the calling thread uses both contexts. STREW_EOVERLAP: tensor overlaps itself, or
   src, unless src is the same view. */
STREW_API strew_status strew_copy(strew_tensor *tensor, const strew_tensor *src, strew_error *error);
/* Sets all elements to value, in place; converts by STREW_EXACT (STREW_EVALUE). */
STREW_API strew_status strew_fill(strew_tensor *tensor, strew_scalar value, strew_error *error);
/* Join count >= 1 tensors: cat along dim, the only one in which sizes may differ; stack along a new dimension dim of
   the result, for tensors of one shape. dtypes are promoted. Always new tensors. cat skips empty 1-D tensors.
   STREW_EARGUMENT: no tensors; STREW_ESHAPE: shapes that do not fit. Messages number the tensors from 1. */
STREW_API strew_status strew_cat(int64_t count, strew_tensor *const *tensors, int dim, strew_tensor **out,
                                 strew_error *error);
STREW_API strew_status strew_stack(int64_t count, strew_tensor *const *tensors, int dim, strew_tensor **out,
                                   strew_error *error);

/* Sets *out to the promoted dtype of tensors of these dtypes and of numbers. Either count may be 0, not both
   (STREW_EARGUMENT, as for an unknown dtype). */
STREW_API strew_status strew_result_type(int dtype_count, const strew_dtype *dtypes, int number_count,
                                         const strew_scalar *numbers, strew_dtype *out, strew_error *error);

/* ----------------------------------------------------------------------------------------------- scatter and gather */

/* All zeros: STREW_ASSIGN with STREW_ERROR. */
typedef struct strew_scatter_options {
  strew_reduction reduction;
  bool exclude_self; /* destinations that receive a contribution start from the reduction's identity */
  bool exact;        /* sums and means of floats: see "Exact sums"; self is a term */
  strew_mode mode;
  uint64_t reserved[4];
} strew_scatter_options;

/* Position form, as torch.Tensor.scatter_reduce_: for every coordinate c of index, in row-major order,
     self[c with c[dim] replaced by index[c]] is joined with src[c].
   self, index, src: equal ranks (0 counts as 1 of size 1); index.size(d) <= src.size(d) for all d, and <= self.size(d)
   for d != dim (STREW_ESHAPE). index: integers of any strides; any dtype if empty (STREW_EDTYPE). src: self's
   dtype (STREW_EDTYPE), or a number that it can hold (STREW_EVALUE). *out NULL: a new tensor, self is unchanged.
   *out == self: in place; self may not overlap itself, index or src (STREW_EOVERLAP). options NULL: all zeros.
   STREW_EINDEX: an index value that the mode does not accept; the error has its position, and nothing is written.
   STREW_EDTYPE: mean of bools; of text and times others than STREW_ASSIGN, STREW_AMAX and STREW_AMIN. Contributions are joined one by one in row-major order of index, on every device and
   number of threads, unless strew_context_set_deterministic allows any order. */
STREW_API strew_status strew_scatter(strew_tensor *self, int dim, strew_tensor *index, strew_operand src,
                                     const strew_scatter_options *options, strew_tensor **out, strew_error *error);
/* Of calls that read or write at an index, without a reduction. */
typedef struct strew_index_options {
  strew_mode mode;
  bool
      exact; /* of strew_index_add_with alone, of floats: see "Exact sums"; self is a term, and alpha * source, rounded */
  uint64_t reserved[4];
} strew_index_options;

/* out[c] = self[c with c[dim] replaced by index[c]], of index's shape and self's dtype. Ranks are equal; index.size(d)
   <= self.size(d) for d != dim. Errors: as for strew_scatter. */
STREW_API strew_status strew_gather_with(strew_tensor *self, int dim, strew_tensor *index,
                                         const strew_index_options *options, strew_tensor **out, strew_error *error);

/* Along one dimension, as PyTorch's functions: index, of rank 0 or 1, chooses positions of dim (STREW_ESHAPE).
   strew_index_select_with returns these, with index's size along dim. The others join source to them, in index's order:
   source has self's dtype (STREW_EDTYPE) and self's shape, except in dim, where it has index's size (STREW_ESHAPE).
     strew_index_reduce     by options; all zeros: the last one remains, as torch's index_copy
     strew_index_fill_with  value: a number, or a tensor of rank 0
   No call copies index or source. Other rules and errors: as for strew_scatter, with these names of arguments. */
STREW_API strew_status strew_index_select_with(strew_tensor *self, int dim, strew_tensor *index,
                                               const strew_index_options *options, strew_tensor **out,
                                               strew_error *error);
STREW_API strew_status strew_index_fill_with(strew_tensor *self, int dim, strew_tensor *index, strew_operand value,
                                             const strew_index_options *options, strew_tensor **out,
                                             strew_error *error);
STREW_API strew_status strew_index_reduce(strew_tensor *self, int dim, strew_tensor *index, strew_tensor *source,
                                          const strew_scatter_options *options, strew_tensor **out, strew_error *error);

/* strew_gather_with, but self and index broadcast in all dimensions other than dim (STREW_ESHAPE). */
STREW_API strew_status strew_take_along_dim_with(strew_tensor *self, int dim, strew_tensor *index,
                                                 const strew_index_options *options, strew_tensor **out,
                                                 strew_error *error);

/* -------------------------------------------------------------------------------------------------- for bindings */

/* What bindings for other languages need for messages and printed tensors. */

/* "Did you mean ...?": finds the name nearest to `wanted`, by edit distance: one letter inserted, deleted, replaced or
   swapped with its neighbour, or two such edits if `wanted` has eight letters or more. Case is ignored; ties go to the
   first name in strcmp's order. Names are borrowed.
     strew_guess guess = {.wanted = word};
     for (...) strew_guess_name(&guess, name);
     if (guess.nearest) ... */
typedef struct strew_guess {
  const char *wanted;
  const char *nearest; /* NULL if no name is near enough */
  int distance;
} strew_guess;
STREW_API void strew_guess_name(strew_guess *guess, const char *name);

/* Writes `value` to text by a printf conversion that takes a precision ("%.*g"). Always with a decimal point and round
   to nearest, regardless of the host's locale and rounding; truncated to size_bytes > 0 with the terminating zero.
   Returns text. On any thread. */
STREW_API char *strew_format_float(char *text, size_t size_bytes, const char *format, int precision, double value);

/* Writes a number, bool or time to `text`, of STREW_SCALAR_BYTES, and returns it: the fewest digits that read back as the
   same number of a float dtype, that of its element; STREW_FLOAT64 for a number of a script. "0.1", "1e-05", "2.0", "nan",
   "-inf", "true"; a time as 2024-05-17T12:30:00.25, without what is zero at its end (2024-05-17 at midnight), NaT as "".
   On any thread. */
enum { STREW_SCALAR_BYTES = 40 };
STREW_API const char *strew_scalar_text(strew_scalar scalar, strew_dtype dtype, char *text);

/* Replaces control characters and bytes that are not UTF-8 by "?", in place: the name of a file must not send control
   sequences to the terminal. All messages are printable. Returns text. On any thread. */
STREW_API char *strew_printable(char *text);

#ifdef __cplusplus
}
#endif
#endif
