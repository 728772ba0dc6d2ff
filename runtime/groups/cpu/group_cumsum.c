/* group_cumsum.c: running sums within groups. */
#include "runtime/core/cpu/cpu.h"
#include "runtime/core/shared/scalar.h"
#include "runtime/groups/group_ops.h"

#include <inttypes.h>
#include <string.h>

GROUP_ENTRIES(CPU_FUNCTION, CPU_FUNCTION)

/* Elements begin .. end - 1; sums holds those of the groups so far. Returns the first one whose sum leaves the dtype,
   or end. */
typedef int64_t cumsum_loop(const int64_t *ids, const void *src, void *sums, void *out, int64_t begin, int64_t end);
#define CUMSUM(s, leaves)                                                                                              \
  static int64_t cumsum_##s(const int64_t *ids, const void *src_, void *sums_, void *out_, int64_t begin,              \
                            int64_t end) {                                                                             \
    const T_##s *src = src_;                                                                                           \
    T_##s *sums = sums_, *out = out_;                                                                                  \
    for (int64_t i = begin; i < end; i++) {                                                                            \
      const int64_t id = ids[i];                                                                                       \
      if (id >= 0 && leaves(sums[id], src[i])) return i;                                                               \
      out[i] = id < 0 ? 0 : (sums[id] = plus_##s(sums[id], src[i]));                                                   \
    }                                                                                                                  \
    return end;                                                                                                        \
  }
#define NEVER(a, b) false
#define LEAVES(s)                                                                                                      \
  ALWAYS_INLINE bool leaves_##s(T_##s a, T_##s b) {                                                                    \
    T_##s sum;                                                                                                         \
    return __builtin_add_overflow(a, b, &sum);                                                                         \
  }
LEAVES(i64)
LEAVES(u64)
CUMSUM(f32, NEVER)
CUMSUM(f64, NEVER)
CUMSUM(i64, leaves_i64)
CUMSUM(u64, leaves_u64)
static cumsum_loop *const loops[] = {[STREW_FLOAT32] = cumsum_f32,
                                     [STREW_FLOAT64] = cumsum_f64,
                                     [STREW_INT64] = cumsum_i64,
                                     [STREW_UINT64] = cumsum_u64};

static strew_status fail_cumsum(const struct call *call, const strew_tensor *ids, strew_dtype dtype, int64_t at) {
  const strew_scalar group = strew_int(((const int64_t *)dense_at(ids, 0))[at]);
  struct fault fault = {.code = STREW_EVALUE, .argument = "src", .value = &group, .position = &at, .position_rank = 1};
  fault.hint = hint_of_floats(call->operands[0].tensor->storage->device);
  return fail(call, fault, "has a sum in group %" PRId64 " at [%" PRId64 "] that %s cannot hold", group.as.i, at,
              strew_dtype_name(dtype));
}

strew_status cpu_group_cumsum(const struct call *call, strew_device *device, const strew_tensor *ids, int64_t size,
                              const strew_tensor *src, strew_tensor *out) {
  strew_context *context = device->context;
  const int64_t count = ids->sizes[0];
  cumsum_loop *const run = loops[src->dtype];
  uint64_t bytes;
  if (__builtin_mul_overflow((uint64_t)size, dtype_bytes(src->dtype), &bytes)) bytes = UINT64_MAX;
  void *sums = bytes < UINT64_MAX ? memory_allocate(context, bytes) : NULL;
  if (!sums) return fail_memory(call, context, bytes);
  memset(sums, 0, bytes);
  int64_t at = 0, end = 0;
  while (at == end && at < count && !context_stops(context)) {
    end = least(at + CHUNK, count);
    at = run(dense_at(ids, 0), dense_at(src, 0), sums, dense_at(out, 0), at, end);
  }
  memory_free(context, sums, bytes);
  return at < end ? fail_cumsum(call, ids, src->dtype, at) : context_end(call, context, out->storage);
}
