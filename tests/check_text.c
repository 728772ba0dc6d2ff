/* check_text.c: text against words in C: random calls on a few texts whose lists share words or not, in which each
   allocation fails once; all layouts of codes, orders, threads, contexts, every error. */
#include "trials.h"

#include <string.h>

enum { MOST = 48, TEXTS = 4, CALLS = 12 };

static const char *const all_words[] = {
    "", "a", "b", "ab", "B", "Oslo", "\xc3\xa9", "\xff", "zz", "a b", "long enough for two heads"};
enum { WORDS = sizeof all_words / sizeof *all_words };

/* A text, and the number of the word of each element. */
struct model {
  strew_tensor *text;
  int64_t count;
  int words[MOST];
};

static void assert_is(const struct model *model, const char *what) {
  int32_t codes[MOST];
  strew_tensor *held = NULL;
  ck_assert_int_eq(strew_tensor_dtype(model->text), STREW_TEXT);
  ck_assert_int_eq(strew_tensor_numel(model->text), model->count);
  ok(strew_text_codes(model->text, &held, &failure));
  ck_assert_int_eq(strew_tensor_dtype(held), STREW_INT32);
  ok(strew_read(held, codes, (size_t)model->count * sizeof *codes, &failure));
  strew_release(held);
  for (int64_t i = 0; i < model->count; i++) {
    size_t length = 99;
    const char *word = strew_word(model->text, codes[i], &length), *expected = all_words[model->words[i]];
    if (!word || strcmp(word, expected) != 0 || length != strlen(expected))
      ck_abort_msg("%s: element %d is '%s', expected '%s'", what, (int)i, word ? word : "none", expected);
    ck_assert_int_eq(strew_word_code(model->text, expected, strlen(expected)), codes[i]);
  }
}

/* A text of `count` random words, with a list in random order, in which words may be missing or repeated. */
static void make_model(struct model *model, int64_t count, enum layout layout) {
  static const strew_dtype dtypes[] = {STREW_INT64, STREW_INT32, STREW_UINT8, STREW_INT16, STREW_UINT64};
  const strew_dtype dtype = dtypes[draw_below(5)];
  const char *list[2 * WORDS];
  int numbers[2 * WORDS];
  const int64_t words = 1 + draw_below(2 * WORDS - 1);
  unsigned char elements[MOST * 8];
  for (int64_t i = 0; i < words; i++) numbers[i] = (int)draw_below(WORDS), list[i] = all_words[numbers[i]];
  *model = (struct model){.count = count};
  for (int64_t i = 0; i < count; i++) {
    const int64_t code = draw_below(words);
    model->words[i] = numbers[code];
    ok(strew_scalar_store(strew_int(code), STREW_EXACT, dtype, elements + (size_t)i * strew_dtype_size_bytes(dtype),
                          &failure));
  }
  strew_tensor *codes = tensor_of(dtype, 1, &count, layout, elements);
  ok(strew_text(codes, words, list, NULL, false, &model->text, &failure));
  strew_release(codes);
}

/* From CHOOSE on with a string in place of b. */
enum call {
  CAT,
  WHERE,
  INDEX_PUT,
  COPY,
  GATHER,
  SCATTER,
  STACK,
  FLIP,
  ALIGN,
  MASKED,
  CHOOSE,
  FILL_MASKED,
  FILL_INDEX,
  SCATTER_WORD,
  PUT_WORD,
  SET_ROWS,
  SET_ROW,
  SET,
  FILL,
  CALL_COUNT
};
static const char *const call_names[] = {"cat",      "where",       "index_put",  "copy",    "gather",
                                         "scatter",  "stack",       "flip",       "align",   "masked_scatter",
                                         "where",    "masked_fill", "index_fill", "scatter", "index_put",
                                         "set_rows", "set_row",     "set",        "fill"};

/* A call of texts a and b, in place of a or with a result, and what it makes of the words. */
struct random_call {
  enum call call;
  struct model *a, *b;
  strew_tensor *index, *mask;
  int word;
  int64_t places[MOST];
  bool chosen[MOST];
};

static strew_status run(const struct random_call *r, strew_tensor **out) {
  strew_tensor *a = r->a->text, *b = r->b->text, *target = a, *pair[2] = {a, b}, *made[2];
  const strew_scalar word = strew_string(all_words[r->word]);
  strew_status status;
  switch (r->call) {
  case CAT: return strew_cat(2, pair, 0, out, &failure);
  case STACK: return strew_stack(2, pair, 1, out, &failure);
  case WHERE: return strew_where(r->mask, strew_of(a), strew_of(b), out, &failure);
  case GATHER: return strew_gather_with(a, 0, r->index, NULL, out, &failure);
  case SCATTER: return strew_scatter(a, 0, r->index, strew_of(b), NULL, out, &failure);
  case MASKED: return strew_masked_scatter(a, r->mask, b, out, &failure);
  case INDEX_PUT: return strew_index_put(a, 1, &r->index, strew_of(b), NULL, &target, &failure);
  case COPY: return strew_copy(a, b, &failure);
  case FLIP: return strew_flip(a, 1, (int64_t[]){0}, out, &failure);
  case CHOOSE: return strew_where(r->mask, strew_of(a), strew_number(word), out, &failure);
  case FILL_MASKED: return strew_masked_fill(a, r->mask, strew_number(word), out, &failure);
  case FILL_INDEX: return strew_index_fill_with(a, 0, r->index, strew_number(word), NULL, out, &failure);
  case SCATTER_WORD: return strew_scatter(a, 0, r->index, strew_number(word), NULL, out, &failure);
  case PUT_WORD: return strew_index_put(a, 1, &r->index, strew_number(word), NULL, &target, &failure);
  case SET_ROWS: return strew_set_rows(a, r->mask, strew_number(word), &failure);
  case SET_ROW: return r->a->count ? strew_set_row(a, r->places[0], strew_number(word), &failure) : STREW_OK;
  case SET: return r->a->count ? strew_set(a, 1, r->places, word, &failure) : STREW_OK;
  case FILL: return strew_fill(a, word, &failure);
  default:
    status = strew_text_align(2, pair, draw() % 2, made, &failure);
    if (status == STREW_OK) strew_release(made[0]), *out = made[1];
    return status;
  }
}

static bool is_in_place(enum call call) { return call == INDEX_PUT || call == COPY || call >= PUT_WORD; }

/* The same with words. */
static struct model expected_of(const struct random_call *r) {
  struct model made = {.count = r->a->count};
  const int *a = r->a->words, *b = r->b->words;
  const int64_t n = r->a->count;
  memcpy(made.words, a, sizeof made.words);
  if (r->call == CAT || r->call == STACK) made.count = 2 * n;
  for (int64_t i = 0, taken = 0; i < n; i++) {
    switch (r->call) {
    case CHOOSE: made.words[i] = r->chosen[i] ? a[i] : r->word; break;
    case SET_ROWS:
    case FILL_MASKED: made.words[i] = r->chosen[i] ? r->word : a[i]; break;
    case PUT_WORD:
    case SCATTER_WORD:
    case FILL_INDEX: made.words[r->places[i]] = r->word; break;
    case SET_ROW:
    case SET: made.words[r->places[0]] = r->word; break;
    case FILL: made.words[i] = r->word; break;
    case CAT: made.words[n + i] = b[i]; break;
    case STACK: made.words[2 * i] = a[i], made.words[2 * i + 1] = b[i]; break;
    case WHERE: made.words[i] = r->chosen[i] ? a[i] : b[i]; break;
    case GATHER: made.words[i] = a[r->places[i]]; break;
    case SCATTER:
    case INDEX_PUT: made.words[r->places[i]] = b[i]; break;
    case MASKED: made.words[i] = r->chosen[i] ? b[taken++] : a[i]; break;
    case FLIP: made.words[i] = a[n - 1 - i]; break;
    default: made.words[i] = b[i]; break;
    }
  }
  return made;
}

