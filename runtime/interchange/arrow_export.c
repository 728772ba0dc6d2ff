/* arrow_export.c: tables as Arrow's arrays. Numbers are shared, bools become bits, and text a dictionary with int32
   indices. A NaN stays one: no element is missing. */
#include "arrow.h"
#include "runtime/core/base/device.h"
#include "runtime/core/base/utf8.h"
#include "runtime/text_time/table.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

static const char *const formats[] = {
    [STREW_FLOAT32] = "f", [STREW_FLOAT64] = "g", [STREW_FLOAT16] = "e", [STREW_INT64] = "l",
    [STREW_INT32] = "i",   [STREW_INT16] = "s",   [STREW_INT8] = "c",    [STREW_UINT8] = "C",
    [STREW_BOOL] = "b",    [STREW_UINT16] = "S",  [STREW_UINT32] = "I",  [STREW_UINT64] = "L",
};
_Static_assert(sizeof formats / sizeof *formats == STREW_DTYPE_COUNT, "a dtype without a format of Arrow");

/* ----------------------------------------------------------------------------------------------------------- nodes */

/* What the private data of an array or a schema own: tensors with the buffers' memory, and room for children. The
   consumer may release it on any thread. */
struct node {
  struct released released;
  strew_context *context; /* retained */
  size_t size_bytes;
  strew_tensor *held[2];
  const void *buffers[3];
  char text[]; /* children, or strings */
};

static void node_give_back(strew_context *context, struct released *released) {
  struct node *node = (struct node *)(void *)((char *)released - offsetof(struct node, released));
  memory_free(context, node, node->size_bytes);
}

static strew_status node_create(const struct call *call, strew_context *context, size_t text_bytes, struct node **out) {
  const size_t size_bytes = sizeof(struct node) + text_bytes;
  ALLOCATE_NEW(struct node *, node, call, context, size_bytes);
  memset(node, 0, size_bytes);
  node->released.give_back = node_give_back;
  node->context = strew_context_retain(context);
  node->size_bytes = size_bytes;
  return *out = node, STREW_OK;
}

static void node_release(struct node *node) {
  strew_context *context = node->context;
  strew_release(node->held[0]), strew_release(node->held[1]);
  context_give_back(context, &node->released);
  strew_context_release(context);
}

#define DEFINE_RELEASE(name, type)                                                                                     \
  static void name(struct type *self) {                                                                                \
    for (int64_t i = 0; i < self->n_children; i++)                                                                     \
      if (self->children[i]->release) self->children[i]->release(self->children[i]);                                   \
    if (self->dictionary && self->dictionary->release) self->dictionary->release(self->dictionary);                    \
    self->release = NULL;                                                                                              \
    node_release(self->private_data);                                                                                  \
  }
DEFINE_RELEASE(release_array, ArrowArray)
DEFINE_RELEASE(release_schema, ArrowSchema)

/* An array or a schema with room for children; `text`, an array's or a schema's own, lies behind them. */
#define DEFINE_CREATE(name, type, ending)                                                                              \
  static strew_status name(const struct call *call, strew_context *context, int64_t count, bool has_dictionary,        \
                           size_t text_bytes, struct type *out, char **text) {                                         \
    const size_t all = (size_t)count + has_dictionary, rooms = all * (sizeof(struct type) + sizeof(struct type *));    \
    struct node *node = NULL; /* for the analyser */                                                                   \
    RETURN_IF_FAILED(node_create(call, context, rooms + text_bytes, &node));                                           \
    struct type *children = (struct type *)(void *)node->text;                                                         \
    struct type **list = (struct type **)(void *)(node->text + all * sizeof *children);                                \
    for (int64_t i = 0; i < count; i++) list[i] = &children[i];                                                        \
    *out = (struct type){.n_children = count, .children = count ? list : NULL, .release = ending};                     \
    out->dictionary = has_dictionary ? &children[count] : NULL;                                                        \
    out->private_data = node;                                                                                          \
    return *text = node->text + rooms, STREW_OK;                                                                       \
  }
DEFINE_CREATE(create_array, ArrowArray, release_array)
DEFINE_CREATE(create_schema, ArrowSchema, release_schema)

/* --------------------------------------------------------------------------------------------------------- columns */

/* An array without children over these tensors' memory. */
static strew_status fill_array(const struct call *call, strew_context *context, int64_t length, bool has_dictionary,
                               strew_tensor *first, strew_tensor *second, struct ArrowArray *out) {
  char *text;
  RETURN_IF_FAILED(create_array(call, context, 0, has_dictionary, 0, out, &text));
  struct node *node = out->private_data;
  node->held[0] = strew_retain(first);
  node->held[1] = second ? strew_retain(second) : NULL;
  node->buffers[1] = dense_at(first, 0);
  node->buffers[2] = second ? dense_at(second, 0) : NULL;
  out->buffers = node->buffers;
  out->n_buffers = second ? 3 : 2;
  out->length = length;
  return STREW_OK;
}

