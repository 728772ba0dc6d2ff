/* check_interchange.c: structs of other libraries, DLPack and Arrow's arrays and streams: both directions, every kind of
   bad struct, and releases, which run exactly once whatever the order, and not at all if a call fails.
   (devices: no, memory is the host's.) */
#include "runtime/core/base/dtype.h"
#include "runtime/interchange/arrow.h"
#include "runtime/interchange/dlpack.h"
#include "trials.h"

#include <errno.h>
#include <math.h>
#include <pthread.h>
#include <string.h>

static int deleted;

/* The call fails, with a message that begins so. */
#define refused(call, code, begin)                                                                                     \
  assert_fails(call, code, NULL);                                                                                      \
  if (strncmp(failure.message, begin, sizeof(begin) - 1) != 0) ck_abort_msg("%s", failure.message)

/* --------------------------------------------------------------------------------------------------------- DLPack */

static void delete_plain(struct DLManagedTensor *self) { deleted += self->owner == &deleted; }
static void delete_versioned(struct DLManagedTensorVersioned *self) { deleted += self->owner == &deleted; }

static float memory[12];
static int64_t sizes[] = {3, 2}, strides[] = {4, 2};

static struct DLManagedTensorVersioned versioned(void) {
  for (int i = 0; i < 12; i++) memory[i] = (float)i;
  deleted = 0;
  const struct dlpack_tensor tensor = {memory, DLPACK_CPU, 0, 2, {DLPACK_FLOAT, 32, 1}, sizes, strides, 4};
  return (struct DLManagedTensorVersioned){1, 1, &deleted, delete_versioned, 0, tensor};
}

static strew_tensor *import(void *managed) {
  strew_tensor *t = NULL;
  ok(strew_from_dlpack(device, managed, &t, &failure));
  return t;
}

static void *export_of(strew_tensor *t, bool unversioned) {
  void *managed = NULL;
  ok(strew_to_dlpack(t, &(strew_dlpack_options){.unversioned = unversioned}, &managed, &failure));
  return managed;
}

/* Offset, strides, the address and the one deletion, of both kinds; the last view decides. */
START_TEST(structs_are_used_in_place) {
  struct DLManagedTensorVersioned given = versioned();
  struct DLManagedTensor plain = {given.tensor, &deleted, delete_plain};
  strew_tensor *t = import(_i ? (void *)&plain : (void *)&given), *row = NULL;
  void *data;
  assert_sizes(t, 2, sizes);
  assert_elements(t, STREW_FLOAT32, (float[]){1, 3, 5, 7, 9, 11}, "in place");
  ok(strew_data(t, &data, &failure));
  ck_assert_ptr_eq(data, memory + 1);
  ok(strew_select(t, 0, 1, &row, &failure));
  strew_release(t);
  ok(strew_set(row, 1, (int64_t[]){0}, strew_int(50), &failure));
  ck_assert(memory[5] == 50 && !deleted);
  strew_release(row);
  ck_assert_int_eq(deleted, 1);
}
END_TEST

START_TEST(read_only_structs_are_not_written) {
  struct DLManagedTensorVersioned given = versioned();
  given.flags = DLPACK_READ_ONLY | 2 | 4;
  strew_tensor *t = import(&given);
  refused(strew_fill(t, strew_int(1), &failure), STREW_EARGUMENT,
          "fill: 'self' is read-only memory of the host, it cannot be written");
  struct DLManagedTensorVersioned *back = export_of(t, false);
  ck_assert(back->flags == DLPACK_READ_ONLY && back->tensor.data == memory + 1);
  void *none = NULL;
  refused(strew_to_dlpack(t, &(strew_dlpack_options){.unversioned = true}, &none, &failure), STREW_EARGUMENT,
          "to_dlpack: 'self' is read-only, which only versioned structs can say");
  ck_assert_ptr_null(none);
  strew_release(t);
  ck_assert_int_eq(deleted, 0);
  back->deleter(back);
  ck_assert_int_eq(deleted, 1);
}
END_TEST

/* Rank 0, no elements, no strides, no deleter, no address. */
START_TEST(odd_structs) {
  struct DLManagedTensorVersioned given = versioned();
  given.tensor.strides = NULL;
  strew_tensor *t = import(&given);
  assert_elements(t, STREW_FLOAT32, (float[]){1, 2, 3, 4, 5, 6}, "row-major");
  strew_release(t);
  given = versioned(), given.tensor.rank = 0, given.tensor.sizes = NULL, given.tensor.strides = NULL;
  t = import(&given);
  assert_elements(t, STREW_FLOAT32, (float[]){1}, "a number");
  strew_release(t);
  int64_t none[] = {3, 0};
  given = versioned(), given.tensor.data = NULL, given.tensor.sizes = none, given.deleter = NULL;
  t = import(&given);
  assert_sizes(t, 2, none);
  strew_release(t);
  int64_t ones[] = {1, 2, 1},
          odd[] = {-7, 3, INT64_MAX}; /* strides of sizes 1 do not matter, nor those of no elements */
  for (ones[1] = 2; ones[1] >= 0; ones[1] -= 2, odd[1] = -3) {
    given = versioned(), given.tensor.rank = 3, given.tensor.sizes = ones, given.tensor.strides = odd;
    t = import(&given);
    assert_elements(t, STREW_FLOAT32, (float[]){1, 4}, "strides of size 1");
    for (int d = 0; d < 3; d++) ck_assert_int_ge(strew_tensor_strides(t)[d], 0);
    strew_release(t);
  }
  given = versioned(), given.tensor.data = NULL, given.tensor.sizes = none, given.deleter = NULL;
  struct DLManagedTensor plain = {given.tensor, &deleted, NULL}; /* begins with zeros */
  t = import(&plain);
  assert_sizes(t, 2, none);
  struct DLManagedTensorVersioned *back = export_of(t, false);
  ck_assert(!back->tensor.data && back->tensor.rank == 2);
  strew_release(t);
  back->deleter(back);
}
END_TEST