static void draw_call(struct random_call *r, struct model *models) {
  r->call = (enum call)draw_below(CALL_COUNT);
  r->word = (int)draw_below(WORDS);
  r->a = &models[draw_below(TEXTS)];
  do r->b = &models[draw_below(TEXTS)];
  while (r->b == r->a);
  const int64_t n = r->a->count;
  for (int64_t i = 0; i < n; i++) r->places[i] = draw_below(n), r->chosen[i] = draw() % 2;
  r->index = tensor_of(STREW_INT64, 1, &n, CONTIGUOUS, r->places);
  r->mask = tensor_of(STREW_BOOL, 1, &n, CONTIGUOUS, r->chosen);
}

/* Runs the call until no allocation fails; before that nothing changes. The result takes the place of a text. */
static void try_call(struct model *models) {
  struct random_call r;
  draw_call(&r, models);
  struct model made = expected_of(&r);
  bool is_limited = !on_device();
  const size_t blocks = blocks_held();
  for (long failing = 1; is_limited; failing++) {
    strew_tensor *out = NULL;
    allocations.limit(failing, false);
    const strew_status status = run(&r, &out);
    is_limited = allocations.failed() > 0;
    allocations.limit(0, false);
    if (status == STREW_OK) {
      made.text = out;
      break;
    }
    ck_assert_int_eq(status, STREW_EMEMORY);
    ck_assert_ptr_null(out);
    ck_assert_uint_le(blocks_held(), blocks + 8); /* words that were added stay for the next call */
    for (int i = 0; i < TEXTS; i++) assert_is(&models[i], "after a failure");
  }
  if (on_device()) ok(run(&r, &made.text));
  if (is_in_place(r.call)) made.text = strew_retain(r.a->text);
  assert_is(&made, call_names[r.call]);
  if (!is_in_place(r.call)) assert_is(r.a, "its operand");
  assert_is(r.b, "its other operand");
  strew_release(r.index), strew_release(r.mask);
  if (r.call != CAT && r.call != STACK) {
    strew_release(r.a->text);
    *r.a = made;
  } else {
    strew_release(made.text);
  }
}

START_TEST(random_calls) {
  for (int i = 0; i < some(300); i++) {
    struct model models[TEXTS];
    const int64_t count = draw_below(MOST / 2);
    use_turn(i % TURNS, i);
    for (int k = 0; k < TEXTS; k++) {
      make_model(&models[k], count, (enum layout)draw_below(EXPANDED));
      assert_is(&models[k], "made");
    }
    for (int k = 0; k < CALLS; k++) try_call(models);
    for (int k = 0; k < TEXTS; k++) strew_release(models[k].text);
  }
}
END_TEST

/* Codes of a sorted list compare as words; lists of many words, and many elements for several threads. */
START_TEST(orders) {
  enum { COUNT = 100000, LIST = 3000 };
  static char text[LIST][12];
  static const char *list[LIST];
  static int32_t codes[2][COUNT], ranks[2][COUNT];
  static const int threads[] = {1, 2, 3, 7};
  for (int i = 0; i < LIST; i++) sprintf(text[i], "%x", (unsigned)i * 2654435761u), list[i] = text[i];
  for (int k = 0; k < sweep(4); k++) {
    strew_tensor *texts[2], *ordered[2] = {NULL, NULL};
    use_threads(threads[k]);
    for (int t = 0; t < 2; t++) {
      strew_tensor *made = NULL;
      for (int i = 0; i < COUNT; i++) codes[t][i] = (int32_t)draw_below(LIST / 2);
      ok(strew_from(device, STREW_INT32, 1, (int64_t[]){COUNT}, codes[t], &made, &failure));
      texts[t] = NULL;
      ok(strew_text(made, LIST / 2, list + t * 1000, NULL, false, &texts[t], &failure));
      strew_release(made);
    }
    ok(strew_text_align(2, texts, true, ordered, &failure));
    ck_assert_int_eq(strew_word_count(ordered[0]), strew_word_count(ordered[1]));
    for (int64_t i = 1; i < strew_word_count(ordered[0]); i++)
      ck_assert(strcmp(strew_word(ordered[0], i - 1, NULL), strew_word(ordered[0], i, NULL)) < 0);
    for (int t = 0; t < 2; t++) ok(strew_read(ordered[t], ranks[t], sizeof ranks[t], &failure));
    for (int i = 0; i < COUNT; i++)
      for (int t = 0; t < 2; t++)
        if (strcmp(strew_word(ordered[t], ranks[t][i], NULL), list[codes[t][i] + t * 1000]) != 0)
          ck_abort_msg("text %d has another word at %d on %d threads", t, i, threads[k]);
    strew_tensor *again = NULL; /* its list is sorted: nothing is made */
    ok(strew_text_align(1, ordered, true, &again, &failure));
    ck_assert_ptr_eq(again, ordered[0]);
    for (int t = 0; t < 2; t++) strew_release(texts[t]), strew_release(ordered[t]);
    strew_release(again);
  }
}
END_TEST

static strew_tensor *text_of(int64_t count, const char *const *words) {
  strew_tensor *made = NULL;
  ok(strew_text_from(device, 1, &count, words, NULL, &made, &failure));
  return made;
}

/* Codes stay where words are added; views share them; word by word nothing is copied. */
START_TEST(words_are_added) {
  strew_tensor *text = text_of(3, (const char *[]){"x", "y", "x"}), *view = NULL, *copy = NULL, *one = NULL;
  int32_t codes[3];
  char word[24];
  ok(strew_narrow(text, 0, 1, 2, &view, &failure));
  ok(strew_clone(text, &copy, &failure));
  for (int i = 0; i < 1000; i++) {
    strew_tensor *single = NULL;
    sprintf(word, "word %d", i);
    ok(strew_text_from(device, 0, NULL, (const char *[]){word}, NULL, &single, &failure));
    one = NULL;
    ok(strew_select(text, 0, 0, &one, &failure));
    ok(strew_copy(one, single, &failure));
    strew_release(one), strew_release(single);
  }
  ck_assert_int_eq(strew_word_count(text), 1002);
  ck_assert_int_eq(strew_word_count(view), 1002);
  ck_assert_int_eq(strew_word_count(copy), 2);
  ok(strew_read(text, codes, sizeof codes, &failure));
  ck_assert(codes[0] == 1001 && codes[1] == 1 && codes[2] == 0);
  strew_tensor *other = text_of(1, (const char *[]){"of the copy"});
  ok(strew_copy(copy, other, &failure)); /* the text has added words to the shared ones */
  ck_assert_int_eq(strew_word_count(copy), 3);
  ck_assert_str_eq(strew_word(copy, 2, NULL), "of the copy");
  ck_assert_str_eq(strew_word(text, 2, NULL), "word 0");
  strew_release(text), strew_release(view), strew_release(copy), strew_release(other);
}
END_TEST

