/* text.c: texts: int32 codes, and the words that they stand for, in a list that their storage owns (words.h).

   Calls move codes as numbers, and what they make gets the call's words (tensor_create, copy_as). Where texts with
   different lists meet in a call, those other than the one that is written get codes of its list for the time of the
   call. The list grows by their words: the new one begins with the old one, so that codes stay valid. Words are added
   to those that lists share if the list is the longest of them, else to a copy: text that grows word by word, or is read
   in chunks, copies nothing. */
#include "runtime/core/base/device.h"
#include "runtime/core/base/index_checks.h"
#include "runtime/core/base/pool.h"
#include "runtime/core/base/utf8.h"
#include "words.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* The words that `shared` has now. */
static strew_status text_list(const struct call *call, strew_context *context, struct shared_words *shared,
                              struct word_list **out) {
  return word_list_create(call, context, shared, shared->words.count, out);
}

/* ------------------------------------------------------------------------------------------------------- recoding */

strew_status text_look_up(const struct call *call, const strew_tensor *codes, strew_dtype dtype, int64_t count,
                          const void *table, strew_tensor **out) {
  strew_device *device = codes->storage->device;
  const struct shape1 shape = shape_at_least_1d(codes);
  struct gather_plan plan = {.size = count, .step = 1, .mode = STREW_CLIP};
  strew_tensor *lookup = NULL;
  bool bad;
  RETURN_IF_FAILED(tensor_create(call, device, dtype, codes->rank, codes->sizes, out));
  if (!strew_tensor_numel(codes)) return STREW_OK;
  strew_status status = tensor_create(call, device, dtype, 1, &count, &lookup);
  TRY(status, device->ops->write(call, lookup->storage, 0, table, (size_t)count * dtype_bytes(dtype)));
  if (status == STREW_OK) {
    strew_tensor first = *lookup; /* a view on the stack, whose element the plan steps from */
    first.rank = 0;
    PLAN(&plan.plan, shape.rank, shape.sizes, *out, codes, &first);
    plan_simplify(&plan.plan);
    status = RUN_ON(*out, gather, call, &plan, &bad);
  }
  strew_release(lookup);
  return release_if_failed(status, out);
}

/* A new dense int32 tensor: table[code] of each code, int32 or int64. */
static strew_status recode(const struct call *call, const strew_tensor *codes, int64_t count, const int32_t *table,
                           strew_tensor **out) {
  return text_look_up(call, codes, STREW_INT32, count, table, out);
}

/* A new int32 tensor of these elements. */
static strew_status write_codes(const struct call *call, strew_device *device, int rank, const int64_t *sizes,
                                const int32_t *codes, strew_tensor **out) {
  RETURN_IF_FAILED(tensor_create(call, device, STREW_INT32, rank, sizes, out));
  const size_t size_bytes = (*out)->storage->size_bytes;
  if (!size_bytes) return STREW_OK;
  return release_if_failed(device->ops->write(call, (*out)->storage, 0, codes, size_bytes), out);
}

/* A list that takes words of others. */
struct growth {
  const struct call *call;
  strew_context *context;
  struct word_list *from;
  struct shared_words *shared; /* retained */
  int64_t count;
};

static struct growth growth_of(const struct call *call, struct word_list *list) {
  list->shared->references++;
  return (struct growth){call, list->context, list, list->shared, list->count};
}

static bool is_ordered(const struct word_list *list) { return list->shared->is_ordered; }

/* Adds a word, unless an earlier call has added it. */
static strew_status growth_add(struct growth *growth, const struct found_word *word, int64_t *code) {
  struct shared_words *own;
  if (is_ordered(growth->from) && word->length && words_find(words_of(growth->from), word->text, word->length) < 0)
    return fail(growth->call, FAULT(STREW_EVALUE, NULL), "the word \"%.40s\" is not one of the ordered words",
                word->text);
  if (growth->count < growth->shared->words.count) { /* others have added words */
    RETURN_IF_FAILED(shared_words_copy(growth->call, growth->context, growth->shared, growth->count, &own));
    shared_words_release(growth->shared, growth->context);
    growth->shared = own;
  }
  while (!words_number_found(&growth->shared->words, word, code))
    RETURN_IF_FAILED(words_grow(growth->call, growth->context, &growth->shared->words, word->length));
  if (growth->count <= *code) growth->count = *code + 1;
  return STREW_OK;
}