START_TEST(bad_structs_stay_the_callers) {
  struct DLManagedTensorVersioned bad;
  strew_tensor *t = NULL;
  int64_t backward[] = {2, -1}, negative[] = {2, -2}, huge[] = {INT64_MAX, 2}, far[] = {INT64_MAX / 2, INT64_MAX / 2};
  int64_t many[17] = {0};
#define REFUSED(code, message, ...)                                                                                    \
  bad = versioned(), __VA_ARGS__;                                                                                      \
  refused(strew_from_dlpack(device, &bad, &t, &failure), code, "from_dlpack: " message);                               \
  ck_assert(!t && !deleted)
  assert_fails(strew_from_dlpack(device, NULL, &t, &failure), STREW_EARGUMENT,
               "from_dlpack: 'managed' is NULL, expected a struct of DLPack");
  REFUSED(STREW_EARGUMENT, "'managed' is of DLPack 2.0, expected 1.x", bad.major = 2, bad.minor = 0);
  REFUSED(STREW_EDEVICE, "'managed' is on a device of type 2, expected 1, the CPU", bad.tensor.device_type = 2);
  REFUSED(STREW_EDTYPE,
          "'managed' has elements of code 5, 64 bits and 1 lanes, expected floats, bfloat16, integers or bools of one "
          "lane",
          bad.tensor.type.code = DLPACK_COMPLEX, bad.tensor.type.bits = 64);
  REFUSED(STREW_EDTYPE, "'managed' has elements of code 2, 32 bits and 4 lanes", bad.tensor.type.lanes = 4);
  REFUSED(STREW_EDTYPE, "'managed' has elements of code 2, 8 bits", bad.tensor.type.bits = 8);
  REFUSED(STREW_EARGUMENT, "'managed' has 2 dimensions without sizes", bad.tensor.sizes = NULL);
  REFUSED(STREW_ESHAPE, "'shape' has 17 dimensions, valid 0..16", bad.tensor.rank = 17, bad.tensor.sizes = many);
  REFUSED(STREW_ESHAPE, "'shape' has -1 dimensions, valid 0..16", bad.tensor.rank = -1);
  REFUSED(STREW_ESHAPE, "'shape' has size -2 in dimension 1", bad.tensor.sizes = negative);
  REFUSED(STREW_ESHAPE, "'shape' is [9223372036854775807, 2], more bytes than can be addressed",
          bad.tensor.sizes = huge);
  REFUSED(STREW_ESHAPE, "'managed' has strides [2, -1], expected strides of 0 or more", bad.tensor.strides = backward);
  REFUSED(STREW_ESHAPE, "'managed' has strides [4611686018427387903, 4611686018427387903], which reach more bytes",
          bad.tensor.strides = far);
  REFUSED(STREW_EARGUMENT, "'data' is ", bad.tensor.offset_bytes = 2);
  REFUSED(STREW_EARGUMENT, "'data' is ", bad.tensor.data = NULL);
#undef REFUSED
}
END_TEST

/* Every dtype both ways; exports and their tensors in any order; each export is a struct of its own. */
START_TEST(exports_keep_the_memory) {
  const strew_dtype dtype = (strew_dtype)(_i / 2);
  const bool unversioned = _i % 2;
  const int64_t shape[] = {2, 3};
  strew_tensor *t = NULL, *turned = NULL, *back;
  ok(strew_full(device, dtype, 2, shape, strew_int(1), &t, &failure));
  ok(strew_t(t, &turned, &failure));
  void *first = export_of(turned, unversioned), *second = export_of(turned, unversioned), *data;
  ck_assert_ptr_ne(first, second);
  ok(strew_data(t, &data, &failure));
  strew_release(t), strew_release(turned);
  back = import(first);
  void *seen;
  ok(strew_data(back, &seen, &failure));
  ck_assert_ptr_eq(seen, data);
  ck_assert(strew_tensor_dtype(back) == dtype && strew_tensor_strides(back)[0] == 1);
  assert_sizes(back, 2, (int64_t[]){3, 2});
  struct DLManagedTensor *plain = second;
  struct DLManagedTensorVersioned *other = second;
  if (unversioned)
    plain->deleter(plain);
  else
    other->deleter(other);
  ck_assert_uint_eq(strew_context_bytes(context), 6 * strew_dtype_size_bytes(dtype));
  strew_release(back);
  ck_assert_uint_eq(strew_context_bytes(context), 0);
}
END_TEST

/* Each allocation fails in turn: nothing is deleted, nothing is left. */
START_TEST(dlpack_without_memory) {
  struct DLManagedTensorVersioned given = versioned();
  strew_tensor *t = NULL;
  void *managed = NULL;
  long failing = 0;
  while (!t) {
    const size_t before = blocks_in_use();
    allocations.limit(++failing, false);
    strew_status status = strew_from_dlpack(device, &given, &t, &failure);
    ck_assert(status == (t ? STREW_OK : STREW_EMEMORY) && !deleted && (t || blocks_in_use() == before));
  }
  ck_assert_int_ge(failing, 3);
  allocations.limit(1, false);
  assert_fails(strew_to_dlpack(t, NULL, &managed, &failure), STREW_EMEMORY, NULL);
  ck_assert_ptr_null(managed);
  allocations.limit(0, false);
  strew_release(t);
  ck_assert_int_eq(deleted, 1);
}
END_TEST

/* ----------------------------------------------------------------------------------------------------------- Arrow */

enum { COLUMNS = 4, ROWS = 3 };
static struct ArrowArray columns[COLUMNS], dictionary, *column_list[COLUMNS];
static struct ArrowSchema fields[COLUMNS], words, *field_list[COLUMNS];
static int arrays_released, schemas_released;
static void release_array(struct ArrowArray *self) { arrays_released++, self->release = NULL; }
static void release_schema(struct ArrowSchema *self) { schemas_released++, self->release = NULL; }

static const int32_t whole[] = {7, 8, 9}, ends[] = {0, 1, 3, 3, 4};
static const double floats[] = {0.5, 1.5, 2.5};
static const unsigned char bits[] = {5};
static const int8_t indices[] = {1, 0, 3};
static const void *of_whole[] = {NULL, whole}, *of_floats[] = {bits, floats}, *of_bits[] = {NULL, bits},
                  *of_indices[] = {NULL, indices}, *of_words[] = {NULL, ends, "abbc"};

/* Four columns: integers, floats with a missing one, bools, text; all buffers are in this process's memory. */
static void fill_structs(struct ArrowArray *array, struct ArrowSchema *schema) {
  static const char *const formats[] = {"i", "g", "b", "c"}, *const names_of[] = {"n", "f", "b", "t"};
  const void **const buffers[] = {of_whole, of_floats, of_bits, of_indices};
  for (int i = 0; i < COLUMNS; i++) {
    columns[i] = (struct ArrowArray){.length = ROWS, .null_count = -1, .n_buffers = 2, .buffers = buffers[i]};
    columns[i].release = release_array;
    fields[i] = (struct ArrowSchema){.format = formats[i], .name = names_of[i], .release = release_schema};
    column_list[i] = &columns[i], field_list[i] = &fields[i];
  }
  dictionary = (struct ArrowArray){.length = 4, .n_buffers = 3, .buffers = of_words, .release = release_array};
  words = (struct ArrowSchema){.format = "u", .release = release_schema};
  columns[3].dictionary = &dictionary, fields[3].dictionary = &words;
  *array =
      (struct ArrowArray){.length = ROWS, .n_children = COLUMNS, .children = column_list, .release = release_array};
  *schema = (struct ArrowSchema){"+s", "", NULL, 0, COLUMNS, field_list, NULL, release_schema, NULL};
}
static void make_structs(struct ArrowArray *array, struct ArrowSchema *schema) {
  arrays_released = schemas_released = 0;
  fill_structs(array, schema);
}

