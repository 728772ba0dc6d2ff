/* check_interchange.c: structs of other libraries (DLPack): both directions, every kind of bad struct, and releases,
   which run exactly once whatever the order, and not at all if a call fails. (devices: no, memory is the host's.) */
#include "runtime/interchange/arrow.h"
#include "runtime/interchange/dlpack.h"
#include "trials.h"

#include <math.h>
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
    const size_t before = blocks_held();
    allocations.limit(++failing, false);
    strew_status status = strew_from_dlpack(device, &given, &t, &failure);
    ck_assert(status == (t ? STREW_OK : STREW_EMEMORY) && !deleted && (t || blocks_held() == before));
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
static void make_structs(struct ArrowArray *array, struct ArrowSchema *schema) {
  static const char *const formats[] = {"i", "g", "b", "c"}, *const names_of[] = {"n", "f", "b", "t"};
  const void **const buffers[] = {of_whole, of_floats, of_bits, of_indices};
  arrays_released = schemas_released = 0;
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
  assert_elements(strew_table_find(table, "t"), STREW_INT64, (int64_t[]){1, 0, 3}, "codes");
  ck_assert_str_eq(strew_table_word(table, 3, 1), "bb");
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
  static const void *of_odd[] = {bits, odd};
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
  REFUSED(STREW_EARGUMENT, "'array' has no column 1", column_list[1] = NULL);
  REFUSED(STREW_EARGUMENT, "'array' has no column 2", fields[2].release = NULL);
  REFUSED(STREW_EVALUE, "'array' has missing rows", array.n_buffers = 1, array.buffers = of_floats,
          array.null_count = 1);
  REFUSED(STREW_EDTYPE, "'array' has a column \"\" of Arrow's format \"+l\"", schema.format = "+l");
  REFUSED_COLUMN(STREW_EDTYPE, "\"f\" of Arrow's format \"d:9,2\", expected numbers", fields[1].format = "d:9,2");
  REFUSED_COLUMN(STREW_EDTYPE, "\"f\" of Arrow's format \"\"", fields[1].format = NULL);
  REFUSED_COLUMN(STREW_EARGUMENT, "\"n\" of 2 elements from 0 on, expected 3", columns[0].length = 2);
  REFUSED_COLUMN(STREW_EARGUMENT, "\"n\" of 3 elements from -1 on", columns[0].offset = -1);
  REFUSED_COLUMN(STREW_EARGUMENT, "\"n\" of 3 elements from 9223372036854775807 on", columns[0].offset = INT64_MAX);
  REFUSED_COLUMN(STREW_EARGUMENT, "\"n\" of format \"i\" with 3 buffers, expected 2", columns[0].n_buffers = 3);
  REFUSED_COLUMN(STREW_EARGUMENT, "\"n\" of format \"i\" with -1 buffers", columns[0].n_buffers = -1);
  REFUSED_COLUMN(STREW_EARGUMENT, "\"n\" without its buffer 1", columns[0].buffers = NULL);
  REFUSED_COLUMN(STREW_EARGUMENT, "\"n\" without its buffer 1", columns[0].buffers = none);
  REFUSED_COLUMN(STREW_EVALUE, "\"n\" with missing elements and 9007199254740993 at row 2", fields[0].format = "l",
                 columns[0].buffers = of_odd);
  REFUSED_COLUMN(STREW_EARGUMENT, "\"t\" without its dictionary", columns[3].dictionary = NULL);
  REFUSED_COLUMN(STREW_EARGUMENT, "\"t\" without its dictionary", dictionary.release = NULL);
  REFUSED_COLUMN(STREW_EARGUMENT, "\"t\" without its dictionary", dictionary.length = INT64_MAX);
  REFUSED_COLUMN(STREW_EDTYPE, "\"t\" with a dictionary of format \"i\", expected one of text", words.format = "i");
  REFUSED_COLUMN(STREW_EINDEX, "\"t\" with index 4 at row 1, its dictionary has 4 words", columns[3].buffers = of_far);
  REFUSED_COLUMN(STREW_EINDEX, "\"t\" with index -1 at row 1", columns[3].buffers = of_below);
  REFUSED_COLUMN(STREW_EARGUMENT, "\"t\" with an invalid offset of element 1", dictionary.buffers = of_back);
  REFUSED_COLUMN(STREW_EARGUMENT, "\"t\" with an invalid offset of element 0", dictionary.buffers = of_negative);
  REFUSED_COLUMN(STREW_EVALUE, "\"t\" with a zero byte in element 1", dictionary.buffers = of_zero);
  REFUSED(STREW_EVALUE, "'name' is \"n\", which is in the table already", fields[1].name = "n");
#undef REFUSED
#undef REFUSED_COLUMN
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
    const size_t before = blocks_held();
    allocations.limit(++failing, false);
    strew_status status = strew_table_from_arrow(device, &array, &schema, &table, &failure);
    ck_assert(status == (table ? STREW_OK : STREW_EMEMORY));
    ck_assert(table || (!arrays_released && !schemas_released && blocks_held() == before));
  }
  ck_assert_int_ge(failing, 20);
  for (failing = 0; !back.release;) {
    const size_t before = blocks_held();
    allocations.limit(++failing, false);
    strew_status status = strew_table_to_arrow(table, &back, &described, &failure);
    ck_assert(status == (back.release ? STREW_OK : STREW_EMEMORY) && !back.release == !described.release);
    ck_assert(back.release || blocks_held() == before);
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
  strew_tensor *codes = tensor_from_integers(STREW_INT64, 3, (int64_t[]){0, 1, -1}), *matrix = NULL, *halves;
  halves = tensor_from_doubles(STREW_BFLOAT16, 3, (double[]){1, 2, 3});
  ok(strew_full(device, STREW_INT8, 2, two, strew_int(0), &matrix, &failure));
  for (int i = 0; i < 3; i++) {
    ok(strew_table_create(context, &table, &failure));
    ok(strew_table_add(table, "a", codes, &failure));
    if (i) ok(strew_table_add(table, "b", i == 1 ? matrix : halves, &failure));
    if (!i) ok(strew_table_add_word(table, 0, "x", &failure));
    if (!i) ok(strew_table_add_word(table, 0, "y", &failure));
    refused(strew_table_to_arrow(table, &array, &schema, &failure),
            i == 0   ? STREW_EINDEX
            : i == 1 ? STREW_ESHAPE
                     : STREW_EDTYPE,
            "to_arrow: 'x' has ");
    ck_assert(!array.release && !schema.release);
    strew_table_release(table);
  }
  strew_release(codes), strew_release(matrix), strew_release(halves);
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
  tcase_add_test(arrow, arrow_without_memory);
  tcase_add_test(arrow, tables_that_arrow_lacks);
  return suite;
}