/* Ends the growth: a list of its words, which the caller releases; if there are no new ones the same list. */
static strew_status growth_list(struct growth *growth, strew_status status, struct word_list **out) {
  if (status == STREW_OK && growth->count == growth->from->count)
    *out = word_list_retain(growth->from);
  else
    TRY(status, word_list_create(growth->call, growth->context, growth->shared, growth->count, out));
  shared_words_release(growth->shared, growth->context);
  return status;
}

strew_status text_with_empty(const struct call *call, struct word_list *list, struct word_list **out, int64_t *code) {
  struct growth growth = growth_of(call, list);
  strew_status status = words_grow(call, growth.context, &growth.shared->words, 0);
  const struct found_word word = found_word_of(&growth.shared->words, "", 0);
  *code = words_find(words_of(list), "", 0);
  if (*code == list->count)
    growth.count++; /* an earlier call has added it */
  else if (*code < 0 || *code > list->count)
    TRY(status, growth_add(&growth, &word, code));
  return growth_list(&growth, status, out);
}

/* Codes of a list that are looked up in another one, in parts. */
struct lookup {
  strew_context *context;
  const struct words *from, *in;
  int64_t count, parts;
  int32_t *codes;
};

/* Replaces codes from `done` on by those of a batch; unknown ones by -1 - code. */
static int64_t take_batch(const struct lookup *lookup, int64_t done, struct word_batch *batch) {
  for (size_t i = 0; i < batch->count; i++, done++)
    lookup->codes[done] = (int32_t)(batch->numbers[i] < 0 ? -1 - lookup->codes[done] : batch->numbers[i]);
  batch->count = 0;
  return done;
}

static void look_up_part(void *user, int64_t part) {
  const struct lookup *lookup = user;
  const int64_t begin = part_begin(lookup->count, lookup->parts, part),
                end = part_begin(lookup->count, lookup->parts, part + 1);
  struct word_search search = {.filled = 0};
  int64_t done = begin;
  for (int64_t i = begin; i < end; i++) {
    if ((i - begin) % WORDS_PER_LOOK == 0 && context_stops(lookup->context)) return;
    const int64_t code = lookup->codes[i];
    if (search_add(&search, lookup->in, words_at(lookup->from, code), words_length(lookup->from, code)))
      done = take_batch(lookup, done, search_step(&search, lookup->in));
  }
  for (int step = 0; step < WORD_BATCHES; step++) done = take_batch(lookup, done, search_step(&search, lookup->in));
}

/* Adds the next unknown words, at most WORDS_AT_ONCE, so that their cache misses overlap, and stores their codes. *at:
   where the codes are not done yet. */
static strew_status add_words(struct growth *growth, const struct words *words, int64_t count, int32_t *codes,
                              int64_t *at) {
  struct found_word found[WORDS_AT_ONCE];
  int32_t *unknown[WORDS_AT_ONCE];
  int length = 0;
  for (; *at < count && length < WORDS_AT_ONCE; ++*at) {
    const int64_t code = -1 - codes[*at];
    if (code < 0) continue;
    found[length] = found_word_of(&growth->shared->words, words_at(words, code), words_length(words, code));
    words_prefetch_slot(&growth->shared->words, found[length].hash);
    unknown[length++] = &codes[*at];
  }
  for (int i = 0; i < length; i++) {
    int64_t code;
    RETURN_IF_FAILED(growth_add(growth, &found[i], &code));
    *unknown[i] = (int32_t)code;
  }
  return STREW_OK;
}

/* Replaces codes of the list by those of a growing one: several threads look up the words that it has, then the others
   are added. */
static strew_status take_codes(struct growth *growth, const struct word_list *list, int64_t count, int32_t *codes) {
  const struct words *words = words_of(list);
  struct words *in = &growth->shared->words;
  const int64_t size_bytes = work_bytes(count, sizeof(struct found_word));
  if (!in->capacity) RETURN_IF_FAILED(words_grow(growth->call, growth->context, in, 0));
  struct lookup lookup = {growth->context, words, in, count, pool_parts(growth->context, size_bytes), codes};
  pool_run(growth->context, lookup.parts, look_up_part, &lookup);
  strew_status status = context_check(growth->call, growth->context);
  for (int64_t i = 0; i < count; i++)
    if (growth->count <= codes[i]) growth->count = codes[i] + 1;
  for (int64_t at = 0; at < count && status == STREW_OK;) {
    status = add_words(growth, words, count, codes, &at);
    TRY(status, context_check(growth->call, growth->context));
  }
  return status;
}

