/* group_topk.c: the first few elements of each group by value, in one walk over the ids. A group has a record of the
   keys of its first elements so far, and of their positions. Each thread owns a range of groups, and lists their
   elements; so elements come in order, and ties go by position. */
#include "group_ids.h"

#include <string.h>

GROUP_ENTRIES(CPU_FUNCTION, CPU_FUNCTION)

#define NOWHERE UINT32_MAX /* marks an empty slot, whose key is 0 */

struct topping {
  strew_context *context;
  struct ids_reader ids;
  strew_dtype dtype;
  const char *src;
  int64_t step, length, size, k, parts, cuts[STREW_MAX_THREADS + 1];
  uint64_t flip;  /* all ones: the least elements come first */
  int64_t stride; /* bytes of a record */
  char *records;
  int64_t *counts; /* of each part: of its groups' elements, then of those before it */
  int64_t *positions, *groups;
};

/* A record: k keys in descending order, then their positions. */
static uint64_t *keys_at(const struct topping *t, int64_t group) {
  return (uint64_t *)(void *)(t->records + group * t->stride);
}
static uint32_t *positions_at(const struct topping *t, int64_t group) {
  return (uint32_t *)(void *)(keys_at(t, group) + t->k);
}

static void start_records(const struct topping *t, int64_t begin, int64_t end) {
  for (int64_t g = begin; g < end && (g % CHUNK || !context_stops(t->context)); g++) {
    memset(keys_at(t, g), 0, (size_t)t->k * sizeof(uint64_t));
    memset(positions_at(t, g), 0xff, (size_t)t->k * sizeof(uint32_t));
  }
}

/* Puts an element behind those that are as great. */
static void insert(uint64_t *keys, uint32_t *positions, int64_t k, uint64_t key, uint32_t position) {
  int64_t at = k - 1;
  for (; at > 0 && (keys[at - 1] < key || positions[at - 1] == NOWHERE); at--) {
    keys[at] = keys[at - 1];
    positions[at] = positions[at - 1];
  }
  keys[at] = key;
  positions[at] = position;
}

static void join(const struct topping *t, const struct ids_list *list, const uint64_t *keys, int64_t first) {
  const int64_t last = t->k - 1;
  for (int64_t i = 0; i < list->count; i++) {
    uint64_t *held = keys_at(t, list->ids[i]);
    uint32_t *positions = (uint32_t *)(void *)(held + t->k);
    const uint64_t key = keys[list->which[i]] ^ t->flip;
    if (key > held[last] || (key == 0 && positions[last] == NOWHERE))
      insert(held, positions, t->k, key, (uint32_t)(first + list->which[i]));
  }
}

static void list_block(const struct topping *t, int64_t part, int64_t at, int64_t count, struct ids_list *list) {
  int32_t widened[IDS_BLOCK];
  list_owned(read_ids(&t->ids, at, count, widened), count, t->cuts[part], t->cuts[part + 1], list);
  for (int64_t i = 0; i < list->count; i++) prefetch_write((uintptr_t)keys_at(t, list->ids[i]), t->stride);
}

/* The next block is listed, and its records prefetched, before a block is joined. */
static void join_part(void *t_, int64_t part) {
  const struct topping *t = t_;
  struct ids_list lists[2];
  uint64_t keys[IDS_BLOCK];
  int64_t at = 0, count = least(IDS_BLOCK, t->length);
  start_records(t, t->cuts[part], t->cuts[part + 1]);
  list_block(t, part, 0, count, &lists[0]);
  for (int now = 0; at < t->length && (at % CHUNK || !context_stops(t->context)); now = !now) {
    const int64_t next = at + count, next_count = least(IDS_BLOCK, t->length - next);
    if (next_count > 0) list_block(t, part, next, next_count, &lists[!now]);
    cpu_sort_keys(t->dtype, t->src + at * t->step, t->step, count, keys);
    join(t, &lists[now], keys, at);
    at = next, count = next_count;
  }
}