/* Strings are words beside text, also those that are times; times beside times; else no operands. */
START_TEST(strings) {
  const int64_t two = 2;
  bool is_equal = false;
  strew_tensor *text = NULL, *times = NULL, *out = NULL, *held = NULL,
               *floats = tensor_from_integers(STREW_FLOAT32, 2, (int64_t[]){0, 1});
  strew_tensor *mask = tensor_of(STREW_BOOL, 1, &two, CONTIGUOUS, (bool[]){true, false});
  const strew_operand day = strew_number(strew_string("2024-05-17")), word = strew_number(strew_string("b"));
  ok(strew_full(device, STREW_TEXT, 1, &two, word.number, &text, &failure));
  ok(strew_where(mask, word, day, &out, &failure)); /* both alone */
  ck_assert_int_eq(strew_tensor_dtype(out), STREW_TEXT);
  ck_assert_str_eq(strew_word(out, 1, NULL), "2024-05-17");
  ok(strew_equal(text, out, &is_equal, &failure));
  ck_assert(!is_equal);
  ok(strew_fill(out, word.number, &failure));
  ok(strew_equal(text, out, &is_equal, &failure));
  ck_assert(is_equal);
  strew_release(out), out = NULL;
  ok(strew_full(device, STREW_TIME, 1, &two, day.number, &times, &failure));
  ok(strew_where(mask, strew_of(times), day, &out, &failure));
  ok(strew_equal(times, out, &is_equal, &failure));
  ck_assert(is_equal);
  ok(strew_masked_fill(out, mask, strew_number(strew_string("NaT")), &out, &failure));
  ok(strew_binary(STREW_ADD, strew_of(times), strew_number(strew_float(0.25)), &held, &failure));
  ck_assert_int_eq(strew_tensor_dtype(held), STREW_TIME);
  strew_capabilities can = {.float64 = false};
  ok(strew_device_capabilities(device, &can, &failure));
  if (can.float64) {
    strew_tensor *seconds = NULL;
    double gaps[2];
    ok(strew_binary(STREW_SUB, strew_of(held), day, &seconds, &failure));
    ok(strew_read(seconds, gaps, sizeof gaps, &failure));
    ck_assert(gaps[0] == 0.25 && gaps[1] == 0.25);
    strew_release(seconds);
  }
  ok(strew_binary(STREW_SUB, strew_of(held), strew_number(strew_int(INT64_MAX)), &held, &failure));
  assert_fails(strew_binary(STREW_ADD, strew_of(held), day, &out, &failure), STREW_EDTYPE, NULL);
  strew_release(held);
  ok(strew_equal(out, out, &is_equal, &failure)); /* NaT equals nothing */
  ck_assert(!is_equal);
  assert_fails(strew_where(mask, strew_of(times), word, &out, &failure), STREW_EVALUE, NULL);
  assert_fails(strew_where(mask, strew_of(floats), day, &out, &failure), STREW_EARGUMENT, NULL);
  assert_fails(strew_fill(floats, day.number, &failure), STREW_EARGUMENT,
               "fill: 'value' is \"2024-05-17\", expected a number or boolean\n  self  float32[2] cpu");
  assert_fails(strew_masked_fill(floats, mask, day, &floats, &failure), STREW_EARGUMENT, NULL);
  assert_fails(strew_equal(text, floats, &is_equal, &failure), STREW_EDTYPE, NULL);
  assert_fails(strew_full(device, STREW_FLOAT32, 1, &two, word.number, &out, &failure), STREW_EARGUMENT, NULL);
  strew_release(text), strew_release(times), strew_release(out), strew_release(floats), strew_release(mask);
}
END_TEST

START_TEST(other_contexts) {
  strew_options options = {.allocator = counting_allocator};
  strew_context *elsewhere = NULL;
  strew_tensor *text = text_of(3, (const char *[]){"x", "", "x"}), *there = NULL, *back = NULL;
  ok(strew_context_create(&options, &elsewhere, &failure));
  ok(strew_to(text, strew_device_at(elsewhere, 0), STREW_TEXT, &there, &failure));
  strew_release(text);
  ck_assert_str_eq(strew_word(there, 0, NULL), "x");
  text = text_of(3, (const char *[]){"new", "", "other"});
  ok(strew_copy(there, text, &failure));
  ok(strew_to(there, device, STREW_TEXT, &back, &failure));
  strew_release(there);
  strew_context_release(elsewhere);
  int32_t codes[3];
  ok(strew_read(back, codes, sizeof codes, &failure));
  ck_assert_str_eq(strew_word(back, codes[0], NULL), "new");
  ck_assert_str_eq(strew_word(back, codes[1], NULL), "");
  ck_assert_str_eq(strew_word(back, codes[2], NULL), "other");
  strew_release(text), strew_release(back);
}
END_TEST

START_TEST(errors) {
  const char *const words[] = {"a", "b"};
  const size_t lengths[] = {1, 2};
  const int64_t two = 2;
  void *data;
  strew_tensor *codes = tensor_from_integers(STREW_INT64, 2, (int64_t[]){0, 2}), *out = NULL;
  strew_tensor *floats = tensor_from_integers(STREW_FLOAT32, 2, (int64_t[]){0, 1}), *text = text_of(2, words);
  strew_tensor *wide = tensor_from_integers(STREW_UINT64, 2, (int64_t[]){0, -1}), *pair[] = {text, floats};
  strew_tensor *no_words = text_of(2, (const char *[]){"c", "d"});
  assert_fails(strew_text(codes, 2, words, NULL, false, &out, &failure), STREW_EINDEX,
               "text: 'codes' has value 2 at [1], expected 0..1, the codes of 2 words\n  codes  int64[2] cpu");
  assert_fails(strew_text(wide, 2, words, NULL, false, &out, &failure), STREW_EINDEX, NULL);
  assert_fails(strew_text(floats, 2, words, NULL, false, &out, &failure), STREW_EDTYPE, NULL);
  assert_fails(strew_text(codes, 2, (const char *[]){"a", "b\0"}, lengths, false, &out, &failure), STREW_EINDEX, NULL);
  assert_fails(strew_text_from(device, 1, &two, (const char *[]){"a", "b\0"}, lengths, &out, &failure), STREW_EVALUE,
               "text_from: 'words' has a zero byte in the word at [2]");
  assert_fails(strew_text_like(codes, text, &out, &failure), STREW_EINDEX, NULL);
  assert_fails(strew_text_like(codes, floats, &out, &failure), STREW_EDTYPE, NULL);
  assert_fails(strew_text_codes(floats, &out, &failure), STREW_EDTYPE, NULL);
  assert_fails(strew_text_align(2, pair, false, (strew_tensor *[]){NULL, NULL}, &failure), STREW_EDTYPE, NULL);
  assert_fails(strew_cat(2, pair, 0, &out, &failure), STREW_EDTYPE, NULL);
  assert_fails(strew_to(text, device, STREW_INT32, &out, &failure), STREW_EVALUE, NULL);
  assert_fails(strew_copy(text, floats, &failure), STREW_EDTYPE, NULL);
  assert_fails(strew_fill(text, strew_int(0), &failure), STREW_EDTYPE, NULL);
  assert_fails(strew_data(text, &data, &failure), STREW_EDTYPE, NULL);
  assert_fails(strew_from(device, STREW_TEXT, 1, &two, lengths, &out, &failure), STREW_EDTYPE, NULL);
  assert_fails(strew_full(device, STREW_TEXT, 1, &two, strew_int(1), &out, &failure), STREW_EDTYPE, NULL);
  assert_fails(strew_reduce_with(STREW_FOLD_SUM, text, NULL, &out, &failure), STREW_EDTYPE,
               "sum: 'self' is text, sum takes numbers\n  self  text[2] cpu");
  out = no_words; /* index_put names no result: one with other words is refused, and unchanged */
  strew_tensor *index = tensor_from_integers(STREW_INT64, 2, (int64_t[]){0, 1});
  assert_fails(strew_index_put(text, 1, &index, strew_of(text), NULL, &out, &failure), STREW_EDTYPE, NULL);
  ck_assert_str_eq(strew_word(no_words, 0, NULL), "c");
  ok(strew_gather_with(text, 0, index, NULL, &out, &failure)); /* gather names it: its list grows */
  ck_assert_int_eq(strew_word_count(no_words), 4);
  int32_t before[2], after[2];
  strew_tensor *far = tensor_from_integers(STREW_INT64, 2, (int64_t[]){1, 9});
  const strew_index_options drop = {.mode = STREW_DROP};
  ok(strew_read(out, before, sizeof before, &failure));
  ok(strew_gather_with(text, 0, far, &drop, &out, &failure));
  ok(strew_read(out, after, sizeof after, &failure));
  ck_assert_int_eq(after[0], before[1]);
  ck_assert_str_eq(strew_word(no_words, after[1], NULL), "");
  strew_release(far);
  ck_assert_int_eq(strew_word_count(floats), -1);
  ck_assert_ptr_null(strew_word(text, 2, NULL));
  ck_assert_ptr_null(strew_word(text, -1, NULL));
  ck_assert_int_eq(strew_word_code(text, "c", 1), -1);
  strew_release(codes), strew_release(floats), strew_release(text), strew_release(wide), strew_release(no_words);
  strew_release(index);
}
END_TEST

