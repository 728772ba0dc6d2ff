/* group_shift.c: neighbours of elements within groups. */
#include "runtime/core/cpu/cpu.h"
#include "runtime/groups/group_ops.h"

#include <string.h>

GROUP_ENTRIES(CPU_FUNCTION, CPU_FUNCTION)

/* The walk over the elements from position `at` on, `step` (1 or -1) apart. */
struct walk {
  const int64_t *ids, *starts;
  int64_t *next; /* of each group, where its next element goes in `held` */
  const void *src, *fill;
  void *held, *out;
  int64_t at, step, n;
};

/* Takes `count` elements. near: by the last one of each group in `held`; far: by all of them, those of a group from its
   start on. */
typedef void shift_loop(struct walk *w, int64_t count);
#define SHIFT(bits)                                                                                                    \
  static void near_##bits(struct walk *w, int64_t count) {                                                             \
    const uint##bits##_t *src = w->src, none = *(const uint##bits##_t *)w->fill;                                       \
    uint##bits##_t *held = w->held, *out = w->out;                                                                     \
    const int64_t *ids = w->ids, step = w->step, end = w->at + count * step;                                           \
    for (int64_t i = w->at; i != end; i += step) {                                                                     \
      const int64_t id = ids[i];                                                                                       \
      const uint##bits##_t before = id < 0 ? none : held[id];                                                          \
      if (id >= 0) held[id] = src[i];                                                                                  \
      out[i] = before;                                                                                                 \
    }                                                                                                                  \
    w->at = end;                                                                                                       \
  }                                                                                                                    \
  static void far_##bits(struct walk *w, int64_t count) {                                                              \
    const uint##bits##_t *src = w->src, none = *(const uint##bits##_t *)w->fill;                                       \
    uint##bits##_t *held = w->held, *out = w->out;                                                                     \
    for (int64_t i = w->at; count-- > 0; w->at = i += w->step) {                                                       \
      const int64_t id = w->ids[i], k = id < 0 ? 0 : w->next[id]++;                                                    \
      if (id >= 0) held[k] = src[i];                                                                                   \
      out[i] = id >= 0 && k - w->starts[id] >= w->n ? held[k - w->n] : none;                                           \
    }                                                                                                                  \
  }                                                                                                                    \
  static void fill_##bits(struct walk *w, int64_t count) {                                                             \
    for (int64_t i = 0; i < count; i++) ((uint##bits##_t *)w->held)[i] = *(const uint##bits##_t *)w->fill;             \
  }
SHIFT(8)
SHIFT(16)
SHIFT(32)
SHIFT(64)
enum { NEAR, FAR, FILL, LOOPS };
static shift_loop *const loops[][LOOPS] = {[1] = {near_8, far_8, fill_8},
                                           [2] = {near_16, far_16, fill_16},
                                           [4] = {near_32, far_32, fill_32},
                                           [8] = {near_64, far_64, fill_64}};

static void walk(struct walk *w, shift_loop *run, strew_context *context, int64_t count) {
  for (int64_t done = 0; done < count && !context_stops(context); done += CHUNK) run(w, least(CHUNK, count - done));
}

strew_status cpu_group_shift(const struct call *call, strew_device *device, const strew_tensor *ids,
                             const strew_tensor *starts, const strew_tensor *src, int64_t n, const strew_tensor *fill,
                             strew_tensor *out) {
  strew_context *context = device->context;
  const int64_t count = ids->sizes[0], groups = starts->sizes[0] - 1;
  const bool is_near = n == 1 || n == -1;
  shift_loop *const *of = loops[dtype_bytes(src->dtype)];
  struct walk w = {.ids = dense_at(ids, 0), .starts = dense_at(starts, 0), .src = dense_at(src, 0)};
  w.fill = dense_at(fill, 0), w.out = dense_at(out, 0);
  w.step = n < 0 ? -1 : 1, w.at = n < 0 ? count - 1 : 0, w.n = n < 0 ? -n : n;
  const uint64_t held = (uint64_t)(is_near ? groups : count) * dtype_bytes(src->dtype);
  const uint64_t next = is_near ? 0 : (uint64_t)groups * 8;
  w.next = memory_allocate(context, next + held);
  if (!w.next) return fail_memory(call, context, next + held);
  w.held = (char *)w.next + next;
  if (is_near)
    of[FILL](&w, groups);
  else
    memcpy(w.next, w.starts, next);
  walk(&w, of[is_near ? NEAR : FAR], context, count);
  memory_free(context, w.next, next + held);
  return context_end(call, context, out->storage);
}
