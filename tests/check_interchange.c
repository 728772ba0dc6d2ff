/* check_interchange.c: structs of other libraries (DLPack): both directions, every kind of bad struct, and releases,
   which run exactly once whatever the order, and not at all if a call fails. (devices: no, memory is the host's.) */
#include "runtime/interchange/dlpack.h"
#include "trials.h"

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
  return suite;
}
