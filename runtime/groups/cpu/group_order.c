/* group_order.c: the order of elements by group, and by value within groups. Threads share the groups.

   By group: each thread walks all ids, and puts the positions of its groups behind one another. By value: each group is
   sorted by itself, in cache: runs by insertion, then merged. Ties go by position, which is the order in which elements
   come. */
#include "group_ids.h"

#include <string.h>

GROUP_ENTRIES(CPU_FUNCTION, CPU_FUNCTION)

struct item {
  uint64_t key;
  int64_t position;
};

struct ordering {
  strew_context *context;
  strew_dtype dtype;
  const char *src;
  int64_t step, groups, parts, most; /* bytes; elements of the largest group */
  const int64_t *order, *starts;
  uint64_t flip; /* all ones: descending */
  int64_t *out;
  struct item *scratch; /* 2 * most of them for each part */
};

/* Copies elements of T to a dense block. */
#define COPY(T)                                                                                                        \
  static void copy_##T(const struct ordering *ordering, const int64_t *positions, int64_t count, void *to_) {          \
    T *to = to_;                                                                                                       \
    for (int64_t i = 0; i < count; i++)                                                                                \
      to[i] = *(const T *)(const void *)(ordering->src + positions[i] * ordering->step);                               \
  }
EACH_WIDTH(COPY)

static void read_items(const struct ordering *ordering, const int64_t *positions, int64_t count, struct item *items) {
  static void (*const copy[])(const struct ordering *, const int64_t *, int64_t, void *) = {BY_WIDTH(copy)};
  const size_t bytes = dtype_bytes(ordering->dtype);
  uint64_t elements[SORT_CHUNK], keys[SORT_CHUNK];
  for (int64_t at = 0, taken; at < count; at += taken) {
    taken = least(SORT_CHUNK, count - at);
    copy[bytes](ordering, positions + at, taken, elements);
    cpu_sort_keys(ordering->dtype, (const char *)elements, (int64_t)bytes, taken, keys);
    for (int64_t i = 0; i < taken; i++) items[at + i] = (struct item){keys[i] ^ ordering->flip, positions[at + i]};
  }
}

static void sort_run(struct item *items, int64_t count) {
  for (int64_t i = 1; i < count; i++) {
    const struct item item = items[i];
    int64_t at = i;
    for (; at > 0 && items[at - 1].key > item.key; at--) items[at] = items[at - 1];
    items[at] = item;
  }
}

/* Merges two sorted runs that follow one another, without branches while both last. */
static void merge(const struct item *first, int64_t first_count, int64_t second_count, struct item *to) {
  const struct item *a = first, *a_end = first + first_count, *b = a_end, *b_end = b + second_count;
  while (a < a_end && b < b_end) {
    const bool later = b->key < a->key;
    *to++ = later ? *b : *a;
    a += !later;
    b += later;
  }
  memcpy(to, a, (size_t)(a_end - a) * sizeof *to);
  memcpy(to + (a_end - a), b, (size_t)(b_end - b) * sizeof *to);
}

/* Returns the sorted items: in one of the two arrays. */
static const struct item *sort_items(struct item *items, struct item *other, int64_t count) {
  for (int64_t at = 0; at < count; at += SORT_INSERTION) sort_run(items + at, least(SORT_INSERTION, count - at));
  for (int64_t run = SORT_INSERTION; run < count; run *= 2) {
    for (int64_t at = 0; at < count; at += 2 * run) {
      const int64_t first = least(run, count - at);
      merge(items + at, first, least(run, count - at - first), other + at);
    }
    struct item *sorted = other;
    other = items;
    items = sorted;
  }
  return items;
}

/* Returns the first group that begins at that element or later. */
static int64_t group_from(const struct ordering *ordering, int64_t element) {
  int64_t low = 0, high = ordering->groups;
  BISECT(low, high, g, ordering->starts[g] < element);
  return low;
}

static void order_part(void *ordering_, int64_t part) {
  const struct ordering *ordering = ordering_;
  const int64_t total = ordering->starts[ordering->groups];
  struct item *items = ordering->scratch + 2 * part * ordering->most;
  int64_t g = group_from(ordering, part_begin(total, ordering->parts, part)), since = 0;
  const int64_t end = group_from(ordering, part_begin(total, ordering->parts, part + 1));
  for (; g < end; g++) {
    const int64_t begin = ordering->starts[g], count = ordering->starts[g + 1] - begin;
    since += count + 1;
    if (since > CHUNK && (since = 0, context_stops(ordering->context))) return;
    read_items(ordering, ordering->order + begin, count, items);
    const struct item *sorted = sort_items(items, items + ordering->most, count);
    for (int64_t i = 0; i < count; i++) ordering->out[begin + i] = sorted[i].position;
  }
}

static int64_t largest_group(const struct ordering *ordering) {
  int64_t most = 0;
  for (int64_t g = 0; g < ordering->groups && (g % CHUNK || !context_stops(ordering->context)); g++) {
    const int64_t count = ordering->starts[g + 1] - ordering->starts[g];
    if (count > most) most = count;
  }
  return most;
}