/* Fails if two orders of words, one of which gave the codes in the other, differ. */
static strew_status check_orders(const struct growth *growth, const struct word_list *list, int64_t count,
                                 const int32_t *codes) {
  if (!is_ordered(growth->from) || !is_ordered(list)) return STREW_OK;
  int64_t i = 1;
  while (i < count && (codes[i - 1] < codes[i] || !*words_at(words_of(list), i))) i++;
  if (i >= count) return STREW_OK;
  return fail(growth->call, FAULT(STREW_EVALUE, NULL), "the words \"%.40s\" and \"%.40s\" have two orders",
              words_at(words_of(list), i - 1), words_at(words_of(list), i));
}

/* A new dense tensor: the text's codes in a growing list. Of a text with fewer elements than words only those that it
   has are added. */
static strew_status take_text(struct growth *growth, const strew_tensor *text, strew_tensor **out) {
  const struct word_list *list = list_of(text);
  strew_device *device = text->storage->device;
  const int64_t numel = strew_tensor_numel(text);
  const bool is_short = numel < list->count && !is_ordered(list);
  const int64_t count = is_short ? numel : list->count;
  const size_t size_bytes = (size_t)count * sizeof(int32_t);
  strew_status status = STREW_OK;
  ALLOCATE_NEW(int32_t *, codes, growth->call, growth->context, size_bytes + 1);
  for (int64_t i = 0; i < count && !is_short; i++) codes[i] = (int32_t)i;
  if (is_short) status = strew_read(text, codes, size_bytes, growth->call->error);
  TRY(status, take_codes(growth, list, count, codes));
  if (!is_short) TRY(status, check_orders(growth, list, count, codes));
  if (!is_short) TRY(status, recode(growth->call, text, count, codes, out));
  if (is_short) TRY(status, write_codes(growth->call, device, text->rank, text->sizes, codes, out));
  memory_free(growth->context, codes, size_bytes + 1);
  return status;
}

/* ------------------------------------------------------------------------------------------------- texts of a call */

/* Texts that have other codes during a call: their members as they were, and the tensors with those codes. */
struct recodings {
  struct recoded base;
  strew_context *context;
  int count;
  struct recoding {
    strew_tensor *text, *made, was;
  } at[MAX_OPERANDS];
};

static void restore(struct call *call) {
  struct recodings *all = (struct recodings *)(void *)call->recoded;
  for (int i = 0; i < all->count; i++) {
    const struct recoding *one = &all->at[i];
    one->text->storage = one->was.storage, one->text->offset = one->was.offset;
    memcpy(one->text->strides, one->was.strides, sizeof one->was.strides);
    strew_release(one->made);
  }
  word_list_release(call->words);
  word_list_release(all->base.from);
  memory_free(all->context, all, sizeof *all);
  call->recoded = NULL;
}

static bool is_recoded(const struct recodings *all, const strew_tensor *text) {
  int i = 0;
  while (i < all->count && all->at[i].text != text) i++;
  return i < all->count;
}

/* Gives operands with other lists than `list` codes of one that begins with its words. */
static strew_status recode_operands(struct call *call, struct word_list *list) {
  struct growth growth = growth_of(call, list);
  struct recodings *all = memory_allocate(list->context, sizeof *all);
  strew_status status = all ? STREW_OK : fail_memory(call, list->context, sizeof *all);
  if (all) all->base.restore = restore, all->context = list->context, all->count = 0;
  for (int i = 0; i < MAX_OPERANDS && status == STREW_OK; i++) {
    strew_tensor *text = (strew_tensor *)(uintptr_t)call->operands[i].tensor;
    if (!text || call->operands[i].use & (RESULT | OWN_LIST)) continue;
    if (text->dtype != STREW_TEXT || word_list_begins(list, list_of(text)) || is_recoded(all, text)) continue;
    struct recoding *one = &all->at[all->count];
    one->text = text;
    one->made = NULL;
    status = take_text(&growth, text, &one->made);
    all->count += status == STREW_OK;
  }
  status = growth_list(&growth, status, &call->words);
  for (int i = 0; all && i < all->count; i++) {
    struct recoding *one = &all->at[i];
    if (status != STREW_OK) {
      strew_release(one->made);
      continue;
    }
    text_mark(one->made, call->words);
    one->was = *one->text;
    one->text->storage = one->made->storage, one->text->offset = 0;
    memcpy(one->text->strides, one->made->strides, sizeof one->was.strides);
  }
  if (status == STREW_OK)
    call->recoded = &all->base, all->base.from = word_list_retain(list);
  else
    memory_free(list->context, all, sizeof *all);
  return status;
}