static void assert_codes(const strew_tensor *text, const int32_t *expected, const char *what) {
  strew_tensor *codes = NULL;
  ok(strew_text_codes(text, &codes, &failure));
  assert_elements(codes, STREW_INT32, expected, "%s", what);
  strew_release(codes);
}

START_TEST(arrays_become_columns) {
  struct ArrowArray array;
  struct ArrowSchema schema;
  strew_table *table = NULL;
  void *data;
  make_structs(&array, &schema);
  ok(strew_table_from_arrow(device, &array, &schema, &table, &failure));
  ck_assert(!array.release && !schema.release && schemas_released == 1 && !arrays_released);
  assert_elements(strew_table_find(table, "n"), STREW_INT32, whole, "numbers");
  assert_elements(strew_table_find(table, "f"), STREW_FLOAT64, (double[]){0.5, NAN, 2.5}, "a missing one");
  assert_elements(strew_table_find(table, "b"), STREW_BOOL, (bool[]){1, 0, 1}, "bools");
  assert_codes(strew_table_find(table, "t"), (int32_t[]){1, 0, 3}, "codes");
  ck_assert_str_eq(strew_word(strew_table_tensor(table, 3), 1, NULL), "bb");
  ok(strew_data(strew_table_find(table, "n"), &data, &failure));
  ck_assert_ptr_eq(data, whole);
  strew_tensor *kept = strew_retain(strew_table_find(table, "n"));
  strew_table_release(table);
  ck_assert_int_eq(arrays_released, 0);
  strew_release(kept);
  ck_assert_int_eq(arrays_released, 1);
}
END_TEST

START_TEST(bad_arrays_stay_the_callers) {
  static const int32_t back[] = {0, 3, 1, 3, 4}, negative[] = {-1, 1, 3, 3, 4};
  static const void *of_back[] = {NULL, back, "abbc"}, *of_negative[] = {NULL, negative, "abbc"};
  static const void *none[] = {NULL, NULL, NULL}, *of_zero[] = {NULL, ends, "a\0bc"};
  static const int8_t far[] = {1, 4, 0}, below[] = {0, -1, 0};
  static const void *of_far[] = {NULL, far}, *of_below[] = {NULL, below};
  static const int64_t odd[] = {1, 2, ((int64_t)1 << 53) + 1};
  static const uint64_t large[] = {1, 2, UINT64_MAX};
  static const void *of_odd[] = {bits, odd}, *of_large[] = {bits, large}, *of_huge[] = {NULL, large};
  struct ArrowArray array;
  struct ArrowSchema schema;
  strew_table *table = NULL;
#define REFUSED(code, message, ...)                                                                                    \
  make_structs(&array, &schema), __VA_ARGS__;                                                                          \
  refused(strew_table_from_arrow(device, &array, &schema, &table, &failure), code, "from_arrow: " message);            \
  ck_assert(!table && !arrays_released && !schemas_released)
#define REFUSED_COLUMN(code, message, ...) REFUSED(code, "'array' has a column " message, __VA_ARGS__)
  assert_fails(strew_table_from_arrow(device, NULL, &schema, &table, &failure), STREW_EARGUMENT,
               "from_arrow: 'array' is NULL or was released");
  REFUSED(STREW_EARGUMENT, "'array' is NULL or was released", array.release = NULL);
  REFUSED(STREW_EARGUMENT, "'schema' is NULL or was released", schema.release = NULL);
  REFUSED(STREW_EARGUMENT, "'schema' is NULL or was released", schema.format = NULL);
  REFUSED(STREW_EARGUMENT, "'array' has -1 rows from row 0 on", array.length = -1);
  REFUSED(STREW_EARGUMENT, "'array' has 3 rows from row -1 on", array.offset = -1);
  REFUSED(STREW_EARGUMENT, "'array' has 3 rows from row 9223372036854775807 on", array.offset = INT64_MAX);
  REFUSED(STREW_EARGUMENT, "'array' has 3 columns, its schema 4", array.n_children = 3);
  REFUSED(STREW_EARGUMENT, "'array' has 4 columns, its schema 4", array.children = NULL);
  REFUSED(STREW_EARGUMENT, "'array' has -1 columns, its schema -1", array.n_children = schema.n_children = -1);
  REFUSED(STREW_EARGUMENT, "'array' has no column 1", column_list[1] = NULL);
  REFUSED(STREW_EARGUMENT, "'array' has no column 2", fields[2].release = NULL);
  REFUSED(STREW_EVALUE, "'array' has missing rows", array.n_buffers = 1, array.buffers = of_floats,
          array.null_count = 1);
  REFUSED(STREW_EDTYPE, "'array' has a column \"\" of Arrow's format \"+l\"", schema.format = "+l");
  static const char *const no_decimals[] = {
      "d:",      "d:9",       "d:9,",       "d:9,2,",  "d:9,2,16", "d:9,2,128,",
      "d:x,2",   "d:0,2",     "d:-1,2",     "d:77,2",  "d:9,x",    "d:9,2 ",
      "d:9,2.5", "d:9,10000", "d:9,-10000", "d:9,2,x", "d",        "d:99999999999999999999,2"};
  for (size_t i = 0; i < sizeof no_decimals / sizeof *no_decimals; i++)
    REFUSED_COLUMN(STREW_EDTYPE, "\"f\" of Arrow's format \"d", fields[1].format = no_decimals[i]);
  static const uint32_t wide[24] = {[23] = 1}; /* 2^248 and more, in either order of bytes */
  static const void *of_wide[] = {NULL, wide};
  REFUSED_COLUMN(STREW_EVALUE, "\"f\" with a decimal at row 2 beyond float64", fields[1].format = "d:76,-300,256",
                 columns[1].buffers = of_wide);
  REFUSED_COLUMN(STREW_EVALUE, "\"f\" with missing elements and 9007199254740993 at row 2",
                 fields[1].format = "d:18,0,64", columns[1].buffers = of_odd);
  REFUSED_COLUMN(STREW_EARGUMENT, "\"f\" without its buffer 1", fields[1].format = "d:9,2", columns[1].buffers = none);
  REFUSED_COLUMN(STREW_EDTYPE, "\"t\" with a dictionary of format \"d:9,2\"", words.format = "d:9,2");
  REFUSED_COLUMN(STREW_EDTYPE, "\"f\" of Arrow's format \"\"", fields[1].format = NULL);
  static const char *const unknown[] = {"tsx:", "ts",  "tss", "tsu", "tDx", "tD", "tDss",
                                        "tds",  "ttx", "w:",  "w:4", "vz",  "gg"};
  for (size_t i = 0; i < sizeof unknown / sizeof *unknown; i++)
    REFUSED_COLUMN(STREW_EDTYPE, "\"f\" of Arrow's format \"", fields[1].format = unknown[i]);
  REFUSED_COLUMN(STREW_EARGUMENT, "\"n\" of 2 elements from 0 on, expected 3", columns[0].length = 2);
  REFUSED_COLUMN(STREW_EARGUMENT, "\"n\" of 3 elements from -1 on", columns[0].offset = -1);
  REFUSED_COLUMN(STREW_EARGUMENT, "\"n\" of 3 elements from 9223372036854775807 on", columns[0].offset = INT64_MAX);
  REFUSED_COLUMN(STREW_EARGUMENT, "\"n\" of format \"i\" with 3 buffers, expected 2", columns[0].n_buffers = 3);
  REFUSED_COLUMN(STREW_EARGUMENT, "\"n\" of format \"i\" with -1 buffers", columns[0].n_buffers = -1);
  REFUSED_COLUMN(STREW_EARGUMENT, "\"n\" without its buffer 1", columns[0].buffers = NULL);
  REFUSED_COLUMN(STREW_EARGUMENT, "\"n\" without its buffer 1", columns[0].buffers = none);
  REFUSED_COLUMN(STREW_EVALUE, "\"n\" with missing elements and 9007199254740993 at row 2", fields[0].format = "l",
                 columns[0].buffers = of_odd);
  REFUSED_COLUMN(STREW_EVALUE, "\"n\" with missing elements and 18446744073709551615 at row 2, which float64",
                 fields[0].format = "L", columns[0].buffers = of_large);
  REFUSED_COLUMN(STREW_EINDEX, "\"t\" with index 18446744073709551615 at row 2, its", fields[3].format = "L",
                 columns[3].buffers = of_huge);
  REFUSED_COLUMN(STREW_EARGUMENT, "\"t\" without its dictionary", columns[3].dictionary = NULL);
  REFUSED_COLUMN(STREW_EARGUMENT, "\"t\" without its dictionary", dictionary.release = NULL);
  REFUSED_COLUMN(STREW_EARGUMENT, "\"t\" without its dictionary", dictionary.length = INT64_MAX);
  REFUSED_COLUMN(STREW_EDTYPE, "\"t\" with a dictionary of format \"i\", expected one of text", words.format = "i");
  REFUSED_COLUMN(STREW_EINDEX, "\"t\" with index 4 at row 1, its dictionary has 4 words", columns[3].buffers = of_far);
  REFUSED_COLUMN(STREW_EINDEX, "\"t\" with index -1 at row 1", columns[3].buffers = of_below);
  REFUSED_COLUMN(STREW_EARGUMENT, "\"t\" with an invalid offset of element 1", dictionary.buffers = of_back);
  REFUSED_COLUMN(STREW_EARGUMENT, "\"t\" with an invalid offset of element 0", dictionary.buffers = of_negative);
  REFUSED_COLUMN(STREW_EVALUE, "\"t\" with a zero byte in element 1", dictionary.buffers = of_zero);
#undef REFUSED
#undef REFUSED_COLUMN
}
END_TEST