strew_status cpu_group_order_within(const struct call *call, strew_device *device, const strew_tensor *src,
                                    const strew_tensor *order, const strew_tensor *starts, bool descending,
                                    strew_tensor *out) {
  strew_context *context = device->context;
  const int64_t bytes = (int64_t)dtype_bytes(src->dtype);
  struct ordering ordering = {.context = context,
                              .dtype = src->dtype,
                              .src = dense_at(src, 0),
                              .step = src->strides[0] * bytes,
                              .groups = starts->sizes[0] - 1,
                              .order = order->storage->data,
                              .starts = starts->storage->data,
                              .flip = descending ? UINT64_MAX : 0,
                              .out = out->storage->data};
  ordering.most = largest_group(&ordering);
  if (context_stops(context)) return context_end(call, context, NULL);
  if (ordering.most > GROUP_SORT_MAX) return STREW_DECLINED;
  ordering.parts = pool_parts(context, out->sizes[0] * 2 * (int64_t)sizeof *ordering.scratch);
  const uint64_t scratch = (uint64_t)(2 * ordering.parts * ordering.most) * sizeof *ordering.scratch;
  ALLOCATE(ordering.scratch, call, context, scratch);
  pool_run(context, ordering.parts, order_part, &ordering);
  memory_free(context, ordering.scratch, scratch);
  return context_end(call, context, NULL);
}

/* -------------------------------------------------------------------------------------------------------- by group */

/* Elements to put behind one another, those of each group from starts[g] on: their positions, or values. */
struct placing {
  strew_context *context;
  struct ids_reader ids;
  const int64_t *starts;
  int64_t length, parts, cuts[STREW_MAX_THREADS + 1];
  int64_t *next; /* of each group: where its next element goes */
  void (*put)(const struct placing *placing, const struct ids_list *list, int64_t at);
  const char *src;
  int64_t step; /* bytes */
  void *out;
};

/* Puts what is at position `at` plus that in the list. */
static void put_positions(const struct placing *placing, const struct ids_list *list, int64_t at) {
  int64_t *next = placing->next, *out = placing->out;
  for (int64_t k = 0; k < list->count; k++) out[next[list->ids[k]]++] = at + list->which[k];
}
#define PUT(T)                                                                                                         \
  static void put_##T(const struct placing *placing, const struct ids_list *list, int64_t at) {                        \
    const int64_t step = placing->step;                                                                                \
    const char *src = placing->src + at * step;                                                                        \
    int64_t *next = placing->next;                                                                                     \
    T *out = placing->out;                                                                                             \
    for (int64_t k = 0; k < list->count; k++)                                                                          \
      out[next[list->ids[k]]++] = *(const T *)(const void *)(src + list->which[k] * step);                             \
  }
EACH_WIDTH(PUT)

static void place_part(void *placing_, int64_t part) {
  const struct placing *placing = placing_;
  const int64_t begin = placing->cuts[part], end = placing->cuts[part + 1];
  int32_t widened[IDS_BLOCK];
  struct ids_list list;
  if (begin == end) return;
  for (int64_t g = begin; g < end && !context_stops(placing->context); g += CHUNK)
    memcpy(placing->next + g, placing->starts + g, (size_t)least(CHUNK, end - g) * sizeof *placing->next);
  for (int64_t at = 0; at < placing->length && (at % CHUNK || !context_stops(placing->context)); at += IDS_BLOCK) {
    const int64_t count = least(IDS_BLOCK, placing->length - at);
    list_owned(read_ids(&placing->ids, at, count, widened), count, begin, end, &list);
    placing->put(placing, &list, at);
  }
}

static strew_status place(const struct call *call, strew_context *context, const struct group_ids *ids,
                          struct placing *placing) {
  const uint64_t bytes = (uint64_t)ids->size * sizeof *placing->next;
  placing->context = context;
  placing->ids = ids_reader(ids);
  placing->length = ids->ids->sizes[0];
  ALLOCATE(placing->next, call, context, bytes);
  placing->parts = parts_of_walk(context, placing->length);
  cut_groups(&placing->ids, placing->length, ids->size, placing->parts, placing->cuts);
  pool_run(context, placing->parts, place_part, placing);
  memory_free(context, placing->next, bytes);
  return context_end(call, context, NULL);
}

strew_status cpu_group_order(const struct call *call, strew_device *device, const struct group_ids *ids,
                             const strew_tensor *starts, strew_tensor *order) {
  struct placing placing = {.starts = starts->storage->data, .put = put_positions, .out = order->storage->data};
  return place(call, device->context, ids, &placing);
}

strew_status cpu_group_collect(const struct call *call, strew_device *device, const struct group_ids *ids,
                               const strew_tensor *starts, const strew_tensor *src, strew_tensor *out) {
  static void (*const put[])(const struct placing *, const struct ids_list *, int64_t) = {BY_WIDTH(put)};
  const int64_t bytes = (int64_t)dtype_bytes(src->dtype);
  struct placing placing = {.starts = starts->storage->data,
                            .put = put[bytes],
                            .src = dense_at(src, 0),
                            .step = src->strides[0] * bytes,
                            .out = out->storage->data};
  return place(call, device->context, ids, &placing);
}