static int64_t held(const struct topping *t, int64_t group) {
  const uint32_t *positions = positions_at(t, group);
  int64_t count = 0;
  while (count < t->k && positions[count] != NOWHERE) count++;
  return count;
}

static void count_part(void *t_, int64_t part) {
  const struct topping *t = t_;
  int64_t count = 0;
  for (int64_t g = t->cuts[part]; g < t->cuts[part + 1] && (g % CHUNK || !context_stops(t->context)); g++)
    count += held(t, g);
  t->counts[part] = count;
}

static void write_part(void *t_, int64_t part) {
  const struct topping *t = t_;
  int64_t at = t->counts[part];
  for (int64_t g = t->cuts[part]; g < t->cuts[part + 1] && (g % CHUNK || !context_stops(t->context)); g++) {
    const uint32_t *positions = positions_at(t, g);
    const int64_t count = held(t, g);
    for (int64_t i = 0; i < count; i++, at++) {
      t->positions[at] = positions[i];
      if (t->groups) t->groups[at] = g;
    }
  }
}

static strew_status write_all(const struct call *call, strew_device *device, struct topping *t,
                              strew_tensor **positions, strew_tensor **groups) {
  int64_t total = 0;
  pool_run(t->context, t->parts, count_part, t);
  strew_status status = context_end(call, t->context, NULL);
  for (int64_t part = 0; part < t->parts; part++) {
    const int64_t count = t->counts[part];
    t->counts[part] = total;
    total += count;
  }
  TRY(status, tensor_create(call, device, STREW_INT64, 1, &total, positions));
  if (status == STREW_OK && groups) status = tensor_create(call, device, STREW_INT64, 1, &total, groups);
  if (status != STREW_OK) return status;
  t->positions = (*positions)->storage->data;
  if (groups) t->groups = (*groups)->storage->data;
  pool_run(t->context, t->parts, write_part, t);
  return context_end(call, t->context, NULL);
}

static int64_t stride_of(int64_t k) { return record_stride(k * (int64_t)(sizeof(uint64_t) + sizeof(uint32_t))); }

/* True if a walk is expected to take less time than the order of all elements. */
static bool walks(const struct group_ids *ids, int64_t length, int64_t k) {
  if (k > TOPK_NEAR_MAX || length >= UINT32_MAX || ids->size > length / k) return false;
  return k <= TOPK_FAR_MAX || ids->size * stride_of(k) <= tuning_in_use()->llc_bytes / 2;
}

strew_status cpu_group_topk(const struct call *call, strew_device *device, const struct group_ids *ids,
                            const strew_tensor *src, int64_t k, bool largest, strew_tensor **positions,
                            strew_tensor **groups) {
  strew_context *context = device->context;
  const int64_t bytes = (int64_t)dtype_bytes(src->dtype);
  int64_t counts[STREW_MAX_THREADS];
  if (!walks(ids, src->sizes[0], k)) return STREW_DECLINED;
  struct topping t = {.context = context,
                      .ids = ids_reader(ids),
                      .dtype = src->dtype,
                      .src = dense_at(src, 0),
                      .step = src->strides[0] * bytes,
                      .length = src->sizes[0],
                      .size = ids->size,
                      .k = k,
                      .stride = stride_of(k),
                      .counts = counts};
  const uint64_t size_bytes = (uint64_t)(t.size * t.stride);
  if (!largest) t.flip = UINT64_MAX >> (64 - 8 * bytes);
  ALLOCATE(t.records, call, context, size_bytes);
  t.parts = parts_of_walk(context, t.length);
  cut_groups(&t.ids, t.length, t.size, t.parts, t.cuts);
  pool_run(context, t.parts, join_part, &t);
  strew_status status = context_end(call, context, NULL);
  TRY(status, write_all(call, device, &t, positions, groups));
  memory_free(context, t.records, size_bytes);
  return status;
}
