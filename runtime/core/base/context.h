/* context.h: contexts, their memory and storages, interrupts and progress (context.c, memory.c, interrupt.c). */
#ifndef STREW_CONTEXT_H
#define STREW_CONTEXT_H

#include "call.h"
#include <pthread.h>
#include <stdatomic.h>

/* -------------------------------------------------------------------------------------------------------- memory.c */

/* Free large blocks that are kept for reuse, oldest first. */
enum { MOST_KEPT = 128 };
struct kept {
  int count;
  struct kept_block {
    void *block;
    size_t size_bytes;
  } blocks[MOST_KEPT];
  size_t bytes;                       /* in them */
  size_t used_bytes, most_used_bytes; /* of large blocks in use; the highest so far */
  int64_t since_ns;                   /* the start of the time that the next two refer to */
  size_t least_bytes, trimmed_bytes;  /* the lowest value of bytes; bytes freed because too many were kept */
  size_t missed_bytes;                /* of these, allocated again within that time: as many more are kept */
};

enum { MEMORY_ALIGNMENT = 64 };
extern const strew_allocator default_allocator;

/* False where size_t has 32 bits and these bytes are more than a difference of addresses holds. Sizes that grow with
   counts of elements are uint64_t until they are allocated: an expanded tensor has more elements than memory. */
static inline bool is_addressable(uint64_t size_bytes) { return sizeof(size_t) > 4 || size_bytes <= SIZE_MAX / 2; }
/* Host memory from the context's allocator; NULL if out of memory. The caller frees it. */
void *memory_allocate(strew_context *context, uint64_t size_bytes);
void memory_free(strew_context *context, void *block, size_t size_bytes);
void memory_drop_kept(strew_context *context);
/* Debug builds: keeps a released tensor's memory; frees all of it. */
void context_keep_released(strew_context *context, void *block, size_t size_bytes);
void context_bury(strew_context *context);
/* Writes "1000 bytes", "97.7 KiB" or "1.9 MiB" to text (AMOUNT_BYTES) and returns it. */
enum { AMOUNT_BYTES = 60 };
const char *text_of_amount(uint64_t size_bytes, char *text);
strew_status fail_memory(const struct call *call, strew_context *context, uint64_t size_bytes);
#define fail_memory(...) failed(fail_memory(__VA_ARGS__))
/* Sets `place` to such memory; returns from the function, failed, if there is none. NEW: declares it, too. */
#define ALLOCATE(place, call, context, size_bytes)                                                                     \
  if (!((place) = memory_allocate(context, size_bytes))) return fail_memory(call, context, size_bytes)
#define ALLOCATE_NEW(type, name, ...)                                                                                  \
  type name;                                                                                                           \
  ALLOCATE(name, __VA_ARGS__)
/* Fails if the device uses this machine's memory and size_bytes exceeds all of it: malloc would overcommit. */
strew_status check_machine_memory(const struct call *call, const strew_device *device, uint64_t size_bytes,
                                  const char *hint);

/* ------------------------------------------------------------------------------------------------------- context.c */

struct pool;

/* A member of what any thread may release. */
struct released {
  struct released *next;
  void (*give_back)(strew_context *context, struct released *released);
};

struct storage {
  size_t references;
  strew_device *device;
  void *data; /* a host address, or the device's own object */
  size_t size_bytes;
  bool wrapped;  /* the memory is the host's */
  bool constant; /* no call writes to it: part of a grouping or, if wrapped, read-only memory */
  const struct elementwise_plan *program; /* computes the elements of a dense tensor as they are read; NULL: they are in
                                             memory. `data` is an address to count elements from */
  const struct program *started;          /* the program, made ready by the running call, on the CPU */
  /* Of a deferred tensor, else NULL: fails if an index from which the program takes elements is out of range: one that
     its run has met, or `now` finds. */
  strew_status (*check)(const struct call *call, struct storage *storage, bool now);
  strew_status (*store)(const struct call *call, const strew_tensor *tensor); /* deferred.c; NULL: it is stored */
  struct word_list *words;                                                    /* of text: words.h; else NULL */
  int64_t index_size;          /* of a constant one: int64 values of 0 .. index_size - 1; 0: not known */
  void (*release)(void *user); /* called at the end of a storage that is wrapped or has a program; or NULL */
  void *user;
};
/* Different storages share memory only if a host wrapped one, twice or after it got it from here. */
static inline bool storages_may_meet(const struct storage *a, const struct storage *b) {
  return a == b || a->wrapped || b->wrapped;
}

struct strew_tensor {
  atomic_size_t references;
  struct released released;
  strew_dtype dtype;
  int rank;
  int64_t offset; /* of the first element, in elements */
  struct storage *storage;
  int64_t sizes[MAX_RANK];
  int64_t strides[MAX_RANK]; /* in elements, none negative */
};

/* Stores a tensor that is deferred (deferred.c). */
static inline strew_status operand_store(const struct call *call, const strew_tensor *tensor) {
  return tensor->storage->store ? tensor->storage->store(call, tensor) : STREW_OK;
}

struct strew_device {
  const struct device_ops *ops;
  strew_context *context;
  const char *name;
  char description[128];
  const char *lacks_float64; /* the reason; NULL: it has float64 */
  void *state;               /* the device's own */
};