/* Numbers become words and numbers again, whether words are read once or for each element. */
START_TEST(numbers) {
  static const strew_dtype dtypes[] = {STREW_FLOAT32, STREW_FLOAT16, STREW_BFLOAT16, STREW_INT64,
                                       STREW_UINT64,  STREW_INT8,    STREW_BOOL};
  enum { COUNT = 5000 };
  static double values[COUNT];
  for (size_t k = 0; k < sizeof dtypes / sizeof *dtypes; k++) {
    strew_tensor *wide = NULL, *t = NULL, *text = NULL, *back = NULL, *part = NULL, *part_back = NULL, *few = NULL;
    bool is_equal = false;
    for (int i = 0; i < COUNT; i++) values[i] = (double)(draw_below(20001) - 10000) / (1 << draw_below(12));
    wide = tensor_from_doubles(dtypes[k], COUNT, values);
    t = strew_retain(wide);
    ok(strew_to(t, device, STREW_TEXT, &text, &failure));
    ok(strew_to(text, device, dtypes[k], &back, &failure));
    ok(strew_equal(t, back, &is_equal, &failure));
    ck_assert_msg(is_equal, "%s", strew_dtype_name(dtypes[k]));
    ok(strew_narrow(text, 0, 7, 3, &part, &failure));
    ok(strew_narrow(t, 0, 7, 3, &few, &failure));
    ok(strew_to(part, device, dtypes[k], &part_back, &failure));
    ok(strew_equal(few, part_back, &is_equal, &failure));
    ck_assert(is_equal);
    strew_release(wide), strew_release(t), strew_release(text), strew_release(back);
    strew_release(part), strew_release(part_back), strew_release(few);
  }
  char text[STREW_SCALAR_BYTES];
  ck_assert_str_eq(strew_scalar_text(strew_float((double)0.1f), STREW_FLOAT32, text), "0.1");
  ck_assert_str_eq(strew_scalar_text(strew_float((double)0.1f), STREW_FLOAT64, text), "0.10000000149011612");
  ck_assert_str_eq(strew_scalar_text(strew_int(INT64_MIN), STREW_FLOAT64, text), "-9223372036854775808");
  ck_assert_str_eq(strew_scalar_text(strew_bool(true), STREW_FLOAT64, text), "true");
  ck_assert_str_eq(strew_scalar_text((strew_scalar){.dtype = STREW_TIME}, STREW_TIME, text), "1970-01-01");
}
END_TEST

/* ---------------------------------------------------------------------------------------------------------- order */

/* Elements of text, or of times, as integers in their order; NONE: NaT. */
enum { NONE = -1, TIMES = 6 };
static const int64_t all_times[TIMES] = {INT64_MIN + 1, -1, 0, 1, 1715949000250000, INT64_MAX};
struct ordered {
  strew_tensor *tensor;
  bool is_time;
  int64_t count, ranks[MOST];
};

static int rank_of_word(int word) {
  int rank = 0;
  for (int i = 0; i < WORDS; i++) rank += strcmp(all_words[i], all_words[word]) < 0;
  return rank;
}

static struct ordered draw_ordered(bool is_time, int64_t count, enum layout layout) {
  struct ordered x = {.is_time = is_time, .count = count};
  if (is_time) {
    int64_t elements[MOST];
    strew_tensor *given;
    for (int64_t i = 0; i < count; i++) {
      x.ranks[i] = draw_below(TIMES + 1) - 1;
      elements[i] = x.ranks[i] == NONE ? INT64_MIN : all_times[x.ranks[i]];
    }
    given = tensor_of(STREW_INT64, 1, &count, layout, elements);
    ok(strew_to(given, device, STREW_TIME, &x.tensor, &failure));
    strew_release(given);
  } else {
    struct model model;
    make_model(&model, count, layout);
    for (int64_t i = 0; i < count; i++) x.ranks[i] = rank_of_word(model.words[i]);
    x.tensor = model.text;
  }
  return x;
}

/* The scalar of that rank, which texts need not have. */
static strew_operand scalar_of(bool is_time, int64_t rank) {
  if (is_time) return strew_number((strew_scalar){STREW_TIME, {.i = rank == NONE ? INT64_MIN : all_times[rank]}});
  int word = 0;
  while (rank_of_word(word) != rank) word++;
  return strew_number(strew_string(all_words[word]));
}

static void assert_ordered(strew_tensor *made, bool is_time, int64_t count, const int64_t *ranks, const char *what) {
  int64_t times[MOST];
  int32_t codes[MOST];
  ck_assert_msg(strew_tensor_dtype(made) == (is_time ? STREW_TIME : STREW_TEXT), "%s", what);
  ck_assert_msg(strew_tensor_numel(made) == count, "%s: %d elements", what, (int)strew_tensor_numel(made));
  ok(strew_read(made, is_time ? (void *)times : codes, (size_t)count * (is_time ? sizeof *times : sizeof *codes),
                &failure));
  for (int64_t i = 0; i < count; i++) {
    int word = 0;
    while (!is_time && strcmp(all_words[word], strew_word(made, codes[i], NULL)) != 0) word++;
    const bool is_equal =
        is_time ? times[i] == (ranks[i] == NONE ? INT64_MIN : all_times[ranks[i]]) : rank_of_word(word) == ranks[i];
    ck_assert_msg(is_equal, "%s: element %d", what, (int)i);
  }
}