/* Decimals of each width, from the second row on. */
START_TEST(decimals_become_numbers) {
  static const int32_t of_32[] = {1, -250, 7, 999999999};
  static const int64_t of_64[] = {1, -250, 7, 999999999};
  static const uint64_t minus = UINT64_MAX, huge[] = {0, 0, minus - 4, 1};
  uint64_t of_128[4][2], of_256[4][4], of_huge[4][2] = {{0}};
  for (int i = 0; i < 4; i++) {
    for (int k = 0; k < 2; k++)
      of_128[i][IS_LITTLE_ENDIAN ? k : 1 - k] = k ? (of_64[i] < 0 ? minus : 0) : (uint64_t)of_64[i];
    for (int k = 0; k < 4; k++)
      of_256[i][IS_LITTLE_ENDIAN ? k : 3 - k] = k ? (of_64[i] < 0 ? minus : 0) : (uint64_t)of_64[i];
    of_huge[i][IS_LITTLE_ENDIAN] = huge[i];
  }
  const struct {
    const char *format;
    const void *data;
    bool is_whole;
    double expected[ROWS];
  } rows[] = {{"d:9,2,32", of_32, false, {-2.5, 0.07, 9999999.99}},
              {"d:9,2,64", of_64, false, {-2.5, 0.07, 9999999.99}},
              {"d:9,2", of_128, false, {-2.5, 0.07, 9999999.99}},
              {"d:38,2,128", of_128, false, {-2.5, 0.07, 9999999.99}},
              {"d:76,2,256", of_256, false, {-2.5, 0.07, 9999999.99}},
              {"d:9,0,32", of_32, true, {0}},
              {"d:18,0,64", of_64, true, {0}},
              {"d:38,0", of_128, true, {0}},
              {"d:76,0,256", of_256, true, {0}},
              {"d:9,-2", of_128, false, {-25000, 700, 99999999900}},
              {"d:9,30", of_128, false, {-250e-30, 7e-30, 999999999e-30}},
              {"d:38,0", of_huge, false, {0, -0x5p64, 0x1p64}},
              {"d:38,1", of_huge, false, {0, -0x1p63, 0x1p64 / 10}}};
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    struct ArrowArray array;
    struct ArrowSchema schema;
    strew_table *table = NULL;
    const void *buffers[] = {NULL, rows[i].data};
    make_structs(&array, &schema);
    fields[1].format = rows[i].format, columns[1].buffers = buffers, columns[1].offset = 1;
    ok(strew_table_from_arrow(device, &array, &schema, &table, &failure));
    const strew_tensor *f = strew_table_find(table, "f");
    if (rows[i].is_whole)
      assert_elements(f, STREW_INT64, &of_64[1], "%s", rows[i].format);
    else
      assert_elements(f, STREW_FLOAT64, rows[i].expected, "%s", rows[i].format);
    strew_table_release(table);
  }
}
END_TEST

START_TEST(large_integers_beside_missing_ones) {
  static const uint64_t large[] = {(uint64_t)1 << 63, 7, UINT64_MAX - 2047};
  static const void *of_large[] = {bits, large};
  struct ArrowArray array;
  struct ArrowSchema schema;
  strew_table *table = NULL;
  make_structs(&array, &schema);
  fields[0].format = "L", columns[0].buffers = of_large;
  ok(strew_table_from_arrow(device, &array, &schema, &table, &failure));
  assert_elements(strew_table_find(table, "n"), STREW_FLOAT64, (double[]){0x1p63, NAN, 0x1p64 - 2048}, "exact");
  strew_table_release(table);
}
END_TEST