/* The word of a dtype of results on the device: float32 for a float64 that it lacks. */
const char *dtype_name_on(const strew_device *device, strew_dtype dtype) __attribute__((cold));
/* The hint where sums of integers leave their dtype. */
const char *hint_of_floats(const strew_device *device) __attribute__((cold));
/* Returns the hint, of call->error, that converts a tensor, the operand called `name`, to the widest floats of its
   device, and returns it. */
const char *hint_to_floats(const struct call *call, const strew_tensor *tensor, const char *name) __attribute__((cold));

/* The devices other than the CPU, and why others cannot be used. */
enum { MOST_FOUND = 64, MOST_PROBLEMS = 16 };
struct found_device {
  strew_device device;
  char name[24];
};
struct device_list {
  bool searched; /* drivers are loaded at first use */
  int count, problem_count;
  strew_device *devices[MOST_FOUND];
  char problems[MOST_PROBLEMS][256];
  char advice[256];                   /* how to get a device, if there is none */
  void (*drop_kept)(strew_context *); /* frees the memory that devices keep for reuse; NULL: none does */
  void (*forget)(strew_context *);    /* closes and frees the devices; NULL: none was found */
};

/* Work that reports its progress; doing is "" if there is none. interrupt.c */
struct progress {
  char doing[TEXT_BYTES];
  uint64_t total, done; /* in steps of any size; done is at most total */
};

/* Debug builds: released tensors, whose memory is kept so that a later use is found; the oldest is overwritten. */
enum { MOST_RELEASED = IS_DEBUG ? 4096 : 1 };
struct graveyard {
  int at;
  size_t size_bytes; /* of each */
  void *blocks[MOST_RELEASED];
};

struct strew_context {
  atomic_size_t references; /* the host's, and one for each tensor, table and reader that is not released */
  atomic_uintptr_t user;    /* the thread that has used it last, see release.c */
  struct released *_Atomic released;
  strew_allocator allocator;
  struct kept kept;
  size_t bytes, peak_bytes; /* of tensor memory */
  int64_t deferred;         /* tensors without memory: deferred.c */
  bool has_others;          /* a tensor was made whose elements are no numbers */
  size_t memory_limit_bytes, charged_bytes;
  strew_device *default_device;
  strew_device cpu;
  struct device_list found;
  bool any_order; /* float sums may be added in any order */
  void (*progress)(void *user, const char *doing, double done);
  void *progress_user;
  struct progress steps;
  struct pool *pool; /* made at first use */
  int threads;
  size_t grain_bytes;   /* work below this stays on one thread */
  uint64_t seed, draws; /* random numbers: Philox's key, and the number of 128-bit blocks used */
  atomic_int stop;      /* enum stop */
  double time_limit_seconds;
  int64_t deadline_ns;
  int64_t (*now_ns)(void); /* clock_ns, except in tests */
  atomic_uintptr_t owner;  /* debug builds: the thread that is in a call; `claims`: nested calls of it */
  int claims;
  struct graveyard graveyard;
};

/* --------------------------------------------------------------------------------------------------- release.c */

/* Gives it back, now or, if the context is another thread's, when that one makes a call. */
void context_give_back(strew_context *context, struct released *released);
/* Frees what other threads have released. */
void context_drain_slow(strew_context *context);
static inline void context_drain(strew_context *context) {
  if (atomic_load_explicit(&context->released, memory_order_relaxed)) context_drain_slow(context);
}
void context_take_over(strew_context *context);

/* Drops a reference; true if it was the last. A single one is nobody else's, and needs no atomic step. */
static inline bool drop_reference(atomic_size_t *references) {
  if (atomic_load_explicit(references, memory_order_acquire) == 1) return true;
  return atomic_fetch_sub_explicit(references, 1, memory_order_acq_rel) == 1;
}

/* Of a user that is releasing (release.c). Threads are addresses of structs. */
enum { BUSY = 1 };

/* Makes the calling thread the context's user, unless it is, which may be releasing. */
static inline void context_use(strew_context *context) {
  const uintptr_t user = atomic_load_explicit(&context->user, memory_order_relaxed);
  if ((user & ~(uintptr_t)BUSY) != (uintptr_t)pthread_self()) context_take_over(context);
}

strew_status storage_create(const struct call *call, strew_device *device, size_t size_bytes, struct storage **out);
struct storage *storage_retain(struct storage *storage);
void storage_release(struct storage *storage);

/* ----------------------------------------------------------------------------------------------------- interrupt.c */

enum stop {
  STOP_INTERRUPTED = 1, /* by the host */
  STOP_TIMED = 2,       /* there is a deadline */
  STOP_LATE = 4,        /* the deadline has passed */
  STOP_SKIPPED = 8,     /* the running call has skipped work */
  STOP_SHARED = 16      /* two threads were in the context at once; permanent */
};

int64_t clock_ns(void);
bool context_stops_slow(strew_context *context);
/* True once the running call must stop; stays true until it ends. From any of its threads. */
static inline bool context_stops(strew_context *context) {
  return atomic_load_explicit(&context->stop, memory_order_relaxed) && context_stops_slow(context);
}
/* Ends a device's entry: fails if the call has skipped work. `written`: the storage being written, or NULL. */
strew_status context_end(const struct call *call, strew_context *context, const struct storage *written);
/* Both in one, between two steps of a call. */
strew_status context_check(const struct call *call, strew_context *context);

#endif
