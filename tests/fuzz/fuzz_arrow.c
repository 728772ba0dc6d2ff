/* fuzz_arrow.c: arrays of Arrow, alone and from a stream, with buffers of exactly their size, a few members of their
   structs changed. Each release runs once, and not at all while the caller owns the struct. Structs do not tell the sizes
   of their buffers: no change adds elements or buffers, or children in both structs, and bytes are changed only where the
   importer can check them all. */
#include "fuzz.h"
#include "runtime/interchange/arrow.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum { COLUMNS = 4, BLOCKS = 64, KINDS = 17, TEXT = 13, VIEWS = 15, DICTIONARY = 16 };
static const char *const formats[KINDS] = {"c",    "tdD",   "ttu",      "g",         "b",     "e",
                                           "tsu:", "tsn:Z", "d:9,0,32", "d:18,2,64", "d:9,2", "d:76,9,256",
                                           "C",    "u",     "U",        "vu",        "c"};
/* of an element, or of an offset; 0: a bit */
static const size_t widths[KINDS] = {1, 4, 8, 8, 0, 2, 8, 8, 4, 8, 16, 32, 1, 4, 8, 16, 1};

static bool is_text(int kind) { return kind >= TEXT && kind != DICTIONARY; }

/* An array or a schema with its own memory, freed by its release, so that a later use is found. */
struct owned {
  void *blocks[BLOCKS];
  int count;
};
static int arrays_released, schemas_released, streams_released;

static void *own(struct owned *owned, size_t size_bytes) {
  PROMISE(owned->count < BLOCKS);
  return owned->blocks[owned->count++] = calloc(1, size_bytes ? size_bytes : 1);
}
static void end(struct owned *owned) {
  for (int i = 0; i < owned->count; i++) free(owned->blocks[i]);
  free(owned);
}
static void release_array(struct ArrowArray *self) { arrays_released++, self->release = NULL, end(self->private_data); }
static void release_schema(struct ArrowSchema *self) {
  schemas_released++, self->release = NULL, end(self->private_data);
}
static void release_child_array(struct ArrowArray *self) { self->release = NULL; }
static void release_child_schema(struct ArrowSchema *self) { self->release = NULL; }

/* ---------------------------------------------------------------------------------------------------------- making */

static void fill(struct bytes *bytes, void *to, size_t size) {
  for (size_t i = 0; i < size; i++) ((uint8_t *)to)[i] = fuzz_byte(bytes);
}

static void put_offset(char *at, int kind, int64_t offset) {
  const int32_t narrow = (int32_t)offset;
  memcpy(at, widths[kind] == sizeof narrow ? (const void *)&narrow : &offset, widths[kind]);
}
static int64_t get_offset(const char *at, int kind) {
  int32_t narrow;
  int64_t offset;
  memcpy(&narrow, at, sizeof narrow);
  if (widths[kind] == sizeof narrow) return narrow;
  return memcpy(&offset, at, sizeof offset), offset;
}

/* Buffers of `count` words in order. */
static void make_words(struct bytes *bytes, struct owned *owned, int kind, int64_t count, struct ArrowArray *out) {
  enum { MOST = 20 };
  char *text = own(owned, (size_t)count * MOST), *offsets = own(owned, (size_t)(count + 1) * widths[kind]);
  int64_t end = 0;
  for (int64_t i = 0; i < count; i++) {
    const int32_t length = fuzz_below(bytes, MOST);
    char *const at = offsets + i * (int64_t)widths[kind], *const word = text + end;
    for (int k = 0; k < length; k++) word[k] = (char)('a' + fuzz_below(bytes, 3));
    if (kind == VIEWS) {
      const int32_t view[4] = {length, 0, 0, (int32_t)end};
      memcpy(at, view, sizeof view);
      if (length <= 12) memcpy(at + 4, word, (size_t)length);
    }
    end += length;
    if (kind != VIEWS) put_offset(at + widths[kind], kind, end);
  }
  out->n_buffers = kind == VIEWS ? 4 : 3;
  out->buffers = own(owned, 4 * sizeof *out->buffers);
  out->buffers[1] = offsets;
  out->buffers[2] = memcpy(own(owned, (size_t)end), text, (size_t)end);
  if (kind == VIEWS) out->buffers[3] = memcpy(own(owned, sizeof end), &end, sizeof end);
}