/* Names that are repeated have the first free number; text has its words by column, not by name. */
START_TEST(columns_of_the_same_name) {
  static const char *const given[][COLUMNS] = {{"x", "x", "x", "x"}, {"x", "x_2", "x", "x"}, {"", "", "y", ""}},
                           *const expected[][COLUMNS] = {
                               {"x", "x_2", "x_3", "x_4"}, {"x", "x_2", "x_3", "x_4"}, {"", "_2", "y", "_3"}};
  struct ArrowArray array;
  struct ArrowSchema schema;
  strew_table *table = NULL;
  make_structs(&array, &schema);
  for (int i = 0; i < COLUMNS; i++) fields[i].name = given[_i][i];
  for (long failing = 1; !table; failing++) {
    const size_t before = blocks_in_use();
    allocations.limit(failing, false);
    strew_status status = strew_table_from_arrow(device, &array, &schema, &table, &failure);
    ck_assert(status == (table ? STREW_OK : STREW_EMEMORY) && (table || blocks_in_use() == before));
  }
  allocations.limit(0, false);
  for (int i = 0; i < COLUMNS; i++) ck_assert_str_eq(strew_table_name(table, i), expected[_i][i]);
  assert_elements(strew_table_find(table, expected[_i][0]), STREW_INT32, whole, "the first one");
  ck_assert_str_eq(strew_word(strew_table_tensor(table, 3), 1, NULL), "bb");
  strew_table_release(table);
}
END_TEST

/* Each allocation fails in turn, both ways: nothing is released, nothing is left. */
START_TEST(arrow_without_memory) {
  struct ArrowArray array, back = {0};
  struct ArrowSchema schema, described = {0};
  strew_table *table = NULL;
  long failing = 0;
  make_structs(&array, &schema);
  while (!table) {
    const size_t before = blocks_in_use();
    allocations.limit(++failing, false);
    strew_status status = strew_table_from_arrow(device, &array, &schema, &table, &failure);
    ck_assert(status == (table ? STREW_OK : STREW_EMEMORY));
    ck_assert(table || (!arrays_released && !schemas_released && blocks_in_use() == before));
  }
  ck_assert_int_ge(failing, 20);
  for (failing = 0; !back.release;) {
    const size_t before = blocks_in_use();
    allocations.limit(++failing, false);
    strew_status status = strew_table_to_arrow(table, &back, &described, &failure);
    ck_assert(status == (back.release ? STREW_OK : STREW_EMEMORY) && !back.release == !described.release);
    ck_assert(back.release || blocks_in_use() == before);
  }
  ck_assert_int_ge(failing, 20);
  allocations.limit(0, false);
  strew_table_release(table);
  ck_assert_int_eq(arrays_released, 0);
  struct ArrowArray moved = *back.children[0]; /* a consumer may take a column alone */
  back.children[0]->release = NULL;
  back.release(&back), described.release(&described);
  ck_assert(!back.release && !described.release && arrays_released == 0);
  ck_assert_int_eq(((const int32_t *)moved.buffers[1])[2], 9);
  moved.release(&moved);
  ck_assert_int_eq(arrays_released, 1);
}
END_TEST

START_TEST(tables_that_arrow_lacks) {
  struct ArrowArray array = {0};
  struct ArrowSchema schema = {0};
  const int64_t two[] = {2, 2};
  strew_table *table = NULL;
  strew_tensor *numbers = tensor_from_integers(STREW_INT64, 3, (int64_t[]){0, 1, -1}), *matrix = NULL, *halves;
  halves = tensor_from_doubles(STREW_BFLOAT16, 3, (double[]){1, 2, 3});
  ok(strew_full(device, STREW_INT8, 2, two, strew_int(0), &matrix, &failure));
  for (int i = 0; i < 2; i++) {
    ok(strew_table_create(context, &table, &failure));
    ok(strew_table_add(table, "a", numbers, &failure));
    ok(strew_table_add(table, "b", i ? halves : matrix, &failure));
    refused(strew_table_to_arrow(table, &array, &schema, &failure), i ? STREW_EDTYPE : STREW_ESHAPE,
            "to_arrow: 'x' has ");
    ck_assert(!array.release && !schema.release);
    strew_table_release(table);
  }
  strew_release(numbers), strew_release(matrix), strew_release(halves);
}
END_TEST

/* Long loops stop, both ways; the structs stay the caller's. */
START_TEST(arrow_interrupted) {
  struct ArrowArray array, back = {0};
  struct ArrowSchema schema, described = {0};
  strew_table *table = NULL;
  static const unsigned char all[] = {7};
  static const void *of_all[] = {all, whole};
  for (int i = 0; i <= COLUMNS + 1; i++) { /* then words without a dictionary, and a dictionary without rows */
    make_structs(&array, &schema);
    columns[0].buffers = of_all;
    if (i > COLUMNS) array.length = 0;
    array.n_children = schema.n_children = 1;
    column_list[0] = i == COLUMNS ? &dictionary : &columns[i < COLUMNS ? i : 3];
    field_list[0] = i == COLUMNS ? &words : &fields[i < COLUMNS ? i : 3];
    strew_context_interrupt(context);
    assert_fails(strew_table_from_arrow(device, &array, &schema, &table, &failure), STREW_EINTERRUPTED, NULL);
    ck_assert(!table && array.release && !arrays_released && !schemas_released);
    strew_context_clear_interrupt(context);
    ok(strew_table_from_arrow(device, &array, &schema, &table, &failure));
    if (i == 2 || i == 3) { /* bools and codes */
      strew_context_interrupt(context);
      assert_fails(strew_table_to_arrow(table, &back, &described, &failure), STREW_EINTERRUPTED, NULL);
      ck_assert(!back.release && !described.release);
      strew_context_clear_interrupt(context);
    }
    strew_table_release(table), table = NULL;
  }
  make_structs(&array, &schema); /* rows without a dictionary's words */
  array.n_children = schema.n_children = 1;
  column_list[0] = &columns[3], field_list[0] = &fields[3], dictionary.length = 0;
  strew_context_interrupt(context);
  assert_fails(strew_table_from_arrow(device, &array, &schema, &table, &failure), STREW_EINTERRUPTED, NULL);
  strew_context_clear_interrupt(context);
  assert_fails(strew_table_from_arrow(device, &array, &schema, &table, &failure), STREW_EINDEX, NULL);
}
END_TEST

/* --------------------------------------------------------------------------------------------------------- streams */

/* A stream of `batches` arrays. Batch 1 has other words in its dictionary. A failing call says `message`. missing, empty:
   a bit for each batch, with missing integers and bools, or without rows. */
static struct producer {
  int batches, given, schema_code, fails_at, released, missing, empty;
  int bare; /* arrays are this column, from 1 on; 0: all */
  const char *message;
} producer;