/* The rank of the extreme: NaT wins. */
static int64_t extreme_of(bool is_max, int64_t a, int64_t b) {
  if (a == NONE || b == NONE) return NONE;
  return is_max == (a > b) ? a : b;
}

static bool holds(strew_binary_op op, int64_t a, int64_t b) {
  if (a == NONE || b == NONE) return op == STREW_NE;
  return op == STREW_EQ   ? a == b
         : op == STREW_NE ? a != b
         : op == STREW_LT ? a < b
         : op == STREW_LE ? a <= b
         : op == STREW_GT ? a > b
                          : a >= b;
}

/* Compares a with b, and each with a scalar. */
static void try_comparisons(const struct ordered *a, const struct ordered *b) {
  const int64_t rank = draw_below(a->is_time ? TIMES + 1 : WORDS) - a->is_time;
  for (int op = STREW_MINIMUM; op <= STREW_GE; op++)
    for (int form = 0; form < 3; form++) {
      int64_t ranks[MOST];
      bool truths[MOST];
      strew_tensor *out = NULL;
      const strew_operand x = form == 1 ? scalar_of(a->is_time, rank) : strew_of(a->tensor);
      const strew_operand y = form == 2 ? scalar_of(a->is_time, rank) : strew_of(b->tensor);
      for (int64_t i = 0; i < a->count; i++) {
        const int64_t left = form == 1 ? rank : a->ranks[i], right = form == 2 ? rank : b->ranks[i];
        ranks[i] = extreme_of(op == STREW_MAXIMUM, left, right);
        truths[i] = holds((strew_binary_op)op, left, right);
      }
      ok(strew_binary((strew_binary_op)op, x, y, &out, &failure));
      if (op <= STREW_MAXIMUM)
        assert_ordered(out, a->is_time, a->count, ranks, "an extreme of two");
      else
        assert_elements(out, STREW_BOOL, truths, "operation %d, form %d, time %d", op, form, a->is_time);
      strew_release(out);
    }
}

static void try_folds(const struct ordered *x) {
  for (int is_max = 0; is_max < 2 && x->count; is_max++) {
    strew_tensor *value = NULL, *place = NULL, *values = NULL, *given = NULL;
    int64_t at = 0, ranks[MOST];
    for (int64_t i = 0; i < x->count; i++) {
      if (extreme_of(is_max, x->ranks[at], x->ranks[i]) != x->ranks[at]) at = i;
      ranks[i] = x->ranks[at];
    }
    ok(strew_reduce_with(is_max ? STREW_FOLD_AMAX : STREW_FOLD_AMIN, x->tensor, NULL, &value, &failure));
    ok(strew_reduce_with(is_max ? STREW_FOLD_ARGMAX : STREW_FOLD_ARGMIN, x->tensor, NULL, &place, &failure));
    assert_ordered(value, x->is_time, 1, &x->ranks[at], "an extreme");
    assert_elements(place, STREW_INT64, &at, "the place of an extreme");
    struct ordered other = draw_ordered(x->is_time, 1, CONTIGUOUS); /* whose list gets the word */
    ok(strew_view(other.tensor, 0, NULL, &given, &failure));
    ok(strew_reduce_with(is_max ? STREW_FOLD_AMAX : STREW_FOLD_AMIN, x->tensor, NULL, &given, &failure));
    assert_ordered(other.tensor, x->is_time, 1, &x->ranks[at], "a given result");
    ok((is_max ? strew_cummax : strew_cummin)(x->tensor, 0, &values, NULL, &failure));
    assert_ordered(values, x->is_time, x->count, ranks, "extremes so far");
    strew_release(value), strew_release(place), strew_release(values);
    strew_release(given), strew_release(other.tensor);
  }
}

static void try_clamp(const struct ordered *x) {
  const int64_t low = draw_below(TIMES), high = draw_below(TIMES);
  int64_t ranks[MOST];
  strew_tensor *out = strew_retain(x->tensor);
  for (int64_t i = 0; i < x->count; i++) ranks[i] = extreme_of(false, extreme_of(true, x->ranks[i], low), high);
  ok(strew_clamp_with(x->tensor, scalar_of(x->is_time, low), scalar_of(x->is_time, high), &out, &failure));
  assert_ordered(x->tensor, x->is_time, x->count, ranks, "clamped in place");
  strew_release(out);
}

/* True if b comes before a: NaT is last, and first if descending. */
static bool is_misplaced(int64_t a, int64_t b, bool descending) {
  if (a == NONE || b == NONE) return descending ? b == NONE && a != NONE : a == NONE && b != NONE;
  return descending ? b > a : b < a;
}

/* Sorts, the first elements, and different ones, against an insertion sort. */
static void try_sort(const struct ordered *x) {
  for (int descending = 0; descending < 2; descending++) {
    int64_t ranks[MOST], places[MOST], distinct = 0;
    strew_tensor *values = NULL, *indices = NULL, *order = NULL, *first = NULL, *different = NULL, *inverse = NULL;
    for (int64_t i = 0, k; i < x->count; i++) {
      for (k = i; k > 0 && is_misplaced(ranks[k - 1], x->ranks[i], descending); k--)
        ranks[k] = ranks[k - 1], places[k] = places[k - 1];
      ranks[k] = x->ranks[i], places[k] = i;
    }
    const int64_t half = x->count / 2;
    ok(strew_sort_with(x->tensor, 0, &(strew_sort_options){.descending = descending}, &values, &indices, &failure));
    ok(strew_sort_with(x->tensor, 0, &(strew_sort_options){.descending = descending}, NULL, &order, &failure));
    assert_ordered(values, x->is_time, x->count, ranks, "sorted");
    assert_elements(indices, STREW_INT64, places, "places of sorted elements");
    assert_elements(order, STREW_INT64, places, "argsort");
    ok(strew_topk_with(x->tensor, half, 0, &(strew_topk_options){.smallest = !descending}, &first, NULL, &failure));
    assert_ordered(first, x->is_time, half, ranks, "the first ones");
    struct ordered other = draw_ordered(x->is_time, x->count, CONTIGUOUS);
    ok(strew_sort_with(x->tensor, 0, &(strew_sort_options){.descending = descending}, &other.tensor, NULL, &failure));
    assert_ordered(other.tensor, x->is_time, x->count, ranks, "a given sorted one");
    ok(strew_unique(x->tensor, &different, &inverse, NULL, &failure));
    for (int64_t i = 0; i < x->count; i++)
      if (!i || ranks[i] != ranks[i - 1]) ranks[distinct++] = ranks[i];
    for (int64_t i = 0; descending && i < distinct / 2; i++) {
      const int64_t rank = ranks[i];
      ranks[i] = ranks[distinct - 1 - i], ranks[distinct - 1 - i] = rank;
    }
    assert_ordered(different, x->is_time, distinct, ranks, "different ones");
    for (int64_t i = 0; i < x->count; i++)
      for (places[i] = 0; ranks[places[i]] != x->ranks[i];) places[i]++;
    assert_elements(inverse, STREW_INT64, places, "where the different ones are");
    strew_release(values), strew_release(indices), strew_release(order), strew_release(first);
    strew_release(different), strew_release(inverse), strew_release(other.tensor);
  }
}