/* A column of `rows` elements after `skipped` others. */
static void make_column(struct bytes *bytes, struct owned *owned, int kind, int64_t rows, int64_t skipped,
                        struct ArrowArray *out) {
  const int64_t offset = fuzz_below(bytes, 3), count = skipped + rows + offset;
  *out = (struct ArrowArray){.length = skipped + rows, .offset = offset, .null_count = -1};
  out->release = release_child_array, out->private_data = owned;
  if (is_text(kind)) {
    make_words(bytes, owned, kind, count, out);
  } else {
    const size_t size = widths[kind] ? (size_t)count * widths[kind] : (size_t)(count + 7) / 8,
                 odd = fuzz_below(bytes, 2);
    char *data = own(owned, size + odd);
    fill(bytes, data + odd, size);
    out->n_buffers = 2, out->buffers = own(owned, 2 * sizeof *out->buffers), out->buffers[1] = data + odd;
  }
  if (kind == DICTIONARY) {
    const int64_t words = fuzz_below(bytes, 4), unused = fuzz_below(bytes, 2);
    out->dictionary = own(owned, sizeof *out->dictionary);
    *out->dictionary = (struct ArrowArray){.length = words, .offset = unused, .release = release_child_array};
    make_words(bytes, owned, TEXT, words + unused, out->dictionary);
    for (int64_t i = 0; i < count; i++)
      ((int8_t *)(uintptr_t)out->buffers[1])[i] = (int8_t)fuzz_below(bytes, words ? (int)words : 1);
    if (!words) out->length = 0, out->offset = 0;
  }
  if (fuzz_below(bytes, 2)) return;
  void *bits = own(owned, (size_t)(count + 7) / 8);
  fill(bytes, bits, (size_t)(count + 7) / 8);
  out->buffers[0] = bits;
}

static void make_schema(const int *kinds, int columns, bool is_bare, struct ArrowSchema *out) {
  static const char *const names[COLUMNS] = {"a", "b", "c", "d"};
  struct owned *owned = calloc(1, sizeof *owned);
  struct ArrowSchema *fields = own(owned, COLUMNS * sizeof *fields), **list = own(owned, COLUMNS * sizeof *list);
  for (int i = 0; i < columns; i++) {
    fields[i] = (struct ArrowSchema){.format = formats[kinds[i]], .name = names[i], .release = release_child_schema};
    list[i] = &fields[i];
    if (kinds[i] != DICTIONARY) continue;
    fields[i].dictionary = own(owned, sizeof *fields);
    *fields[i].dictionary = (struct ArrowSchema){.format = "u", .release = release_child_schema};
  }
  *out =
      is_bare ? fields[0] : (struct ArrowSchema){.format = "+s", .name = "", .n_children = columns, .children = list};
  out->release = release_schema, out->private_data = owned;
}

static void make_array(struct bytes *bytes, const int *kinds, int columns, bool is_bare, struct ArrowArray *out) {
  struct owned *owned = calloc(1, sizeof *owned);
  const int64_t rows = fuzz_below(bytes, 12), offset = is_bare ? 0 : fuzz_below(bytes, 3);
  struct ArrowArray *children = own(owned, COLUMNS * sizeof *children), **list = own(owned, COLUMNS * sizeof *list);
  int64_t least = rows;
  for (int i = 0; i < columns; i++) {
    make_column(bytes, owned, kinds[i], rows, offset, list[i] = &children[i]);
    if (children[i].length - offset < least) least = children[i].length - offset; /* no words, no rows */
  }
  *out = (struct ArrowArray){.length = least < 0 ? 0 : least, .offset = least < 0 ? 0 : offset, .n_children = columns};
  out->n_buffers = 1, out->buffers = own(owned, sizeof *out->buffers), out->children = list;
  if (is_bare) *out = children[0];
  out->release = release_array, out->private_data = owned;
}

/* -------------------------------------------------------------------------------------------------------- changing */

/* Fewer elements than there are, or a count that cannot be one. */
static int64_t lower(struct bytes *bytes, int64_t count) {
  static const int64_t impossible[] = {-1, INT64_MIN, INT64_MAX, INT64_MAX / 32, INT64_MIN / 2};
  const int i = fuzz_below(bytes, 8);
  return i < 5 ? impossible[i] : count < 0 ? count : count - 1 - fuzz_below(bytes, 3);
}

static void change_words(struct bytes *bytes, struct ArrowArray *array, int kind) {
  if (!array->buffers || !array->length || !array->buffers[1] || array->length < 0 || array->length > 99) return;
  char *at = (char *)(uintptr_t)array->buffers[1] + fuzz_below(bytes, (int)array->length) * (int64_t)widths[kind];
  if (kind == VIEWS) {
    const int32_t member = (int32_t)fuzz_integer(bytes);
    memcpy(at + 4 * fuzz_below(bytes, 4), &member, sizeof member);
  } else { /* an offset below the one before: its word is not valid, or longer into what there is */
    put_offset(at, kind, get_offset(at, kind) - 1 - fuzz_below(bytes, 9));
  }
}