static int give_schema(struct ArrowArrayStream *self, struct ArrowSchema *out) {
  struct ArrowArray unused;
  ck_assert(self->release && self->private_data == &producer);
  fill_structs(&unused, out);
  if (producer.bare) *out = fields[producer.bare - 1];
  if (producer.schema_code) memset(out, 0x55, sizeof *out); /* undefined then */
  return producer.schema_code;
}

static int give_next(struct ArrowArrayStream *self, struct ArrowArray *out) {
  struct ArrowSchema unused;
  ck_assert(self->release && self->private_data == &producer && producer.given <= producer.batches);
  static const int32_t other_ends[] = {0, 2, 3, 3, 4};
  static const void *of_other[] = {NULL, other_ends, "bbac"}, *some_whole[] = {bits, whole},
                    *some_bits[] = {bits, bits};
  fill_structs(out, &unused);
  if (producer.bare) *out = columns[producer.bare - 1];
  if (producer.given == 1) dictionary.buffers = of_other;
  if (producer.missing >> producer.given & 1) columns[0].buffers = some_whole, columns[2].buffers = some_bits;
  if (producer.empty >> producer.given & 1) out->length = 0;
  const bool fails = producer.fails_at && producer.given + 1 == producer.fails_at;
  if (fails) memset(out, 0x55, sizeof *out);
  if (producer.given++ == producer.batches) out->release = NULL;
  return fails ? EIO : 0;
}

static const char *give_error(struct ArrowArrayStream *self) {
  ck_assert(self->release);
  return producer.message;
}

static void release_stream(struct ArrowArrayStream *self) { producer.released++, self->release = NULL; }

static struct ArrowArrayStream make_stream(struct producer of) {
  arrays_released = schemas_released = 0;
  producer = of;
  return (struct ArrowArrayStream){give_schema, give_next, give_error, release_stream, &producer};
}

static strew_table *next_table(strew_reader *reader) {
  strew_tensor *none = NULL;
  strew_table *table = NULL;
  ok(strew_reader_next(reader, &none, &table, &failure));
  ck_assert_ptr_null(none);
  return table;
}

START_TEST(streams_become_chunks) {
  struct ArrowArrayStream stream = make_stream((struct producer){.batches = 3});
  strew_reader *reader = NULL;
  strew_table *tables[3];
  void *data;
  ok(strew_table_from_arrow_stream(device, &stream, &reader, &failure));
  ck_assert(!stream.release && !producer.released && !schemas_released);
  strew_context_interrupt(context);
  assert_fails(strew_reader_next(reader, &(strew_tensor *){NULL}, &tables[0], &failure), STREW_EINTERRUPTED, NULL);
  strew_context_clear_interrupt(context);
  ck_assert_int_eq(producer.given, 0);
  for (int i = 0; i < 3; i++) {
    const int32_t codes[] = {i != 1, i == 1, 3}; /* of bb, a, c, or of a, bb, c */
    tables[i] = next_table(reader);
    const strew_tensor *text = strew_table_find(tables[i], "t");
    assert_codes(text, codes, "codes are those of the first array");
    ck_assert(strew_word_count(text) == 4 && strcmp(strew_word(text, 1, NULL), "bb") == 0);
    ok(strew_data(strew_table_find(tables[i], "n"), &data, &failure));
    ck_assert(data == whole && !producer.released && !arrays_released);
  }
  strew_table_release(tables[1]);
  ck_assert_int_eq(arrays_released, 1);
  ck_assert(!next_table(reader) && producer.released == 1 && producer.given == 4);
  ck_assert(!next_table(reader) && producer.released == 1 && producer.given == 4 && !schemas_released);
  strew_table_release(tables[0]);
  strew_reader_close(reader);
  ck_assert(schemas_released == 1 && producer.released == 1 && arrays_released == 2);
  strew_table_release(tables[2]); /* after its reader */
  ck_assert_int_eq(arrays_released, 3);
}
END_TEST

/* The first array with rows decides. */
START_TEST(columns_of_streams_have_one_dtype) {
  struct ArrowArrayStream stream = make_stream((struct producer){.batches = 3, .missing = 1 + _i * 2, .empty = _i});
  strew_reader *reader = NULL;
  strew_tensor *none = NULL;
  strew_table *table = NULL;
  ok(strew_table_from_arrow_stream(device, &stream, &reader, &failure));
  for (int i = 0; i < 3; i++) {
    const bool has_missing = producer.missing >> i & 1;
    table = next_table(reader);
    const strew_tensor *n = strew_table_find(table, "n"), *b = strew_table_find(table, "b");
    if (producer.empty >> i & 1) {
      ck_assert(strew_tensor_numel(n) == 0);
    } else {
      assert_elements(n, STREW_FLOAT64, (double[]){7, has_missing ? NAN : 8, 9}, "integers");
      assert_elements(b, STREW_FLOAT64, (double[]){1, has_missing ? NAN : 0, 1}, "bools");
    }
    strew_table_release(table), table = NULL;
  }
  strew_reader_close(reader), reader = NULL;
  stream = make_stream((struct producer){.batches = 2, .missing = 2});
  ok(strew_table_from_arrow_stream(device, &stream, &reader, &failure));
  strew_table_release(next_table(reader));
  for (int i = 0; i < 2; i++) {
    refused(
        strew_reader_next(reader, &none, &table, &failure), STREW_EVALUE,
        "reader_next: 'stream' has a column \"n\" with missing elements, which earlier arrays of the stream did not "
        "have: it is int32");
    ck_assert(!table && producer.given == 2 && arrays_released == 1);
  }
  strew_reader_close(reader);
}
END_TEST

/* After 0, 1, 2 arrays; of those without columns, too, which are tensors of numbers or text. */
START_TEST(streams_are_left) {
  struct ArrowArrayStream stream = make_stream((struct producer){.batches = 2, .bare = (const int[]){0, 1, 4}[_i % 3]});
  strew_reader *reader = NULL;
  const size_t before = blocks_in_use();
  ok(strew_table_from_arrow_stream(device, &stream, &reader, &failure));
  for (int i = 0; i < _i / 3; i++) {
    strew_tensor *t = NULL;
    strew_table *table = NULL;
    ok(strew_reader_next(reader, &t, &table, &failure));
    ck_assert(!t == !producer.bare && !table == (producer.bare > 0));
    const int32_t codes[] = {i != 1, i == 1, 3};
    if (producer.bare == 1) assert_elements(t, STREW_INT32, whole, "a bare array");
    if (producer.bare == 4) assert_codes(t, codes, "a bare array of text");
    if (producer.bare == 4) ck_assert_str_eq(strew_word(t, 1, NULL), "bb");
    strew_release(t), strew_table_release(table);
  }
  strew_reader_close(reader);
  ck_assert(producer.released == 1 && schemas_released == 1 && producer.given == _i / 3);
  ck_assert_int_eq(arrays_released, _i / 3);
  ck_assert_uint_eq(blocks_in_use(), before);
}
END_TEST