/* Searches elements of a, and a scalar, in sorted b; looks for a in b. */
static void try_searches(const struct ordered *a, const struct ordered *b) {
  const int64_t rank = draw_below(a->is_time ? TIMES + 1 : WORDS) - a->is_time;
  strew_tensor *sorted = NULL, *found = NULL;
  bool truths[MOST];
  ok(strew_sort_with(b->tensor, 0, NULL, &sorted, NULL, &failure));
  for (int right = 0; right < 2; right++) {
    int64_t places[MOST] = {0}, place = 0;
    strew_tensor *at = NULL, *at_scalar = NULL;
    const strew_searchsorted_options options = {.right = right};
    for (int64_t k = 0; k < b->count; k++) {
      for (int64_t i = 0; i < a->count; i++)
        places[i] +=
            right ? !is_misplaced(b->ranks[k], a->ranks[i], false) : is_misplaced(a->ranks[i], b->ranks[k], false);
      place += right ? !is_misplaced(b->ranks[k], rank, false) : is_misplaced(rank, b->ranks[k], false);
    }
    ok(strew_searchsorted_with(sorted, strew_of(a->tensor), &options, &at, &failure));
    ok(strew_bucketize_with(scalar_of(a->is_time, rank), sorted, &options, &at_scalar, &failure));
    assert_elements(at, STREW_INT64, places, "searchsorted, right %d, time %d", right, a->is_time);
    assert_elements(at_scalar, STREW_INT64, &place, "bucketize, right %d, time %d", right, a->is_time);
    strew_release(at), strew_release(at_scalar);
  }
  for (int64_t i = 0; i < a->count; i++) {
    truths[i] = false;
    for (int64_t k = 0; k < b->count; k++) truths[i] |= holds(STREW_EQ, a->ranks[i], b->ranks[k]);
  }
  ok(strew_isin(a->tensor, b->tensor, NULL, &found, &failure));
  assert_elements(found, STREW_BOOL, truths, "isin, time %d", a->is_time);
  strew_release(sorted), strew_release(found);
}

/* ---------------------------------------------------------------------------------------------------------- groups */

enum { GROUPS = 7, CODES = 3 };

/* What the reduction makes of a group's elements, and where the extreme is; with `start`, a given result's. */
struct of_group {
  int64_t rank, place, count, distinct;
};

static struct of_group reduce_group(const struct ordered *x, const int64_t *ids, int64_t group,
                                    strew_group_reduction reduction, bool skips, const int64_t *start, int64_t empty) {
  struct of_group r = {start ? *start : empty, x->count, 0, 0};
  bool is_any = start != NULL, is_seen[WORDS + TIMES + 1] = {false};
  for (int64_t i = 0; i < x->count; i++) {
    const int64_t rank = x->ranks[i];
    if (ids[i] != group || (skips && rank == (x->is_time ? NONE : 0))) continue;
    const bool is_max = reduction == STREW_GROUP_MAX, is_extreme = is_max || reduction == STREW_GROUP_MIN;
    const bool wins = is_extreme ? extreme_of(is_max, r.rank, rank) != r.rank : reduction == STREW_GROUP_LAST;
    if (!is_any || wins) r.rank = rank, r.place = i;
    is_any = true;
    r.count++;
    r.distinct += !is_seen[rank + 1];
    is_seen[rank + 1] = true;
  }
  return r;
}

static void try_group_reduction(const struct ordered *x, strew_groups groups, const int64_t *ids, int64_t count,
                                strew_group_reduction reduction, strew_mode mode) {
  const bool is_extreme = reduction == STREW_GROUP_MIN || reduction == STREW_GROUP_MAX;
  const bool is_counted = reduction == STREW_GROUP_COUNT || reduction == STREW_GROUP_NUNIQUE;
  const bool skips = draw_below(2), has_out = is_extreme && draw_below(3) == 0, has_arg = is_extreme && draw_below(2);
  const bool has_fill = !is_counted && !has_out && draw_below(2);
  const int64_t rank = draw_below(x->is_time ? TIMES + 1 : WORDS) - x->is_time;
  const int64_t empty = has_fill ? rank : x->is_time ? NONE : 0;
  struct ordered start = draw_ordered(x->is_time, count, CONTIGUOUS);
  int64_t ranks[MOST], places[MOST];
  for (int64_t g = 0; g < count; g++) {
    const struct of_group r =
        reduce_group(x, ids, g, reduction, skips, has_out && !groups.ends ? &start.ranks[g] : NULL, empty);
    ranks[g] = reduction == STREW_GROUP_COUNT ? r.count : reduction == STREW_GROUP_NUNIQUE ? r.distinct : r.rank;
    places[g] = r.place;
  }
  const strew_scalar fill = scalar_of(x->is_time, rank).number;
  const strew_group_reduce_options options = {.fill = has_fill ? &fill : NULL,
                                              .skip_nan = skips,
                                              .mode = mode,
                                              .dim_size = groups.grouping || groups.ends ? NULL : &count};
  strew_tensor *out = has_out ? start.tensor : NULL, *arg = NULL;
  char what[80];
  sprintf(what, "reduction %d, skip_nan %d, out %d, fill %d, time %d", (int)reduction, skips, has_out, has_fill,
          x->is_time);
  ok(strew_group_reduce(groups, reduction, x->tensor, &options, &out, has_arg ? &arg : NULL, &failure));
  if (is_counted)
    assert_elements(out, STREW_INT64, ranks, "%s", what);
  else
    assert_ordered(out, x->is_time, count, ranks, what);
  if (has_arg) assert_elements(arg, STREW_INT64, places, "places of %s", what);
  if (!has_out) strew_release(out);
  strew_release(start.tensor), strew_release(arg);
}

/* The nearest integer to the mean, a half to even. */
static int64_t mean_of(int64_t count, const int64_t *elements) {
  int64_t whole = 0, rest = 0;
  for (int64_t i = 0; i < count; i++) {
    const int64_t below = elements[i] % count < 0;
    whole += elements[i] / count - below, rest += elements[i] % count + below * count;
  }
  whole += rest / count;
  return whole + (rest % count * 2 + (whole & 1) > count);
}

/* The statistic of a group of times; of all if the id is below NONE. */
static int64_t statistic_of(const struct ordered *x, const int64_t *ids, int64_t id, bool skips,
                            const strew_group_aggregate *what) {
  int64_t all[MOST], count = 0;
  for (int64_t i = 0; i < x->count; i++) {
    if (id >= NONE && ids[i] != id) continue;
    if (x->ranks[i] == NONE && !skips) return INT64_MIN;
    if (x->ranks[i] == NONE) continue;
    const int64_t one = all_times[x->ranks[i]];
    int64_t at = count++;
    for (; at && all[at - 1] > one; at--) all[at] = all[at - 1];
    all[at] = one;
  }
  if (!count) return INT64_MIN;
  if (what->reduction == STREW_GROUP_MEAN) return mean_of(count, all);
  const int64_t *middle = all + (count - 1) / 2;
  if (what->reduction == STREW_GROUP_MEDIAN || count % 2) return *middle;
  return what->options.interpolation == STREW_HIGHER ? middle[1] : mean_of(2, middle);
}

