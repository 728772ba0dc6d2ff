/* check_claim.c: two threads use one context at the same time. Debug builds detect it: both calls fail, and say why. */
#include "testing.h"

#include <pthread.h>
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

Suite *make_suite(void) {
  Suite *suite = suite_create("claim");
  TCase *all = new_case(suite, "threads in a context");
  tcase_add_test(all, test_taking_turns);
#ifdef STREW_DEBUG
  tcase_add_test(all, test_two_threads_at_once);
#else
  (void)test_two_threads_at_once;
  (void)told;
  printf("claim: two threads at once are left out: only builds with DEBUG=1 or SANITIZE= detect them\n");
#endif
  return suite;
}