static void change_array(struct bytes *bytes, struct ArrowArray *array, int kind) {
  switch (fuzz_below(bytes, 10)) {
  case 0: array->release = NULL; break;
  case 1: array->buffers = NULL; break;
  case 2:
    if (array->buffers && array->n_buffers > 0)
      array->buffers[fuzz_below(bytes, kind == VIEWS ? 4 : is_text(kind) ? 3 : 2)] = NULL;
    break;
  case 3: array->length = lower(bytes, array->length); break;
  case 4: array->offset = lower(bytes, array->offset); break;
  case 5: array->n_buffers = kind == VIEWS ? fuzz_below(bytes, 3) : fuzz_integer(bytes); break;
  case 6: array->null_count = fuzz_integer(bytes); break;
  case 7: array->dictionary = NULL; break;
  case 8:
    if (array->dictionary) change_array(bytes, array->dictionary, TEXT);
    break;
  default:
    if (is_text(kind)) change_words(bytes, array, kind);
    if (kind == DICTIONARY && array->length > 0 && array->length < 99 && array->buffers && array->buffers[1])
      fill(bytes, (char *)(uintptr_t)array->buffers[1] + fuzz_below(bytes, (int)array->length), 1);
    break;
  }
}

static void change_schema(struct bytes *bytes, struct ArrowSchema *schema) {
  static const char *const others[] = {"+l", "d:9,2,16", "z", "", "+s", "n", "vz", "w:4", "+ud:0,1", "uu", "\xff"};
  switch (fuzz_below(bytes, 5)) {
  case 0: schema->format = NULL; break;
  case 1: schema->format = others[fuzz_below(bytes, sizeof others / sizeof *others)]; break;
  case 2: schema->name = fuzz_below(bytes, 2) ? NULL : "a"; break;
  case 3: schema->release = NULL; break;
  default:
    if (schema->dictionary) change_schema(bytes, schema->dictionary);
    break;
  }
}

static void change_arrays(struct bytes *bytes, const int *kinds, int columns, bool is_bare, struct ArrowArray *array) {
  const int i = fuzz_below(bytes, columns);
  if (is_bare || (fuzz_below(bytes, 3) && array->children && array->children[i])) {
    change_array(bytes, is_bare ? array : array->children[i], kinds[i]);
    return;
  }
  switch (fuzz_below(bytes, 6)) {
  case 0: array->length = fuzz_integer(bytes); break;
  case 1: array->offset = fuzz_integer(bytes); break;
  case 2: array->n_children = lower(bytes, array->n_children); break;
  case 3: array->children = NULL; break;
  case 4:
    if (array->children) array->children[i] = NULL;
    break;
  default: array->release = NULL; break;
  }
}

static void change_schemas(struct bytes *bytes, int columns, bool is_bare, struct ArrowSchema *schema) {
  const int i = fuzz_below(bytes, columns);
  struct ArrowSchema *child = is_bare || !schema->children || !schema->children[i] ? schema : schema->children[i];
  switch (fuzz_below(bytes, 7)) {
  case 0: schema->n_children = fuzz_below(bytes, 2) - 1; break;
  case 1: schema->children = NULL; break;
  case 2: change_schema(bytes, schema); break;
  case 3:
    if (!is_bare && schema->children) schema->children[i] = NULL;
    break;
  default: change_schema(bytes, child); break;
  }
}

/* --------------------------------------------------------------------------------------------------------- checking */

static void expect_same(const strew_table *table, const strew_table *back) {
  PROMISE(strew_table_count(table) == strew_table_count(back));
  for (int64_t i = 0; i < strew_table_count(table); i++) PROMISE(fuzz_is_same_column(table, back, i));
}

/* Another library would see the same. */
static void pass_on(const strew_table *table) {
  struct ArrowArray array;
  struct ArrowSchema schema;
  strew_table *back = NULL;
  PROMISE(strew_table_to_arrow(table, &array, &schema, NULL) == STREW_OK);
  PROMISE(strew_table_from_arrow(fuzz_device(), &array, &schema, &back, NULL) == STREW_OK);
  PROMISE(!array.release && !schema.release);
  expect_same(table, back);
  strew_table_release(back);
}

