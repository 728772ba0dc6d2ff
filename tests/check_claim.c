/* check_claim.c: two threads use one context at the same time. Debug builds detect it: both calls fail, and say why.
   (devices: no, this detection is the context's.) */
#include "testing.h"

#include <pthread.h>
#include <stdatomic.h>
#include <string.h>

static const char told[] = "two threads were in calls of one context at the same time";

struct other {
  strew_tensor *tensor;
  strew_status status;
  strew_error error;
};
static struct other other;
static int depth_at_which; /* allocator calls left before the other thread starts its call; 0: never */

static void *come_in(void *unused) {
  (void)unused;
  other.status = strew_fill(other.tensor, strew_int(1), &other.error);
  return NULL;
}

/* Runs the context's own thread up to an allocation inside of a call. */
static void *allocate(void *user, size_t size_bytes, size_t alignment) {
  (void)user, (void)alignment;
  if (depth_at_which && --depth_at_which == 0) {
    pthread_t thread;
    ck_assert_int_eq(pthread_create(&thread, NULL, come_in, NULL), 0);
    pthread_join(thread, NULL);
  }
  return malloc(size_bytes);
}

static void deallocate(void *user, void *block, size_t size_bytes) {
  (void)user, (void)size_bytes;
  free(block);
}

static strew_tensor *vector_of(strew_context *owner, int64_t size) {
  strew_device *cpu = NULL;
  strew_tensor *tensor = NULL;
  ok(strew_device_find(owner, "cpu", &cpu, &failure));
  ok(strew_full(cpu, STREW_FLOAT32, 1, &size, strew_int(0), &tensor, &failure));
  return tensor;
}

START_TEST(test_two_threads_at_once) {
  strew_options options = {.allocator = {allocate, deallocate, NULL}, .threads = 1};
  strew_context *own = NULL;
  ok(strew_context_create(&options, &own, &failure));
  strew_tensor *tensor = vector_of(own, 8), *copy = NULL;
  other = (struct other){.tensor = vector_of(own, 8)};

  depth_at_which = 1;
  assert_fails(strew_clone(tensor, &copy, &failure), STREW_EARGUMENT, NULL);
  ck_assert_ptr_nonnull(strstr(failure.message, told));
  ck_assert_ptr_null(copy);
  ck_assert_int_eq(other.status, STREW_EARGUMENT);
  ck_assert_ptr_nonnull(strstr(other.error.message, told));
  strew_context_clear_interrupt(own);
  assert_fails(strew_fill(tensor, strew_int(1), &failure), STREW_EARGUMENT, NULL);

  strew_release(other.tensor);
  strew_release(tensor);
  strew_context_release(own);
}
END_TEST

/* Calls one after the other are allowed, and so is a thread with another context. */
START_TEST(test_taking_turns) {
  strew_options options = {.allocator = {allocate, deallocate, NULL}, .threads = 1};
  strew_context *own = NULL;
  ok(strew_context_create(&options, &own, &failure));
  strew_tensor *tensor = vector_of(own, 8), *copy = NULL;
  pthread_t thread;
  other = (struct other){.tensor = tensor, .status = STREW_EVALUE};
  ck_assert_int_eq(pthread_create(&thread, NULL, come_in, NULL), 0);
  pthread_join(thread, NULL);
  ck_assert_int_eq(other.status, STREW_OK);

  other = (struct other){.tensor = vector_of(context, 8), .status = STREW_EVALUE};
  depth_at_which = 1;
  ok(strew_clone(tensor, &copy, &failure));
  ck_assert_int_eq(other.status, STREW_OK);

  strew_release(copy);
  strew_release(other.tensor);
  strew_release(tensor);
  strew_context_release(own);
}
END_TEST

/* ------------------------------------------------------------------------------------------------------- finalisers */

enum { ROUNDS = 2000, FINALISERS = 3 };
static strew_tensor *_Atomic handed[FINALISERS];
static atomic_bool is_over;
static pthread_t calls_from;
static int callbacks, foreign;

static void count_callback(void *user) {
  (void)user;
  callbacks++;
  foreign += !pthread_equal(pthread_self(), calls_from);
}

/* Releases what it is handed, at any time. */
static void *finalise(void *place) {
  strew_tensor *_Atomic *from = place;
  while (!atomic_load(&is_over) || atomic_load(from)) strew_release(atomic_exchange(from, NULL));
  return NULL;
}