START_TEST(streams_that_fail) {
  struct ArrowArrayStream stream;
  strew_reader *reader = NULL;
  strew_tensor *none = NULL;
  strew_table *table = NULL;
#define REFUSED(code, text, ...)                                                                                       \
  stream = make_stream((struct producer){__VA_ARGS__});                                                                \
  assert_fails(strew_table_from_arrow_stream(device, &stream, &reader, &failure), code, "from_arrow_stream: " text);   \
  ck_assert(!reader && stream.release && !producer.released && !schemas_released)
  REFUSED(STREW_EFILE, "'stream' failed with error 5: the disk is  gone", .schema_code = EIO,
          .message = "the disk is\n gone");
  REFUSED(STREW_EFILE, "'stream' failed with error 22: no message", .schema_code = EINVAL);
  REFUSED(STREW_EFILE, "'stream' failed with error 5: ?[1m? and ?", .schema_code = EIO,
          .message = "\033[1m\177 and \xff");
  REFUSED(STREW_EMEMORY, "'stream' failed with error 12: all gone", .schema_code = ENOMEM, .message = "all gone");
#undef REFUSED
  stream = make_stream((struct producer){.batches = 3, .fails_at = 2, .message = "lost"});
  ok(strew_table_from_arrow_stream(device, &stream, &reader, &failure));
  strew_table *first = next_table(reader);
  for (int i = 0; i < 2; i++) {
    assert_fails(strew_reader_next(reader, &none, &table, &failure), STREW_EFILE,
                 "reader_next: 'stream' failed with error 5: lost");
    ck_assert(!table && producer.given == 2 && producer.released == 1 && !arrays_released);
  }
  strew_reader_close(reader);
  assert_elements(strew_table_find(first, "n"), STREW_INT32, whole, "from before the failure");
  strew_table_release(first);
  ck_assert(arrays_released == 1 && schemas_released == 1 && producer.released == 1);
}
END_TEST

static int give_nothing(struct ArrowArrayStream *self, struct ArrowSchema *out) {
  return memset(out, 0, sizeof *out), !self;
}
static int give_no_format(struct ArrowArrayStream *self, struct ArrowSchema *out) {
  give_schema(self, out);
  return out->format = NULL, 0;
}
static int give_less_than_none(struct ArrowArrayStream *self, struct ArrowSchema *out) {
  give_schema(self, out);
  return out->n_children = -1, 0;
}
static int give_lists(struct ArrowArrayStream *self, struct ArrowSchema *out) {
  give_schema(self, out);
  return fields[1].format = "+l", 0;
}
static int give_words_of_numbers(struct ArrowArrayStream *self, struct ArrowSchema *out) {
  give_schema(self, out);
  return words.format = "i", 0;
}
static int give_hole(struct ArrowArrayStream *self, struct ArrowSchema *out) {
  give_schema(self, out);
  return field_list[2] = NULL, 0;
}
static int give_no_children(struct ArrowArrayStream *self, struct ArrowSchema *out) {
  give_schema(self, out);
  return out->children = NULL, 0;
}
static int give_too_few(struct ArrowArrayStream *self, struct ArrowArray *out) {
  give_next(self, out);
  return out->n_children = 3, 0;
}

START_TEST(malformed_streams) {
  struct ArrowArrayStream stream;
  strew_reader *reader = NULL;
  strew_tensor *none = NULL;
  strew_table *table = NULL;
#define REFUSED_AS(code, text, schemas, ...)                                                                           \
  stream = make_stream((struct producer){.batches = 2}), __VA_ARGS__;                                                  \
  assert_fails(strew_table_from_arrow_stream(device, &stream, &reader, &failure), code,                                \
               "from_arrow_stream: 'stream' " text);                                                                   \
  ck_assert(!reader && !producer.given && !producer.released && schemas_released == (schemas))
#define REFUSED(...) REFUSED_AS(STREW_EARGUMENT, __VA_ARGS__)
  assert_fails(strew_table_from_arrow_stream(device, NULL, &reader, &failure), STREW_EARGUMENT,
               "from_arrow_stream: 'stream' is NULL or was released");
  REFUSED("is NULL or was released", 0, stream.release = NULL);
  REFUSED("is NULL or was released", 0, stream.get_schema = NULL);
  REFUSED("is NULL or was released", 0, stream.get_next = NULL);
  REFUSED("has an empty schema", 0, stream.get_schema = give_nothing);
  REFUSED("has an empty schema", 1, stream.get_schema = give_no_format);
  REFUSED("has -1 columns", 1, stream.get_schema = give_less_than_none);
  REFUSED("has no column 2", 1, stream.get_schema = give_hole);
  REFUSED("has no column 0", 1, stream.get_schema = give_no_children);
  REFUSED_AS(STREW_EDTYPE, "has a column \"f\" of Arrow's format \"+l\", expected numbers, bools, times or text", 1,
             stream.get_schema = give_lists);
  REFUSED_AS(STREW_EDTYPE, "has a column \"t\" with a dictionary of format \"i\", expected one of text", 1,
             stream.get_schema = give_words_of_numbers);
#undef REFUSED
#undef REFUSED_AS
  stream = make_stream((struct producer){.batches = 2}), stream.get_next = give_too_few, stream.get_last_error = NULL;
  ok(strew_table_from_arrow_stream(device, &stream, &reader, &failure));
  for (int i = 0; i < 2; i++)
    assert_fails(strew_reader_next(reader, &none, &table, &failure), STREW_EARGUMENT,
                 "reader_next: 'stream' has 3 columns, its schema 4");
  ck_assert(!table && producer.given == 1 && !arrays_released && producer.released == 1);
  strew_reader_close(reader);
  ck_assert(arrays_released == 1 && producer.released == 1 && schemas_released == 1);
}
END_TEST