static strew_status bytes_tensor(const struct call *call, strew_device *cpu, strew_dtype dtype, int64_t count,
                                 strew_tensor **out) {
  RETURN_IF_FAILED(tensor_create(call, cpu, dtype, 1, &count, out));
  if (count) memset(dense_at(*out, 0), 0, (size_t)count * dtype_bytes(dtype));
  return STREW_OK;
}

static strew_status make_bits(const struct call *call, const strew_tensor *bools, strew_tensor **out) {
  const int64_t count = bools->sizes[0];
  const unsigned char *from = dense_at(bools, 0);
  RETURN_IF_FAILED(bytes_tensor(call, bools->storage->device, STREW_UINT8, count / 8 + 1, out));
  unsigned char *bits = dense_at(*out, 0);
  for (int64_t i = 0; i < count; i++) {
    RETURN_IF_FAILED(arrow_check(call, bools->storage->device, i));
    if (from[i]) bits[i / 8] |= (unsigned char)(1 << i % 8);
  }
  return STREW_OK;
}

/* A word that is not UTF-8 is an error if an element has it, else it is not exported. */
static strew_status check_unused(const struct call *call, strew_device *cpu, const strew_table *table, int64_t column,
                                 const strew_tensor *codes, int64_t code) {
  const int64_t count = codes->sizes[0];
  const int32_t *at = count ? dense_at(codes, 0) : NULL;
  const char *name = strew_table_name(table, column);
  char word[TEXT_BYTES], shown[TEXT_BYTES], of[TEXT_BYTES + 16] = "";
  for (int64_t i = 0; i < count; i++) {
    RETURN_IF_FAILED(arrow_check(call, cpu, i));
    if (at[i] != code) continue;
    if (!strew_table_is_numbered(table)) snprintf(of, sizeof of, " of column \"%s\"", text_of_name(name, shown));
    struct fault fault = HINTED(
        STREW_EVALUE, "x", "a .csv file keeps all bytes; iconv -f LATIN1 -t UTF-8 converts it before it is loaded");
    fault.position = &i, fault.position_rank = 1;
    return fail(call, fault, "has the word \"%s\" at [%" PRId64 "]%s, which is not UTF-8: Arrow's texts are",
                text_of_name(strew_word(codes, code, NULL), word), i, of);
  }
  return STREW_OK;
}

/* The words of a text, as large text. */
static strew_status export_words(const struct call *call, strew_device *cpu, const strew_table *table, int64_t column,
                                 const strew_tensor *codes, struct ArrowArray *out) {
  const int64_t count = strew_word_count(codes);
  strew_tensor *offsets = NULL, *text = NULL;
  RETURN_IF_FAILED(bytes_tensor(call, cpu, STREW_INT64, count + 1, &offsets));
  int64_t *ends = dense_at(offsets, 0);
  strew_status status = STREW_OK;
  for (int64_t i = 0; i < count && TRY(status, arrow_check(call, cpu, i)) == STREW_OK; i++) {
    const char *word = strew_word(codes, i, NULL);
    const bool is_text = utf8_is_text(word);
    if (!is_text) status = check_unused(call, cpu, table, column, codes, i);
    ends[i + 1] = ends[i] + (is_text ? (int64_t)strlen(word) : 0);
  }
  TRY(status, bytes_tensor(call, cpu, STREW_UINT8, ends[count] + 1, &text));
  for (int64_t i = 0; i < count && TRY(status, arrow_check(call, cpu, i)) == STREW_OK; i++)
    memcpy((char *)dense_at(text, 0) + ends[i], strew_word(codes, i, NULL), (size_t)(ends[i + 1] - ends[i]));
  TRY(status, fill_array(call, cpu->context, count, false, offsets, text, out));
  strew_release(offsets), strew_release(text);
  return status;
}

/* The bits of times that are there; NULL: all are. */
static strew_status make_validity(const struct call *call, const strew_tensor *times, struct ArrowArray *array) {
  const int64_t *at = dense_at(times, 0), count = times->sizes[0];
  struct node *node = array->private_data;
  for (int64_t i = 0; i < count; i++) array->null_count += at[i] == INT64_MIN;
  if (!array->null_count) return STREW_OK;
  RETURN_IF_FAILED(bytes_tensor(call, times->storage->device, STREW_UINT8, count / 8 + 1, &node->held[1]));
  unsigned char *bits = dense_at(node->held[1], 0);
  for (int64_t i = 0; i < count; i++)
    if (at[i] != INT64_MIN) bits[i / 8] |= (unsigned char)(1 << i % 8);
  return node->buffers[0] = bits, STREW_OK;
}