static void try_array(struct bytes *bytes, struct bytes *choices, const int *kinds, int columns, bool is_bare) {
  struct ArrowArray array;
  struct ArrowSchema schema;
  strew_table *table = NULL;
  strew_error error = {0};
  const int changes = fuzz_below(choices, 4);
  make_schema(kinds, columns, is_bare, &schema);
  make_array(bytes, kinds, columns, is_bare, &array);
  for (int i = 0; i < changes; i++)
    if (fuzz_below(choices, 3))
      change_arrays(choices, kinds, columns, is_bare, &array);
    else
      change_schemas(choices, columns, is_bare, &schema);
  const strew_status status = strew_table_from_arrow(fuzz_device(), &array, &schema, &table, &error);
  PROMISE(!table == (status != STREW_OK) && (status == STREW_OK || (error.code == status && *error.message)));
  PROMISE(changes || status == STREW_OK || status == STREW_EVALUE); /* integers that float64 does not hold */
  if (status == STREW_OK) {
    PROMISE(!array.release && !schema.release && schemas_released == 1);
    pass_on(table);
    strew_table_release(table);
  } else {
    PROMISE(!arrays_released && !schemas_released);
    release_array(&array), release_schema(&schema);
  }
  PROMISE(arrays_released == 1 && schemas_released == 1);
}

/* ---------------------------------------------------------------------------------------------------------- streams */

struct producer {
  struct bytes *bytes, *choices;
  const int *kinds;
  int columns, arrays, schemas, changes;
  bool is_bare;
};

static int get_schema(struct ArrowArrayStream *self, struct ArrowSchema *out) {
  struct producer *p = self->private_data;
  PROMISE(self->release);
  if (fuzz_below(p->choices, 20) == 0) return ENOMEM;
  make_schema(p->kinds, p->columns, p->is_bare, out);
  p->schemas++;
  if (p->changes && fuzz_below(p->choices, 3) == 0) change_schemas(p->choices, p->columns, p->is_bare, out);
  return out->release = release_schema, 0;
}

static int get_next(struct ArrowArrayStream *self, struct ArrowArray *out) {
  struct producer *p = self->private_data;
  PROMISE(self->release);
  memset(out, fuzz_byte(p->choices), sizeof *out);
  if (fuzz_below(p->choices, 10) == 0) return EIO;
  out->release = NULL;
  if (fuzz_below(p->choices, 5) == 0) return 0;
  make_array(p->bytes, p->kinds, p->columns, p->is_bare, out);
  p->arrays++;
  if (p->changes && fuzz_below(p->choices, 2)) change_arrays(p->choices, p->kinds, p->columns, p->is_bare, out);
  return out->release = release_array, 0;
}

static const char *get_last_error(struct ArrowArrayStream *self) {
  PROMISE(self->release);
  return ((struct producer *)self->private_data)->changes ? NULL : "\xff\n lost";
}
static void release_stream(struct ArrowArrayStream *self) { streams_released++, self->release = NULL; }

static void try_stream(struct bytes *bytes, struct bytes *choices, const int *kinds, int columns, bool is_bare) {
  struct producer producer = {bytes, choices, kinds, columns, 0, 0, fuzz_below(choices, 2), is_bare};
  struct ArrowArrayStream stream = {get_schema, get_next, get_last_error, release_stream, &producer};
  strew_reader *reader = NULL;
  strew_table *table = NULL, *last = NULL;
  strew_tensor *tensor = NULL;
  strew_status status = strew_table_from_arrow_stream(fuzz_device(), &stream, &reader, NULL);
  PROMISE(!reader == (status != STREW_OK) && !streams_released && !stream.release == !!reader);
  PROMISE(schemas_released == (reader ? 0 : producer.schemas));
  for (int count = fuzz_below(choices, 8); reader && count; count--) {
    status = strew_reader_next(reader, &tensor, &table, NULL);
    if (status != STREW_OK) PROMISE(strew_reader_next(reader, &tensor, &table, NULL) == status && !tensor && !table);
    if (table) pass_on(table);
    if (!table && !tensor) break;
    strew_release(tensor), strew_table_release(last);
    last = table, table = NULL, tensor = NULL;
  }
  strew_reader_close(reader);
  if (last) pass_on(last); /* which its reader does not own */
  strew_table_release(last);
  if (stream.release) stream.release(&stream);
  PROMISE(streams_released == 1 && schemas_released == producer.schemas && arrays_released == producer.arrays);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  struct bytes bytes = {data, data + size / 2}, choices = {data + size / 2, data + size};
  const bool is_stream = fuzz_below(&bytes, 3) == 0, is_bare = fuzz_below(&bytes, 4) == 0;
  const int columns = is_bare ? 1 : 1 + fuzz_below(&bytes, COLUMNS);
  int kinds[COLUMNS];
  for (int i = 0; i < columns; i++) kinds[i] = fuzz_below(&bytes, KINDS);
  arrays_released = schemas_released = streams_released = 0;
  (is_stream ? try_stream : try_array)(&bytes, &choices, kinds, columns, is_bare);
  fuzz_expect_nothing();
  return 0;
}