static void assert_times(strew_tensor *made, int64_t count, const int64_t *expected, const char *what) {
  int64_t found[MOST];
  ck_assert_int_eq(strew_tensor_dtype(made), STREW_TIME);
  ck_assert_int_eq(strew_tensor_numel(made), count);
  ok(strew_read(made, found, (size_t)count * sizeof *found, &failure));
  for (int64_t i = 0; i < count; i++)
    ck_assert_msg(found[i] == expected[i], "%s: element %d is %lld, expected %lld", what, (int)i, (long long)found[i],
                  (long long)expected[i]);
  strew_release(made);
}

/* Means, medians and quantiles of times: of groups, as aggregates of a grouping, of ranges, and of all elements. */
static void try_statistics(const struct ordered *x, strew_groups groups, const int64_t *ids, strew_mode mode) {
  const int64_t count = GROUPS;
  strew_group_aggregate all[] = {
      {.reduction = STREW_GROUP_MEAN},
      {.reduction = STREW_GROUP_MEDIAN},
      {.reduction = STREW_GROUP_QUANTILE, .options = {.q = 0.5, .interpolation = STREW_HIGHER}},
      {.reduction = STREW_GROUP_QUANTILE, .options = {.q = 0.5, .interpolation = STREW_MIDPOINT}}};
  bool is_far = false; /* there may be gaps that int64 does not hold */
  for (int64_t i = 0; i < x->count; i++) is_far |= x->ranks[i] == 0 || x->ranks[i] == TIMES - 1;
  for (int k = 0; k < 4 - is_far; k++) {
    strew_group_reduce_options *options = &all[k].options;
    int64_t expected[GROUPS];
    strew_tensor *out = NULL;
    char what[40];
    options->skip_nan = draw_below(2);
    sprintf(what, "statistic %d, skip_nan %d", k, options->skip_nan);
    for (int64_t g = 0; g < GROUPS; g++) expected[g] = statistic_of(x, ids, g, options->skip_nan, &all[k]);
    all[k].src = x->tensor;
    if (groups.grouping && k != 1) { /* of tables the median lies between two */
      ok(strew_grouping_aggregate_with(groups.grouping, 1, &all[k], &out, &failure));
      assert_times(out, GROUPS, expected, what), out = NULL;
    }
    options->mode = mode;
    if (!groups.grouping && !groups.ends) options->dim_size = &count;
    ok(strew_group_reduce(groups, all[k].reduction, x->tensor, options, &out, NULL, &failure));
    assert_times(out, GROUPS, expected, what), out = NULL;
    if (k) continue;
    if (groups.ends) {
      strew_tensor *starts, *ends;
      ok(strew_narrow(groups.ends, 0, 0, GROUPS, &starts, &failure));
      ok(strew_narrow(groups.ends, 0, 1, GROUPS, &ends, &failure));
      const strew_range_options of_ranges = {.mean = true, .skip_nan = options->skip_nan};
      ok(strew_sum_ranges(x->tensor, starts, ends, &of_ranges, &out, &failure));
      assert_times(out, GROUPS, expected, "means of ranges"), out = NULL;
      strew_release(starts), strew_release(ends);
    }
    const strew_reduce_options of_all = {.exact = true, .skip_nan = options->skip_nan};
    expected[0] = statistic_of(x, ids, NONE - 1, options->skip_nan, &all[k]);
    ok(strew_reduce_with(STREW_FOLD_MEAN, x->tensor, &of_all, &out, &failure));
    assert_times(out, 1, expected, "the mean of all");
  }
}

/* Reductions by an index, a grouping, a sorted index and ends. */
static void try_groups(const struct ordered *x) {
  static const strew_group_reduction reductions[] = {STREW_GROUP_MIN,  STREW_GROUP_MAX,   STREW_GROUP_FIRST,
                                                     STREW_GROUP_LAST, STREW_GROUP_COUNT, STREW_GROUP_NUNIQUE};
  int64_t ids[MOST], sorted[MOST], ends[GROUPS + 1] = {0};
  for (int64_t i = 0; i < x->count; i++) ids[i] = draw_below(GROUPS + 1) - 1, sorted[i] = i * GROUPS / x->count;
  for (int g = 0; g < GROUPS; g++)
    for (int64_t i = ends[g + 1] = ends[g]; i < x->count && sorted[i] == g; i++) ends[g + 1]++;
  strew_tensor *index = tensor_from_integers(STREW_INT64, x->count, ids);
  strew_tensor *in_order = tensor_from_integers(STREW_INT64, x->count, sorted);
  strew_tensor *indptr = tensor_from_integers(STREW_INT64, GROUPS + 1, ends);
  strew_grouping *grouping = NULL;
  const strew_grouping_options options = {.dim_size = &(int64_t){GROUPS}, .mode = STREW_DROP};
  ok(strew_grouping_create_with(index, &options, &grouping, &failure));
  for (size_t k = 0; k < sizeof reductions / sizeof *reductions; k++) {
    try_group_reduction(x, strew_by_index(index), ids, GROUPS, reductions[k], STREW_DROP);
    try_group_reduction(x, strew_by_grouping(grouping), ids, GROUPS, reductions[k], STREW_ERROR);
    try_group_reduction(x, strew_by_sorted(in_order), sorted, GROUPS, reductions[k], STREW_ERROR);
    try_group_reduction(x, strew_by_ends(indptr), sorted, GROUPS, reductions[k], STREW_ERROR);
  }
  if (x->is_time) {
    try_statistics(x, strew_by_index(index), ids, STREW_DROP);
    try_statistics(x, strew_by_grouping(grouping), ids, STREW_ERROR);
    try_statistics(x, strew_by_sorted(in_order), sorted, STREW_ERROR);
    try_statistics(x, strew_by_ends(indptr), sorted, STREW_ERROR);
  }
  strew_release(index), strew_release(in_order), strew_release(indptr), strew_grouping_release(grouping);
}

/* Extremes by position, in place and not, of lists that differ. */
static void try_scatter(const struct ordered *x, const struct ordered *src) {
  int64_t ids[MOST], ranks[MOST];
  for (int is_max = 0; is_max < 2 && x->count; is_max++) {
    strew_tensor *out = NULL, *copy = NULL;
    for (int64_t i = 0; i < x->count; i++) ids[i] = draw_below(x->count), ranks[i] = x->ranks[i];
    for (int64_t i = 0; i < x->count; i++) ranks[ids[i]] = extreme_of(is_max, ranks[ids[i]], src->ranks[i]);
    strew_tensor *index = tensor_from_integers(STREW_INT64, x->count, ids);
    const strew_scatter_options options = {.reduction = is_max ? STREW_AMAX : STREW_AMIN};
    ok(strew_scatter(x->tensor, 0, index, strew_of(src->tensor), &options, &out, &failure));
    assert_ordered(out, x->is_time, x->count, ranks, "an extreme by position");
    ok(strew_clone(x->tensor, &copy, &failure));
    ok(strew_scatter(copy, 0, index, strew_of(src->tensor), &options, &copy, &failure));
    assert_ordered(copy, x->is_time, x->count, ranks, "an extreme by position, in place");
    strew_release(index), strew_release(out), strew_release(copy);
  }
}

