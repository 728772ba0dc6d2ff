/* order.c: the order of text and times, as keys of integers (enum order_key): the words of a list in the order of their
   bytes, made once for each list; times, in which NaT is first or last. text_ops, in text_numbers.c, has them for the calls of
   other rooms, which give their loops keys of text and times. */
#include "runtime/core/base/device.h"
#include "runtime/core/base/elementwise_ops.h"
#include "words.h"

#include <stdlib.h>
#include <string.h>

/* ---------------------------------------------------------------------------------------------------------- words */

/* A word in an order: its first bytes as a number, which decide most comparisons. */
struct ordered {
  uint64_t head;
  const char *word;
  int32_t code;
};

static int compare(const void *a, const void *b) {
  const struct ordered *x = a, *y = b;
  if (x->head != y->head) return x->head < y->head ? -1 : 1;
  return strcmp(x->word, y->word);
}

static uint64_t head_of(const char *word, size_t length) {
  uint64_t head = 0;
  for (size_t i = 0; i < sizeof head; i++) head = head << 8 | (i < length ? (unsigned char)word[i] : 0);
  return head;
}

static bool is_sorted(const struct word_list *list) {
  int64_t i = 1;
  while (i < list->count && strcmp(words_at(words_of(list), i - 1), words_at(words_of(list), i)) < 0) i++;
  return i >= list->count;
}

static strew_status make_sorted(const struct call *call, struct word_list *list, struct ordered *order) {
  const struct words *words = words_of(list);
  struct shared_words *shared;
  int64_t rank;
  for (int64_t i = 0; i < list->count; i++)
    order[i] = (struct ordered){head_of(words_at(words, i), words_length(words, i)), words_at(words, i), (int32_t)i};
  qsort(order, (size_t)list->count, sizeof *order, compare);
  RETURN_IF_FAILED(shared_words_create(call, list->context, &shared));
  strew_status status = STREW_OK;
  for (int64_t i = 0; i < list->count && status == STREW_OK; i++) {
    const size_t length = words_length(words, order[i].code);
    status = i % WORDS_PER_LOOK ? STREW_OK : context_check(call, list->context);
    TRY(status, words_number(call, list->context, &shared->words, order[i].word, length, &rank));
    list->ranks[order[i].code] = (int32_t)i;
  }
  TRY(status, word_list_create(call, list->context, shared, shared->words.count, &list->sorted));
  shared_words_release(shared, list->context);
  if (status == STREW_OK) list->sorted->sorted = list->sorted;
  return status;
}

/* Makes list->sorted, and list->ranks unless it is sorted. */
static strew_status sort_list(const struct call *call, struct word_list *list) {
  const size_t ranks_bytes = (size_t)list->count * sizeof *list->ranks;
  if (!list->sorted && is_sorted(list)) list->sorted = list;
  if (list->sorted) return STREW_OK;
  const uint64_t order_bytes = (uint64_t)list->count * sizeof(struct ordered);
  ALLOCATE_NEW(struct ordered *, order, call, list->context, order_bytes);
  list->ranks = memory_allocate(list->context, ranks_bytes);
  strew_status status = list->ranks ? make_sorted(call, list, order) : fail_memory(call, list->context, ranks_bytes);
  memory_free(list->context, order, (size_t)order_bytes);
  if (status != STREW_OK) memory_free(list->context, list->ranks, ranks_bytes), list->ranks = NULL;
  return status;
}

/* Replaces texts with codes of the list by texts of the sorted one. */
static strew_status order_texts(const struct call *call, struct word_list *list, int64_t count, strew_tensor **texts) {
  RETURN_IF_FAILED(sort_list(call, list));
  for (int64_t i = 0; i < count; i++) {
    strew_tensor *ordered = NULL;
    if (list_of(texts[i]) == list->sorted) continue;
    if (list->ranks)
      RETURN_IF_FAILED(text_look_up(call, texts[i], STREW_INT32, list->count, list->ranks, &ordered));
    else
      RETURN_IF_FAILED(copy_as(call, texts[i], STREW_TEXT, &ordered));
    text_mark(ordered, list->sorted);
    strew_release(texts[i]);
    texts[i] = ordered;
  }
  return STREW_OK;
}

strew_status strew_text_align(int64_t count, strew_tensor *const *texts, bool ordered, strew_tensor **out,
                              strew_error *error) {
  CALL(call, "text_align", error, {"texts", count > 0 ? texts[0] : NULL, MOVED});
  if (count < 1) return fail(&call, FAULT(STREW_EARGUMENT, "texts"), "is empty, expected at least one tensor");
  for (int64_t i = 0; i < count; i++) {
    RETURN_IF_FAILED(check_listed(&call, "texts", i, texts[i], MOVED));
    RETURN_IF_FAILED(text_check(&call, "texts", texts[i]));
    if (tensor_context(texts[i]) != tensor_context(texts[0])) return fail_context(&call, "texts", "has a tensor of");
  }
  struct word_list *list;
  RETURN_IF_FAILED(text_align_in(&call, text_first_list(count, texts, ordered), count, texts, out, &list));
  const strew_status status = ordered ? order_texts(&call, list, count, out) : STREW_OK;
  for (int64_t i = 0; i < count && status != STREW_OK; i++) strew_release(out[i]), out[i] = NULL;
  word_list_release(list);
  return status;
}

/* ----------------------------------------------------------------------------------------------------------- keys */

/* The elements as the integers that they are stored as: a view. */
static strew_status view_stored(const struct call *call, const strew_tensor *x, strew_tensor **out) {
  RETURN_IF_FAILED(tensor_view(call, x, x->rank, x->sizes, x->strides, x->offset, out));
  (*out)->dtype = dtype_stored(x->dtype);
  return STREW_OK;
}