/* `dense`: the column's elements on the CPU, in order. */
static strew_status export_dense(const struct call *call, const strew_table *table, int64_t column, strew_tensor *dense,
                                 struct ArrowArray *out) {
  strew_context *context = tensor_context(dense);
  strew_device *cpu = dense->storage->device;
  const bool is_text = dense->dtype == STREW_TEXT;
  strew_tensor *bits = NULL;
  strew_status status = dense->dtype == STREW_BOOL ? make_bits(call, dense, &bits) : STREW_OK;
  TRY(status, fill_array(call, context, dense->sizes[0], is_text, bits ? bits : dense, NULL, out));
  if (status == STREW_OK && is_text) {
    status = export_words(call, cpu, table, column, dense, out->dictionary);
    if (status != STREW_OK) out->release(out);
  }
  if (status == STREW_OK && dense->dtype == STREW_TIME) {
    status = make_validity(call, dense, out);
    if (status != STREW_OK) out->release(out);
  }
  strew_release(bits);
  return status;
}

static strew_status export_column(const struct call *call, const strew_table *table, int64_t column,
                                  struct ArrowArray *out) {
  const strew_tensor *tensor = strew_table_tensor(table, column);
  strew_tensor *here = NULL, *dense = NULL;
  strew_status status = transfer(call, tensor, strew_device_at(tensor_context(tensor), 0), &here);
  if (status != STREW_OK) return status;
  status = strew_tensor_is_contiguous(here) ? (dense = strew_retain(here), STREW_OK)
                                            : copy_as(call, here, here->dtype, &dense);
  TRY(status, export_dense(call, table, column, dense, out));
  strew_release(here), strew_release(dense);
  return status;
}

static strew_status export_schema(const struct call *call, const strew_table *table, int64_t column,
                                  struct ArrowSchema *out) {
  const char *name = strew_table_name(table, column);
  const strew_dtype dtype = strew_table_tensor(table, column)->dtype;
  const bool is_text = dtype == STREW_TEXT;
  const size_t name_bytes = strlen(name) + 1;
  char *text;
  RETURN_IF_FAILED(create_schema(call, table_context(table), 0, is_text, name_bytes, out, &text));
  out->name = memcpy(text, name, name_bytes);
  out->format = dtype == STREW_TIME ? "tsu:UTC" : formats[dtype_stored(dtype)];
  out->flags = ARROW_NULLABLE;
  if (!is_text) return STREW_OK;
  strew_status status = create_schema(call, table_context(table), 0, false, 0, out->dictionary, &text);
  if (status != STREW_OK) return out->release(out), status;
  out->dictionary->format = "U", out->dictionary->name = "", out->dictionary->flags = ARROW_NULLABLE;
  return STREW_OK;
}

/* ---------------------------------------------------------------------------------------------------------- tables */

_Static_assert(sizeof(struct ArrowArray) <= STREW_ARROW_BYTES && sizeof(struct ArrowSchema) <= STREW_ARROW_BYTES,
               "room");

void strew_arrow_release(struct ArrowArray *array, struct ArrowSchema *schema) {
  if (array && array->release) array->release(array);
  if (schema && schema->release) schema->release(schema);
}

static strew_status check_columns(const struct call *call, const strew_table *table) {
  char text[TEXT_BYTES], sizes[TEXT_BYTES];
  int64_t rows = -1;
  for (int64_t i = 0; i < strew_table_count(table); i++) {
    const strew_tensor *tensor = strew_table_tensor(table, i);
    const char *name = text_of_name(strew_table_name(table, i), text);
    if (!utf8_is_text(strew_table_name(table, i)))
      return fail(call, FAULT(STREW_EVALUE, "x"), "has the name \"%s\", expected UTF-8", name);
    if (tensor->dtype == STREW_BFLOAT16)
      return fail(call, HINTED(STREW_EDTYPE, "x", "strew_to(x, float32) keeps every value"),
                  "has a column \"%s\" of bfloat16, which Arrow does not have", name);
    if (tensor->rank != 1 || (rows >= 0 && tensor->sizes[0] != rows))
      return fail(call, FAULT(STREW_ESHAPE, "x"), "has a column \"%s\" of shape %s, expected columns of equal length",
                  name, text_of_sizes(tensor->rank, tensor->sizes, sizes));
    rows = tensor->sizes[0];
  }
  return STREW_OK;
}