/* The first ordered list of operands that the call orders; NULL: there is none. */
static struct word_list *ordered_list(const struct call *call) {
  for (int i = 0; i < MAX_OPERANDS && call->operands[i].name; i++) {
    const strew_tensor *text = call->operands[i].use & ORDERED ? call->operands[i].tensor : NULL;
    if (text && text->dtype == STREW_TEXT && is_ordered(list_of(text))) return list_of(text);
  }
  return NULL;
}

/* The list is that of what the call writes, `out` or the first text. */
strew_status text_meet(struct call *call) {
  struct word_list *list = NULL, *ordered = ordered_list(call);
  bool differ = false;
  for (int i = 0; i < MAX_OPERANDS && call->operands[i].name; i++) {
    const strew_tensor *text = call->operands[i].use & (RESULT | OWN_LIST) ? NULL : call->operands[i].tensor;
    if (text && text->dtype == STREW_TEXT && (!list || !strcmp(call->operands[i].name, "out"))) list = list_of(text);
  }
  if (ordered) list = ordered;
  for (int i = 0; i < MAX_OPERANDS; i++) {
    const strew_tensor *text = call->operands[i].use & (RESULT | OWN_LIST) ? NULL : call->operands[i].tensor;
    if (!text || text->dtype != STREW_TEXT || word_list_begins(list, list_of(text))) continue;
    differ |= !word_list_begins(list_of(text), list);
    if (word_list_begins(list_of(text), list)) list = list_of(text);
  }
  call->words = list;
  return differ ? recode_operands(call, list) : STREW_OK;
}

/* ---------------------------------------------------------------------------------------------- texts of one list */

strew_status text_check(const struct call *call, const char *name, const strew_tensor *text) {
  if (text->dtype == STREW_TEXT) return STREW_OK;
  return fail(call, HINTED(STREW_EDTYPE, name, "strew_text makes text of codes and words"), "is %s, expected text",
              strew_dtype_name(text->dtype));
}

struct word_list *text_first_list(int64_t count, strew_tensor *const *texts, bool ordered) {
  for (int64_t i = 0; i < count; i++)
    if (is_ordered(list_of(texts[i])) == ordered) return list_of(texts[i]);
  return list_of(texts[0]);
}

strew_status text_align_in(const struct call *call, struct word_list *first, int64_t count, strew_tensor *const *texts,
                           strew_tensor **out, struct word_list **list) {
  for (int64_t i = 0; i < count; i++)
    if (word_list_begins(list_of(texts[i]), first)) first = list_of(texts[i]);
  struct growth growth = growth_of(call, first);
  strew_status status = STREW_OK;
  int64_t made = 0;
  for (; made < count && status == STREW_OK; made += status == STREW_OK) {
    if (word_list_begins(first, list_of(texts[made])))
      out[made] = strew_retain(texts[made]);
    else
      status = take_text(&growth, texts[made], &out[made]);
  }
  status = growth_list(&growth, status, list);
  for (int64_t i = 0; i < made; i++) {
    if (status == STREW_OK && out[i] != texts[i]) text_mark(out[i], *list);
    if (status != STREW_OK) strew_release(out[i]), out[i] = NULL;
  }
  return status;
}

strew_status text_align(const struct call *call, int64_t count, strew_tensor *const *texts, strew_tensor **out,
                        struct word_list **list) {
  return text_align_in(call, list_of(texts[0]), count, texts, out, list);
}

/* --------------------------------------------------------------------------------------------------- making texts */

/* Adds the word of entry i, whose hash may be known; its number is in *number. */
static strew_status add_word(const struct call *call, strew_context *context, struct words *words, int64_t i,
                             const char *const *given, const size_t *lengths, const uint32_t *hash, int64_t *number) {
  const size_t length = lengths ? lengths[i] : strlen(given[i]);
  if (length && memchr(given[i], 0, length))
    return fail(call, FAULT(STREW_EVALUE, "words"), "has a zero byte in the word at [%" PRId64 "]", i + 1);
  const char *word = length ? given[i] : "";
  if (!hash || length > UINT32_MAX) return words_number(call, context, words, word, length, number);
  return words_number_hashed(call, context, words, word, length, *hash, number);
}