/* Each allocation fails in turn: the stream stays the caller's, then a chunk is tried again; all is released once. */
START_TEST(streams_without_memory) {
  struct ArrowArrayStream stream = make_stream((struct producer){.batches = 2});
  strew_reader *reader = NULL;
  strew_tensor *none = NULL;
  strew_table *tables[2] = {NULL};
  long failing = 0;
  while (!reader) {
    const size_t before = blocks_in_use();
    allocations.limit(++failing, false);
    strew_status status = strew_table_from_arrow_stream(device, &stream, &reader, &failure);
    ck_assert(status == (reader ? STREW_OK : STREW_EMEMORY) && (reader || blocks_in_use() == before));
    ck_assert(!producer.released && schemas_released == failing - !!reader && !stream.release == !!reader);
  }
  ck_assert_int_ge(failing, 3);
  schemas_released = 0;
  for (int i = 0; i < 2; i++)
    for (failing = 0; !tables[i];) {
      allocations.limit(++failing, false);
      strew_status status = strew_reader_next(reader, &none, &tables[i], &failure);
      ck_assert(status == (tables[i] ? STREW_OK : STREW_EMEMORY) && producer.given == i + 1 && !arrays_released);
    }
  ck_assert_int_ge(failing, 10);
  allocations.limit(0, false);
  ck_assert_ptr_null(next_table(reader));
  strew_table_release(tables[0]), strew_table_release(tables[1]);
  strew_reader_close(reader);
  ck_assert(arrays_released == 2 && producer.released == 1 && schemas_released == 1);
}
END_TEST

/* A table as a stream: its schema any number of times, the array once; both outlive the stream. */
START_TEST(tables_become_streams) {
  struct ArrowArray array, again;
  struct ArrowSchema schema, second;
  struct ArrowArrayStream stream = {0}, taken = {0};
  strew_table *table = NULL;
  strew_reader *reader = NULL;
  make_structs(&array, &schema);
  ok(strew_table_from_arrow(device, &array, &schema, &table, &failure));
  long failing = 0;
  while (!stream.release) {
    const size_t before = blocks_in_use();
    allocations.limit(++failing, false);
    strew_status status = strew_table_to_arrow_stream(table, &stream, &failure);
    ck_assert(status == (stream.release ? STREW_OK : STREW_EMEMORY) && (stream.release || blocks_in_use() == before));
  }
  ck_assert_int_ge(failing, 20);
  for (failing = 1, schema.release = NULL; !schema.release; failing++) {
    const size_t before = blocks_in_use();
    allocations.limit(failing, false);
    const int code = stream.get_schema(&stream, &schema);
    ck_assert(code == (schema.release ? 0 : ENOMEM) && (!code || blocks_in_use() == before));
    if (code) ck_assert_ptr_nonnull(strstr(stream.get_last_error(&stream), "to_arrow_stream: out of memory"));
  }
  ck_assert_int_ge(failing, 6);
  allocations.limit(0, false);
  ck_assert(!stream.get_schema(&stream, &second));
  ck_assert(schema.n_children == 4 && schema.children != second.children && schema.children[3]->dictionary);
  ck_assert_str_eq(schema.children[3]->dictionary->format, "U");
  ck_assert_str_eq(second.children[1]->name, "f");
  ck_assert_int_eq(second.children[1]->flags, ARROW_NULLABLE);
  ck_assert_int_eq(second.children[3]->dictionary->flags, ARROW_NULLABLE);
  ck_assert(!stream.get_next(&stream, &array) && !stream.get_next(&stream, &again) && array.release && !again.release);
  stream.release(&stream);
  strew_table_release(table), table = NULL;
  ck_assert(!stream.release && !arrays_released);
  ck_assert_ptr_eq(array.children[0]->buffers[1], whole);
  second.release(&second);
  ok(strew_table_from_arrow(device, &array, &schema, &table, &failure));
  ok(strew_table_to_arrow_stream(table, &stream, &failure));
  ok(strew_table_to_arrow_stream(table, &taken, &failure));
  ok(strew_table_from_arrow_stream(device, &taken, &reader, &failure));
  strew_table_release(table);
  strew_arrow_stream_release(&stream), strew_arrow_stream_release(&stream), strew_arrow_stream_release(NULL);
  strew_table *back = next_table(reader);
  ck_assert_ptr_null(next_table(reader));
  strew_reader_close(reader);
  assert_codes(strew_table_find(back, "t"), (int32_t[]){1, 0, 3}, "codes");
  ck_assert_int_eq(arrays_released, 0);
  strew_table_release(back);
  ck_assert_int_eq(arrays_released, 1);
}
END_TEST

static void *consume(void *user) {
  struct ArrowArrayStream *stream = user;
  struct ArrowArray array;
  ck_assert(!stream->get_next(stream, &array) && array.release);
  array.release(&array), stream->release(stream);
  return NULL;
}

/* Another thread takes the array, and releases both; what it leaves is freed in the context's next call. */
START_TEST(streams_of_another_thread) {
  struct ArrowArrayStream stream = {0};
  strew_table *table = NULL;
  strew_tensor *t = tensor_from_doubles(STREW_FLOAT64, 3, floats);
  pthread_t thread;
  ok(strew_table_create(context, &table, &failure));
  ok(strew_table_add(table, "f", t, &failure));
  strew_release(t);
  ok(strew_table_to_arrow_stream(table, &stream, &failure));
  strew_table_release(table);
  ck_assert_int_eq(pthread_create(&thread, NULL, consume, &stream), 0);
  pthread_join(thread, NULL);
  ok(strew_context_check(context, 0, &failure));
  ck_assert(!stream.release && strew_context_bytes(context) == 0);
}
END_TEST

Suite *make_suite(void) {
  Suite *suite = suite_create("interchange");
  if (on_device()) return suite;
  test_allocator = counting_allocator;
  TCase *dlpack = new_case(suite, "dlpack");
  tcase_add_loop_test(dlpack, structs_are_used_in_place, 0, 2);
  tcase_add_test(dlpack, read_only_structs_are_not_written);
  tcase_add_test(dlpack, odd_structs);
  tcase_add_test(dlpack, bad_structs_stay_the_callers);
  tcase_add_loop_test(dlpack, exports_keep_the_memory, 0, 2 * STREW_DTYPE_COUNT);
  tcase_add_test(dlpack, dlpack_without_memory);
  TCase *arrow = new_case(suite, "arrow");
  tcase_add_test(arrow, arrays_become_columns);
  tcase_add_test(arrow, bad_arrays_stay_the_callers);
  tcase_add_loop_test(arrow, columns_of_the_same_name, 0, 3);
  tcase_add_test(arrow, decimals_become_numbers);
  tcase_add_test(arrow, large_integers_beside_missing_ones);
  tcase_add_test(arrow, arrow_without_memory);
  tcase_add_test(arrow, tables_that_arrow_lacks);
  tcase_add_test(arrow, arrow_interrupted);
  TCase *streams = new_case(suite, "streams");
  tcase_add_test(streams, streams_become_chunks);
  tcase_add_loop_test(streams, columns_of_streams_have_one_dtype, 0, 2);
  tcase_add_loop_test(streams, streams_are_left, 0, 9);
  tcase_add_test(streams, streams_that_fail);
  tcase_add_test(streams, malformed_streams);
  tcase_add_test(streams, streams_without_memory);
  tcase_add_test(streams, tables_become_streams);
  tcase_add_test(streams, streams_of_another_thread);
  return suite;
}
