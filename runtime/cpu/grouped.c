/* grouped.c: calls of groupings on the CPU, beside the numbering of keys (group_keys.c). */
#include "cpu.h"
#include "runtime/shared/scalar.h"

#include <string.h>

/* ----------------------------------------------------------------------------------------------------------- cumsum */

/* Elements begin .. end - 1; sums holds those of the groups so far. */
#define CUMSUM(s)                                                                                                      \
  static void cumsum_##s(const int64_t *ids, const void *src_, void *sums_, void *out_, int64_t begin, int64_t end) {  \
    const T_##s *src = src_;                                                                                           \
    T_##s *sums = sums_, *out = out_;                                                                                  \
    for (int64_t i = begin; i < end; i++) {                                                                            \
      const int64_t id = ids[i];                                                                                       \
      out[i] = id < 0 ? 0 : (sums[id] = plus_##s(sums[id], src[i]));                                                   \
    }                                                                                                                  \
  }
CUMSUM(f32)
CUMSUM(f64)
CUMSUM(i64)

static void *elements_of(const strew_tensor *tensor) {
  return tensor->storage->data ? (char *)tensor->storage->data + (size_t)tensor->offset * dtype_bytes(tensor->dtype)
                               : NULL;
}

static strew_status cpu_cumsum_of_groups(const struct call *call, strew_device *device, const strew_tensor *ids,
                                         int64_t size, const strew_tensor *src, strew_tensor *out) {
  strew_context *context = device->context;
  const int64_t count = ids->sizes[0];
  size_t bytes;
  if (__builtin_mul_overflow((size_t)size, dtype_bytes(src->dtype), &bytes)) bytes = SIZE_MAX;
  void *sums = bytes < SIZE_MAX ? memory_allocate(context, bytes) : NULL;
  if (!sums) return fail_memory(call, context, bytes);
  memset(sums, 0, bytes);
  for (int64_t begin = 0, end; begin < count && !context_stops(context); begin = end) {
    end = least(begin + CHUNK, count);
    (src->dtype == STREW_FLOAT32 ? cumsum_f32
     : src->dtype == STREW_FLOAT64
         ? cumsum_f64
         : cumsum_i64)(elements_of(ids), elements_of(src), sums, elements_of(out), begin, end);
  }
  memory_free(context, sums, bytes);
  return context_end(call, context, out->storage);
}

const struct grouped_ops cpu_grouped = {.number = cpu_number_keys,
                                        .cumsum = cpu_cumsum_of_groups,
                                        .order = cpu_group_order,
                                        .collect = cpu_group_collect,
                                        .order_within = cpu_order_within,
                                        .topk = cpu_group_topk,
                                        .aggregate = cpu_aggregate};
