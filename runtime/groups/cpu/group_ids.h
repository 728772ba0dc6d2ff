/* group_ids.h: ids of a grouping as int32, a block at a time, and the elements of a block that a thread owns. */
#ifndef STREW_CPU_GROUP_IDS_H
#define STREW_CPU_GROUP_IDS_H

#include "runtime/core/cpu/cpu.h"
#include "runtime/groups/group_ops.h"

/* Dense ids. */
struct ids_reader {
  const char *ids;
  int64_t bytes;      /* of one */
  convert_row *widen; /* NULL: they are int32 */
};

static inline struct ids_reader ids_reader(const struct group_ids *ids) {
  const strew_tensor *tensor = ids->ids;
  struct ids_reader reader = {.ids = dense_at(tensor, 0), .bytes = (int64_t)dtype_bytes(tensor->dtype)};
  if (tensor->dtype != STREW_INT32) reader.widen = converter(STREW_INT32, tensor->dtype);
  return reader;
}

/* Returns `count` ids from number `first` on: in place, or in `block`, which has room for IDS_BLOCK. */
static inline const int32_t *read_ids(const struct ids_reader *reader, int64_t first, int64_t count, int32_t *block) {
  const char *from = reader->ids + first * reader->bytes;
  if (!reader->widen) return (const int32_t *)(const void *)from;
  reader->widen(count, (char *)block, sizeof *block, from, reader->bytes);
  return block;
}

/* The listed elements of a block, counted from its first one, and their ids. */
struct ids_list {
  int64_t count;
  uint16_t which[IDS_BLOCK];
  int32_t ids[IDS_BLOCK];
};

/* Lists the elements of a block whose ids are begin .. end - 1. */
void list_owned(const int32_t *ids, int64_t count, int64_t begin, int64_t end, struct ids_list *list);
/* Returns how many threads share a walk over `length` ids: all, or one if they are few. */
int64_t parts_of_walk(const strew_context *context, int64_t length);
/* Cuts the groups into `parts` ranges of about as many elements and groups: part p has cuts[p] .. cuts[p + 1] - 1. */
void cut_groups(const struct ids_reader *reader, int64_t length, int64_t size, int64_t parts, int64_t *cuts);

/* Bytes from a group's record of `bytes` to the next: a multiple of 8, except for records of 4 bytes. A small record
   does not cross a cache line. */
int64_t record_stride(int64_t bytes);

#endif