/* Other threads release wrapped tensors while this one computes: their callbacks run here, all of them. */
START_TEST(test_finalisers) {
  static float memory[16];
  const int64_t size = 16;
  pthread_t threads[FINALISERS];
  strew_device *cpu = NULL;
  ok(strew_device_find(context, "cpu", &cpu, &failure));
  calls_from = pthread_self();
  for (int i = 0; i < FINALISERS; i++) ck_assert(!pthread_create(&threads[i], NULL, finalise, &handed[i]));
  int made = 0;
  for (int i = 0; i < ROUNDS; i++) {
    strew_tensor *wrapped = NULL, *sum = NULL, *mine = NULL;
    ok(strew_wrap(cpu, STREW_FLOAT32, 1, &size, NULL, memory, sizeof memory, count_callback, NULL, &wrapped, &failure));
    ok(strew_binary(STREW_ADD, strew_of(wrapped), strew_number(strew_int(1)), &sum, &failure));
    assert_elements(sum, STREW_FLOAT32, (float[16]){1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1}, "round %d", i);
    mine = strew_retain(sum);
    made++;
    strew_release(atomic_exchange(&handed[i % FINALISERS], wrapped));
    strew_release(atomic_exchange(&handed[(i + 1) % FINALISERS], sum));
    strew_release(mine);
  }
  atomic_store(&is_over, true);
  for (int i = 0; i < FINALISERS; i++) pthread_join(threads[i], NULL);
  ok(strew_context_check(context, 0, &failure));
  ck_assert_int_eq(callbacks, made);
  ck_assert_int_eq(foreign, 0);
  ck_assert_uint_eq(strew_context_bytes(context), 0);
}
END_TEST

static int blocks;
static void *count_allocate(void *user, size_t size_bytes, size_t alignment) {
  (void)user, (void)alignment;
  blocks++;
  return malloc(size_bytes);
}
static void count_deallocate(void *user, void *block, size_t size_bytes) {
  (void)user, (void)size_bytes;
  blocks--;
  free(block);
}

static void *release_all(void *given) {
  void **all = given;
  strew_release(all[0]), strew_grouping_release(all[1]), strew_table_release(all[2]);
  return NULL;
}

/* The last references are dropped by another thread, after the host's own. */
START_TEST(test_last_references) {
  strew_options options = {.allocator = {count_allocate, count_deallocate, NULL}, .threads = 1};
  strew_context *own = NULL;
  strew_tensor *ids = NULL;
  strew_grouping *grouping = NULL;
  strew_table *table = NULL;
  pthread_t thread;
  ok(strew_context_create(&options, &own, &failure));
  strew_tensor *tensor = vector_of(own, 8);
  ok(strew_to(tensor, strew_tensor_device(tensor), STREW_INT64, &ids, &failure));
  ok(strew_grouping_create_with(ids, NULL, &grouping, &failure));
  ok(strew_table_create(own, &table, &failure));
  ok(strew_table_add(table, "x", ids, &failure));
  strew_release(ids);
  strew_context_release(own);
  ck_assert(!pthread_create(&thread, NULL, release_all, (void *[]){tensor, grouping, table}));
  pthread_join(thread, NULL);
  ck_assert_int_eq(blocks, 0);
}
END_TEST

#if defined(STREW_DEBUG) && !defined(__SANITIZE_ADDRESS__)
/* A tensor that is used after its last release. */
START_TEST(test_released) {
  const int64_t size = 4;
  strew_tensor *tensor = NULL, *good = NULL, *out = NULL;
  ok(strew_full(device, STREW_FLOAT32, 1, &size, strew_int(1), &tensor, &failure));
  ok(strew_full(device, STREW_FLOAT32, 1, &size, strew_int(1), &good, &failure));
  strew_release(tensor);
  assert_fails(strew_unary(STREW_NEG, tensor, &out, &failure), STREW_EFREED, NULL);
  ck_assert_ptr_nonnull(strstr(failure.message, "'self' was released"));
  assert_fails(strew_binary(STREW_ADD, strew_of(good), strew_of(tensor), &out, &failure), STREW_EFREED, NULL);
  assert_fails(strew_cat(2, (strew_tensor *[]){good, tensor}, 0, &out, &failure), STREW_EFREED, NULL);
  ck_assert_ptr_nonnull(strstr(failure.message, "'tensors' has a tensor at [2] that was released"));
  assert_fails(strew_index_put(good, 1, &tensor, strew_number(strew_int(1)), NULL, &out, &failure), STREW_EFREED, NULL);
  ck_assert_ptr_null(out);
  strew_release(good);
}
END_TEST
#endif

Suite *make_suite(void) {
  Suite *suite = suite_create("claim");
  TCase *all = new_case(suite, "threads in a context");
  tcase_add_test(all, test_taking_turns);
  tcase_add_test(all, test_finalisers);
  tcase_add_test(all, test_last_references);
#if defined(STREW_DEBUG) && !defined(__SANITIZE_ADDRESS__)
  tcase_add_test(all, test_released);
#endif
#ifdef STREW_DEBUG
  tcase_add_test(all, test_two_threads_at_once);
#else
  (void)test_two_threads_at_once;
  (void)told;
  printf("claim: two threads at once are left out: only builds with DEBUG=1 or SANITIZE= detect them\n");
#endif
  return suite;
}