/* The list of these words, and what each became. Those at the same address are the same, as scripts have them. */
static strew_status list_words(const struct call *call, strew_context *context, int64_t count, const char *const *given,
                               const size_t *lengths, bool ordered, int32_t *codes, struct word_list **out) {
  enum { RECENT_BITS = 8 };
  int64_t recent[1 << RECENT_BITS] = {0}; /* by address: a word's position, and 1; 0: none */
  uint32_t hashes[WORDS_AHEAD + 1];
  struct shared_words *shared;
  int64_t number = 0, hashed = 0; /* entries before have hashes, unless there was no need */
  RETURN_IF_FAILED(shared_words_create(call, context, &shared));
  struct words *words = &shared->words;
  strew_status status = STREW_OK;
  for (int64_t i = 0; i < count && status == STREW_OK; i++) {
    int64_t *known = &recent[(uintptr_t)given[i] * UINT64_C(0x9e3779b97f4a7c15) >> (64 - RECENT_BITS)];
    if (hashed < i) hashed = i;
    for (; lengths && words_are_many(words) && hashed < least(i + WORDS_AHEAD + 1, count); hashed++) {
      hashes[hashed % (WORDS_AHEAD + 1)] = words_hash(words, given[hashed], lengths[hashed]);
      words_prefetch_slot(words, hashes[hashed % (WORDS_AHEAD + 1)]);
    }
    words->expected = words->count > i / 2 ? count - i : 0;
    status = i % WORDS_PER_LOOK ? STREW_OK : context_check(call, context);
    if (*known && given[*known - 1] == given[i] && (!lengths || lengths[*known - 1] == lengths[i]))
      number = codes[*known - 1];
    else
      TRY(status, add_word(call, context, words, i, given, lengths, i < hashed ? &hashes[i % (WORDS_AHEAD + 1)] : NULL,
                           &number));
    codes[i] = (int32_t)number;
    *known = i + 1;
  }
  words->expected = 0;
  shared->is_ordered = ordered;
  TRY(status, text_list(call, context, shared, out));
  shared_words_release(shared, context);
  return status;
}

static strew_status check_codes(const struct call *call, const strew_tensor *given, const strew_tensor *codes,
                                int64_t count) {
  int64_t number, position[MAX_RANK];
  strew_scalar value;
  char text[TEXT_BYTES], at[TEXT_BYTES];
  RETURN_IF_FAILED(find_outside(call, codes, 0, count - 1, &number));
  if (number < 0) return STREW_OK;
  RETURN_IF_FAILED(index_value(call, given, number, position, &value));
  struct fault fault = {
      .code = STREW_EINDEX, .argument = "codes", .value = &value, .position = position, .position_rank = given->rank};
  return fail(call, fault, "has value %s at %s, expected 0..%" PRId64 ", the codes of %" PRId64 " word%s",
              text_of_scalar(value, text), text_of_sizes(given->rank, position, at), count - 1, count,
              count == 1 ? "" : "s");
}

strew_status strew_text(strew_tensor *codes, int64_t count, const char *const *words, const size_t *lengths,
                        bool ordered, strew_tensor **out, strew_error *error) {
  CALL(call, "text", error, {"codes", codes});
  strew_tensor *given = codes;
  INDEX(&call, codes);
  strew_context *context = tensor_context(codes);
  struct word_list *list = NULL;
  if (count < 0) return fail(&call, FAULT(STREW_EARGUMENT, "words"), "has %" PRId64 " words", count);
  if (strew_tensor_numel(codes)) RETURN_IF_FAILED(check_index_dtype(&call, codes, "codes"));
  RETURN_IF_FAILED(check_codes(&call, given, codes, count));
  const uint64_t size_bytes = (uint64_t)count * sizeof(int32_t) + 1;
  ALLOCATE_NEW(int32_t *, table, &call, context, size_bytes);
  strew_status status = list_words(&call, context, count, words, lengths, ordered, table, &list);
  if (status == STREW_OK) {
    const bool is_plain = list->count == count; /* no word is repeated */
    status = is_plain ? copy_as(&call, codes, STREW_INT32, out) : recode(&call, codes, count, table, out);
  }
  if (status == STREW_OK) text_mark(*out, list);
  word_list_release(list);
  memory_free(context, table, (size_t)size_bytes);
  return status;
}

bool strew_text_is_ordered(const strew_tensor *text) { return text->dtype == STREW_TEXT && is_ordered(list_of(text)); }

