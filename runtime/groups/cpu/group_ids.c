/* group_ids.c: lists of ids; ranges of groups for threads, by a sample of the ids; the layout of records. */
#include "group_ids.h"
#include "runtime/core/cpu/core_loops.h"

void list_owned(const int32_t *ids, int64_t count, int64_t begin, int64_t end, struct ids_list *list) {
  list->count = index_loops()->list_ids(ids, count, (int32_t)begin, (uint32_t)(end - begin), list->which, list->ids);
}

static void sort_sample(int32_t *sample, int64_t count) {
  for (int64_t gap = count / 2; gap > 0; gap /= 2)
    for (int64_t i = gap; i < count; i++) {
      const int32_t id = sample[i];
      int64_t at = i;
      for (; at >= gap && sample[at - gap] > id; at -= gap) sample[at] = sample[at - gap];
      sample[at] = id;
    }
}

/* Returns how many of the sorted ids are less than `group`. */
static int64_t count_below(const int32_t *sorted, int64_t count, int64_t group) {
  int64_t low = 0, high = count;
  BISECT(low, high, i, sorted[i] < group);
  return low;
}

void cut_groups(const struct ids_reader *reader, int64_t length, int64_t size, int64_t parts, int64_t *cuts) {
  cuts[0] = 0;
  cuts[parts] = size;
  if (parts == 1) return;
  int32_t sample[IDS_SAMPLE] = {0}, block;
  const int64_t sampled = least(length, IDS_SAMPLE);
  for (int64_t i = 0; i < sampled; i++) sample[i] = *read_ids(reader, part_begin(length, sampled, i), 1, &block);
  sort_sample(sample, sampled);
  for (int64_t part = 1; part < parts; part++) {
    const int64_t share = part_begin(length + size, parts, part);
    int64_t low = cuts[part - 1], high = size; /* the first group that has so much work before it */
    BISECT(low, high, i, count_below(sample, sampled, i) * (length / sampled) + i < share);
    cuts[part] = low;
  }
}

int64_t parts_of_walk(const strew_context *context, int64_t length) {
  return pool_parts(context, work_bytes(length, 2 * sizeof(int64_t))) > 1 ? context->threads : 1;
}

int64_t record_stride(int64_t bytes) {
  int64_t stride = 4;
  while (stride < bytes && stride < CACHE_LINE) stride *= 2;
  return stride < bytes ? (bytes + 7) / 8 * 8 : stride;
}