/* Groups by keys of text, times and numbers, against a table of the keys. */
static void try_keys(const struct ordered *a, const struct ordered *b) {
  for (int first = 0; first < 2; first++) {
    int64_t digits[MOST], distinct[MOST][2], ids[MOST], count = 0, places[MOST];
    for (int64_t i = 0; i < a->count; i++) digits[i] = i % CODES;
    strew_tensor *third = tensor_from_integers(STREW_INT8, a->count, digits), *found = NULL, *key = NULL;
    strew_tensor *const keys[] = {a->tensor, b->tensor, third};
    const strew_group_by_options options = {.order = first ? STREW_KEYS_FIRST : STREW_KEYS_SORTED};
    strew_grouping *grouping = NULL;
    for (int64_t i = 0, k; i < a->count; i++) {                           /* each once, by insertion */
      const int64_t x = a->ranks[i], y = b->ranks[i] * CODES + digits[i]; /* NaT, -1, is last in an order */
      const int64_t high = x == NONE ? MOST : x, low = b->ranks[i] == NONE ? MOST * CODES + digits[i] : y;
      for (k = 0; k < count && (distinct[k][0] != high || distinct[k][1] != low);) k++;
      if (k < count) continue;
      for (k = count++;
           !first && k > 0 && (distinct[k - 1][0] > high || (distinct[k - 1][0] == high && distinct[k - 1][1] > low));
           k--)
        distinct[k][0] = distinct[k - 1][0], distinct[k][1] = distinct[k - 1][1], places[k] = places[k - 1];
      distinct[k][0] = high, distinct[k][1] = low, places[k] = i;
    }
    for (int64_t i = 0; i < a->count; i++)
      for (ids[i] = 0; a->ranks[places[ids[i]]] != a->ranks[i] || b->ranks[places[ids[i]]] != b->ranks[i] ||
                       digits[places[ids[i]]] != digits[i];)
        ids[i]++;
    ok(strew_group_by_with(3, keys, &options, &grouping, &failure));
    ok(strew_grouping_ids(grouping, &found, &failure));
    assert_elements(found, STREW_INT64, ids, "ids by keys, first %d", first);
    int64_t ranks[MOST];
    for (int64_t k = 0; k < count; k++) ranks[k] = b->ranks[places[k]];
    ok(strew_grouping_key(grouping, 1, &key, &failure));
    assert_ordered(key, b->is_time, count, ranks, "a key");
    strew_release(third), strew_release(found), strew_release(key), strew_grouping_release(grouping);
  }
}

START_TEST(groups) {
  for (int i = 0; i < some(200); i++) {
    const int64_t count = draw_below(MOST / 2);
    use_turn(i % TURNS, i);
    struct ordered a = draw_ordered(i % 2, count, (enum layout)draw_below(EXPANDED));
    struct ordered b = draw_ordered(draw_below(2), count, (enum layout)draw_below(EXPANDED));
    struct ordered c = draw_ordered(i % 2, count, (enum layout)draw_below(EXPANDED));
    try_groups(&a);
    try_scatter(&a, &c);
    try_keys(&a, &b);
    strew_release(a.tensor), strew_release(b.tensor), strew_release(c.tensor);
  }
}
END_TEST

/* ----------------------------------------------------------------------------------------------------------- order */

START_TEST(order) {
  for (int i = 0; i < some(200); i++) {
    const int64_t count = draw_below(MOST / 2);
    use_turn(i % TURNS, i);
    struct ordered a = draw_ordered(i % 2, count, (enum layout)draw_below(EXPANDED));
    struct ordered b = draw_ordered(i % 2, count, (enum layout)draw_below(EXPANDED));
    try_comparisons(&a, &b);
    try_folds(&a);
    try_sort(&b);
    try_searches(&a, &b);
    try_clamp(&a);
    strew_release(a.tensor), strew_release(b.tensor);
  }
}
END_TEST

/* -------------------------------------------------------------------------------------------------- orders of words */

/* Words in an order of their own: sorts, comparisons with another text, extremes, and what does not fit. */
START_TEST(given_orders) {
  for (int i = 0; i < some(200); i++) {
    const char *list[WORDS], *words[MOST];
    int64_t places[MOST], others[MOST], sorted[MOST];
    bool truths[MOST];
    const int64_t count = 1 + draw_below(MOST - 1), most = 2 + draw_below(WORDS - 2);
    use_turn(i % TURNS, i);
    for (int k = 0; k + 1 < WORDS; k++) list[k] = all_words[k + 1]; /* without the empty word, which comes last */
    for (int64_t k = WORDS - 2; k > 0; k--) {
      const int64_t other = draw_below(k + 1);
      const char *word = list[k];
      list[k] = list[other], list[other] = word;
    }
    for (int64_t k = 0; k < count; k++) {
      places[k] = draw_below(most), others[k] = draw_below(most), words[k] = list[others[k]];
      int64_t at = k;
      for (; at && sorted[at - 1] > places[k]; at--) sorted[at] = sorted[at - 1];
      sorted[at] = places[k], truths[k] = places[k] < others[k];
    }
    strew_tensor *codes = tensor_of(STREW_INT64, 1, &count, (enum layout)draw_below(EXPANDED), places);
    strew_tensor *text = NULL, *plain = text_of(count, words), *values = NULL, *less = NULL, *out = NULL;
    ok(strew_text(codes, most, list, NULL, true, &text, &failure));
    ck_assert(strew_text_is_ordered(text) && !strew_text_is_ordered(plain));
    ok(strew_sort_with(text, 0, NULL, &values, NULL, &failure));
    for (int64_t k = 0; k < count; k++) {
      int32_t code;
      strew_tensor *one = NULL, *held = NULL;
      ok(strew_select(values, 0, k, &one, &failure));
      ok(strew_text_codes(one, &held, &failure));
      ok(strew_read(held, &code, sizeof code, &failure));
      ck_assert_str_eq(strew_word(one, code, NULL), list[sorted[k]]);
      strew_release(one), strew_release(held);
    }
    ok(strew_binary(STREW_LT, strew_of(text), strew_of(plain), &less, &failure));
    assert_elements(less, STREW_BOOL, truths, "less in the order of %d words", (int)most);
    strew_release(less), less = NULL;
    strew_tensor *reversed = NULL, *foreign = text_of(1, (const char *[]){"foreign"});
    const char *swapped[] = {list[1], list[0]};
    strew_tensor *zero = tensor_from_integers(STREW_INT64, 1, (int64_t[]){0});
    ok(strew_text(zero, 2, swapped, NULL, true, &reversed, &failure));
    assert_fails(strew_binary(STREW_LT, strew_of(text), strew_of(reversed), &out, &failure), STREW_EVALUE, NULL);
    assert_fails(strew_binary(STREW_LT, strew_of(text), strew_of(foreign), &out, &failure), STREW_EVALUE, NULL);
    assert_fails(strew_text(codes, 0, list, NULL, true, &out, &failure), STREW_EINDEX, NULL);
    strew_release(codes), strew_release(text), strew_release(plain), strew_release(values);
    strew_release(reversed), strew_release(foreign), strew_release(zero);
  }
}
END_TEST

Suite *make_suite(void) {
  Suite *suite = suite_create("text");
  TCase *all = new_case(suite, "texts");
  test_allocator = counting_allocator;
  tcase_add_test(all, random_calls);
  tcase_add_test(all, orders);
  tcase_add_test(all, words_are_added);
  tcase_add_test(all, strings);
  tcase_add_test(all, other_contexts);
  tcase_add_test(all, errors);
  tcase_add_test(all, numbers);
  tcase_add_test(all, order);
  tcase_add_test(all, groups);
  tcase_add_test(all, given_orders);
  return suite;
}