/* Writes the stored integers and a number, which wrap, to `to`. */
static strew_status shift(const struct call *call, const strew_tensor *from, int64_t by, const strew_tensor *to) {
  struct elementwise_plan plan; /* not zeroed first: plans are large */
  plan.count = 1;
  const strew_dtype dtype = dtype_stored(to->dtype);
  union element number;
  dtype_saturate(strew_int(by), dtype, number.bytes);
  plan.instructions[0] = (struct instruction){.kind = ELEMENTWISE_BINARY,
                                              .op = STREW_ADD,
                                              .common = dtype,
                                              .compute = dtype,
                                              .result = dtype,
                                              .inputs = 2,
                                              .in = {{.from = 1, .dtype = dtype}, {FROM_NUMBER, dtype, number}}};
  if (!strew_tensor_numel(to)) return STREW_OK;
  PLAN(&plan.plan, to->rank, to->sizes, to, from);
  plan_simplify_any_order(&plan.plan);
  return RUN_ON(to, elementwise->elementwise, call, &plan);
}

/* What KEY_MISSING is less than an element by; of text the code of the empty word in *list, which the caller releases. */
static strew_status missing_of(const struct call *call, strew_dtype dtype, struct word_list **list, int64_t *number) {
  *list = NULL;
  *number = INT64_MIN;
  return dtype == STREW_TEXT ? text_with_empty(call, call->words, list, number) : STREW_OK;
}

strew_status order_key(const struct call *call, const strew_tensor *x, enum order_key kind, strew_tensor **out) {
  struct word_list *list = call->words, *with_empty = NULL;
  int64_t by = 1;
  if (kind == KEY_MISSING) {
    RETURN_IF_FAILED(missing_of(call, x->dtype, &with_empty, &by));
    word_list_release(with_empty);
  }
  if (x->dtype == STREW_TEXT && kind != KEY_EQUAL && kind != KEY_MISSING) {
    RETURN_IF_FAILED(sort_list(call, list));
    if (list->ranks) return text_look_up(call, x, STREW_INT32, list->count, list->ranks, out);
  }
  if (kind != KEY_MISSING && (x->dtype == STREW_TEXT || kind != KEY_SORTED)) return view_stored(call, x, out);
  RETURN_IF_FAILED(tensor_create(call, x->storage->device, dtype_stored(x->dtype), x->rank, x->sizes, out));
  return release_if_failed(shift(call, x, (int64_t) - (uint64_t)by, *out), out);
}

strew_status order_from_key(const struct call *call, strew_tensor *keys, strew_dtype dtype, enum order_key kind) {
  struct word_list *list = NULL;
  int64_t by = kind == KEY_SORTED;
  if (dtype == STREW_TEXT && kind != KEY_MISSING) return text_mark(keys, call->words->sorted), STREW_OK;
  if (kind == KEY_MISSING) RETURN_IF_FAILED(missing_of(call, dtype, &list, &by));
  const strew_status status = by ? shift(call, keys, by, keys) : STREW_OK;
  if (status == STREW_OK && list)
    text_mark(keys, list);
  else if (status == STREW_OK)
    keys->dtype = STREW_TIME;
  word_list_release(list);
  return status;
}

/* ------------------------------------------------------------------------------------------------------- operands */

static strew_status fail_word(const struct call *call, const char *name, const strew_operand *x, const char *is) {
  const char *hint = "strew_string makes a word of a string";
  if (x->tensor) hint = "strew_to(x, text) writes numbers as words";
  if (x->tensor && x->tensor->dtype == STREW_TIME) { /* its text differs from other texts of the same time */
    for (int i = 0; i < MAX_OPERANDS && call->operands[i].name; i++)
      if (call->operands[i].tensor && call->operands[i].tensor->dtype == STREW_TEXT)
        hint = hint_of(call, "strew_to(%s, time) reads text as times", call->operands[i].name);
  }
  return fail(call, HINTED(STREW_EDTYPE, name, hint), "is %s, expected text or a string", is);
}

strew_status order_comparable(const struct call *call, const char *name, strew_dtype dtype, strew_operand *x) {
  char text[TEXT_BYTES];
  const bool is_string = !x->tensor && x->number.dtype == STREW_STRING;
  const strew_dtype is = x->tensor ? x->tensor->dtype : x->number.dtype;
  if (is == dtype || (is_string && dtype == STREW_TEXT)) return STREW_OK;
  if (is_string) return time_from(call, name, x->number.as.s, NULL, &x->number);
  const char *what = x->tensor || is == STREW_TEXT ? strew_dtype_name(is) : text_of_scalar(x->number, text);
  if (dtype == STREW_TEXT) return fail_word(call, name, x, what);
  return fail(call, FAULT(STREW_EDTYPE, name), "is %s, expected a time, or its text as \"2024-05-17\"", what);
}

strew_status order_find_word(const struct call *call, const char *word, bool ordered, int64_t *code, int64_t *below) {
  struct word_list *list = call->words;
  const int64_t found = words_find(words_of(list), word, strlen(word));
  *code = found < list->count ? found : -1;
  if (!ordered) return STREW_OK;
  if (list->shared->is_ordered && found < 0 && *word)
    return fail(call, FAULT(STREW_EVALUE, NULL), "the word \"%.40s\" is not one of the ordered words", word);
  if (list->shared->is_ordered) return *below = *code < 0 ? list->count : *code, STREW_OK; /* missing ones come last */
  RETURN_IF_FAILED(sort_list(call, list));
  int64_t low = 0, high = list->count;
  BISECT(low, high, i, strcmp(words_at(words_of(list->sorted), i), word) < 0);
  return *below = low, STREW_OK;
}