strew_status text_of_codes(const struct call *call, strew_tensor *given, struct word_list *words, strew_tensor **out) {
  strew_tensor *codes = given;
  struct word_list *list;
  INDEX(call, codes);
  if (strew_tensor_numel(codes)) RETURN_IF_FAILED(check_index_dtype(call, codes, "codes"));
  RETURN_IF_FAILED(check_codes(call, given, codes, words->count));
  RETURN_IF_FAILED(word_list_in(call, tensor_context(codes), words, &list));
  strew_status status = copy_as(call, codes, STREW_INT32, out);
  if (status == STREW_OK) text_mark(*out, list);
  word_list_release(list);
  return status;
}

strew_status strew_text_like(strew_tensor *codes, const strew_tensor *text, strew_tensor **out, strew_error *error) {
  CALL(call, "text_like", error, {"codes", codes}, {"text", text, MOVED});
  RETURN_IF_FAILED(text_check(&call, "text", text));
  return text_of_codes(&call, codes, list_of(text), out);
}

strew_status strew_text_from(strew_device *device, int rank, const int64_t *sizes, const char *const *words,
                             const size_t *lengths, strew_tensor **out, strew_error *error) {
  CALL(call, "text_from", error, {0});
  strew_context *context = device->context;
  struct word_list *list;
  RETURN_IF_FAILED(check_sizes(&call, STREW_TEXT, rank, sizes));
  const int64_t count = count_of_sizes(rank, sizes);
  const uint64_t size_bytes = (uint64_t)count * sizeof(int32_t);
  ALLOCATE_NEW(int32_t *, codes, &call, context, size_bytes + 1);
  strew_status status = list_words(&call, context, count, words, lengths, false, codes, &list);
  if (status == STREW_OK) {
    status = write_codes(&call, device, rank, sizes, codes, out);
    if (status == STREW_OK) text_mark(*out, list);
    word_list_release(list);
  }
  memory_free(context, codes, (size_t)size_bytes + 1);
  return status;
}

strew_status text_full(const struct call *call, strew_device *device, const char *word, int rank, const int64_t *sizes,
                       strew_tensor **out) {
  struct word_list *list;
  int32_t code;
  RETURN_IF_FAILED(list_words(call, device->context, 1, &word, NULL, false, &code, &list));
  strew_status status = tensor_full(call, device, STREW_INT32, rank, sizes, (union element){.i64 = 0}, out);
  if (status == STREW_OK) text_mark(*out, list);
  word_list_release(list);
  return status;
}

strew_status text_take(const struct call *call, strew_tensor *codes, struct shared_words *words) {
  struct word_list *list;
  RETURN_IF_FAILED(text_list(call, tensor_context(codes), words, &list));
  text_mark(codes, list);
  word_list_release(list);
  return STREW_OK;
}

strew_status text_of_shared(const struct call *call, strew_device *device, int rank, const int64_t *sizes,
                            const int32_t *codes, struct shared_words *words, strew_tensor **out) {
  RETURN_IF_FAILED(write_codes(call, device, rank, sizes, codes, out));
  return release_if_failed(text_take(call, *out, words), out);
}

/* ---------------------------------------------------------------------------------------------------- their words */

strew_status strew_text_codes(const strew_tensor *text, strew_tensor **out, strew_error *error) {
  CALL(call, "text_codes", error, {"self", text, MOVED});
  RETURN_IF_FAILED(text_check(&call, "self", text));
  strew_tensor codes = *text; /* a view on the stack */
  codes.dtype = STREW_INT32;
  return copy_as(&call, &codes, STREW_INT32, out);
}

int64_t strew_word_count(const strew_tensor *text) { return text->dtype == STREW_TEXT ? list_of(text)->count : -1; }

const char *strew_word(const strew_tensor *text, int64_t code, size_t *length) {
  if (code < 0 || code >= strew_word_count(text)) return NULL;
  if (length) *length = words_length(words_of(list_of(text)), code);
  return words_at(words_of(list_of(text)), code);
}

int64_t strew_word_characters(const strew_tensor *text, int64_t code) {
  size_t bytes;
  const char *word = strew_word(text, code, &bytes);
  int64_t count = 0;
  if (!word) return -1;
  if (utf8_is_ascii(word, bytes)) return (int64_t)bytes;
  for (int length; *word; word += length, count++)
    if (!(length = utf8_length((const unsigned char *)word))) return (int64_t)bytes;
  return count;
}

int64_t strew_word_code(const strew_tensor *text, const char *word, size_t length) {
  const int64_t code = text->dtype == STREW_TEXT ? words_find(words_of(list_of(text)), word, length) : -1;
  return code < strew_word_count(text) ? code : -1;
}