static strew_status export_table(const struct call *call, const strew_table *table, struct ArrowArray *array,
                                 struct ArrowSchema *schema) {
  const int64_t count = strew_table_count(table);
  struct ArrowArray whole = {0};
  struct ArrowSchema described = {0};
  char *text;
  RETURN_IF_FAILED(check_columns(call, table));
  strew_status status = STREW_OK;
  if (count == 1 && strew_table_is_numbered(table)) {
    status = export_column(call, table, 0, &whole);
    TRY(status, export_schema(call, table, 0, &described));
  } else {
    status = create_array(call, table_context(table), count, false, 0, &whole, &text);
    TRY(status, create_schema(call, table_context(table), count, false, 0, &described, &text));
    for (int64_t i = 0; i < count && status == STREW_OK; i++) {
      status = export_column(call, table, i, whole.children[i]);
      TRY(status, export_schema(call, table, i, described.children[i]));
    }
    if (status == STREW_OK) {
      described.format = "+s", described.name = "";
      whole.n_buffers = 1, whole.buffers = ((struct node *)whole.private_data)->buffers;
      whole.length = count ? strew_table_tensor(table, 0)->sizes[0] : 0;
    }
  }
  if (status != STREW_OK) {
    strew_arrow_release(&whole, &described);
    return status;
  }
  return *array = whole, *schema = described, STREW_OK;
}

strew_status strew_table_to_arrow(const strew_table *table, struct ArrowArray *array, struct ArrowSchema *schema,
                                  strew_error *error) {
  CALL(call, "to_arrow", error, {0});
  return export_table(&call, table, array, schema);
}

/* --------------------------------------------------------------------------------------------------------- streams */

_Static_assert(sizeof(struct ArrowArrayStream) <= STREW_ARROW_BYTES, "room");

/* A stream's private data, in a node: the array until a consumer has it, and the schema, of which consumers get copies. */
struct outgoing {
  struct ArrowArray array;
  struct ArrowSchema schema;
  strew_error error; /* of the last failure */
};

static struct outgoing *outgoing_of(const struct ArrowArrayStream *stream) {
  return (struct outgoing *)(void *)((struct node *)stream->private_data)->text;
}

static strew_status copy_schema(const struct call *call, strew_context *context, const struct ArrowSchema *from,
                                struct ArrowSchema *out) {
  const size_t name_bytes = strlen(from->name) + 1;
  struct ArrowSchema copy;
  char *text;
  RETURN_IF_FAILED(create_schema(call, context, from->n_children, from->dictionary != NULL, name_bytes, &copy, &text));
  copy.format = from->format, copy.name = memcpy(text, from->name, name_bytes), copy.flags = from->flags;
  strew_status status = STREW_OK;
  for (int64_t i = 0; i < from->n_children; i++)
    TRY(status, copy_schema(call, context, from->children[i], copy.children[i]));
  if (from->dictionary) TRY(status, copy_schema(call, context, from->dictionary, copy.dictionary));
  if (status != STREW_OK) return copy.release(&copy), status;
  return *out = copy, STREW_OK;
}

static int get_schema(struct ArrowArrayStream *self, struct ArrowSchema *out) {
  struct outgoing *outgoing = outgoing_of(self);
  const struct call call = {.op = "to_arrow_stream", .error = &outgoing->error};
  strew_context *context = ((struct node *)self->private_data)->context;
  return copy_schema(&call, context, &outgoing->schema, out) == STREW_OK ? 0 : ENOMEM;
}

static int get_next(struct ArrowArrayStream *self, struct ArrowArray *out) {
  struct outgoing *outgoing = outgoing_of(self);
  *out = outgoing->array;
  return outgoing->array.release = NULL, 0;
}

static const char *get_last_error(struct ArrowArrayStream *self) { return outgoing_of(self)->error.message; }

static void release_stream(struct ArrowArrayStream *self) {
  struct outgoing *outgoing = outgoing_of(self);
  strew_arrow_release(&outgoing->array, &outgoing->schema);
  node_release(self->private_data);
  self->release = NULL;
}

strew_status strew_table_to_arrow_stream(const strew_table *table, struct ArrowArrayStream *stream,
                                         strew_error *error) {
  CALL(call, "to_arrow_stream", error, {0});
  struct node *node;
  RETURN_IF_FAILED(node_create(&call, table_context(table), sizeof(struct outgoing), &node));
  const struct ArrowArrayStream made = {get_schema, get_next, get_last_error, release_stream, node};
  strew_status status = export_table(&call, table, &outgoing_of(&made)->array, &outgoing_of(&made)->schema);
  if (status != STREW_OK) return node_release(node), status;
  return *stream = made, STREW_OK;
}

void strew_arrow_stream_release(struct ArrowArrayStream *stream) {
  if (stream && stream->release) stream->release(stream);
}
