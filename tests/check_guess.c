/* check_guess.c: the suggestion of the nearest name for an unknown one. (devices: no, there are no tensors.) */
#include "testing.h"

#include <string.h>

static const char *nearest(const char *wanted, const char *const *names) {
  strew_guess guess = {.wanted = wanted};
  for (; *names; names++) strew_guess_name(&guess, *names);
  return guess.nearest;
}

static const char *const methods[] = {"scatter", "scatter_add", "scatter_add_", "sum",  "dim",   "t",
                                      "numel",   "expand_as",   "cumsum",       "view", "shape", NULL};

static const struct {
  const char *wanted, *expected;
} guesses[] = {
    {"scater_add_", "scatter_add_"},
    {"scatter_ad", "scatter_add"},
    {"csatter", "scatter"},
    {"scatetr", "scatter"},
    {"expandAs", "expand_as"},
    {"EXPAND_AS", "expand_as"},
    {"Sum", "sum"},
    {"sums", "sum"},
    {"sun", "sum"},
    {"ndim", "dim"},
    {"T", "t"},
    {"x", NULL},
    {"tt", NULL},
    {"su", NULL},
    {"sm", NULL},
    {"nummels", NULL},
    {"shpae", "shape"},
    {"nelement", NULL},
    {"", NULL},
    {"scattrr_ad_dd_____", NULL},
    {"scatter_add_to_it", NULL},
    {NULL, NULL},
    {"scatter_axx_", "scatter_add_"}, /* two letters of a long name */
};

START_TEST(test_nearest) {
  for (size_t i = 0; i < sizeof guesses / sizeof *guesses; i++) {
    const char *is = nearest(guesses[i].wanted, methods), *expected = guesses[i].expected;
    bool same = is && expected ? strcmp(is, expected) == 0 : is == expected;
    ck_assert_msg(same, "\"%s\": %s, not %s", guesses[i].wanted, is ? is : "none", expected ? expected : "none");
  }
}
END_TEST

/* Two names at the same distance: the first one in order, in either order of arguments. */
START_TEST(test_order_does_not_matter) {
  const char *const one[] = {"aben", "abed", NULL}, *const other[] = {"abed", "aben", NULL};
  ck_assert_str_eq(nearest("abet", one), "abed");
  ck_assert_str_eq(nearest("abet", other), "abed");
}
END_TEST

START_TEST(test_long_names) {
  char name[1000], wanted[1000];
  const char *const names[] = {name, "sum", NULL};
  for (size_t length = 1; length < sizeof name; length++) {
    memset(name, 'a', length);
    memcpy(wanted, name, length);
    name[length] = wanted[length] = 0;
    wanted[length / 2] = 'b';
    const char *is = nearest(wanted, names), *expected = length < 3 || length > 40 ? NULL : name;
    ck_assert_msg(is == expected, "%zu letters: %s", length, is ? is : "none");
  }
}
END_TEST

Suite *make_suite(void) {
  Suite *suite = suite_create("guess");
  TCase *all = new_case(suite, "did you mean");
  tcase_add_test(all, test_nearest);
  tcase_add_test(all, test_order_does_not_matter);
  tcase_add_test(all, test_long_names);
  return suite;
}
