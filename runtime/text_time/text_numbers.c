/* text_numbers.c: strew_to, with words of numbers and times, and back. */
#define _GNU_SOURCE /* newlocale */
#include "decimal.h"
#include "runtime/core/base/device.h"
#include "words.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>
#include <strings.h>

/* ------------------------------------------------------------------------------------------------------- to words */

/* Writes the word of an element; returns its length. */
static size_t write_word(strew_dtype dtype, const void *element, char *to) {
  if (dtype == STREW_BOOL) return strlen(strcpy(to, *(const unsigned char *)element ? "true" : "false"));
  if (dtype == STREW_TIME) return strlen(text_of_time(strew_scalar_load(dtype, element).as.i, to));
  const size_t length = (size_t)write_number(dtype, element, to);
  return strcmp(to, "nan") == 0 ? 0 : length;
}

/* A word that waits for its slot, or an earlier element with the same word. */
struct waiting_word {
  int64_t same; /* its position, or -1 */
  uint32_t hash;
  size_t length;
  char word[TEXT_BYTES];
};

static strew_status number_words(const struct call *call, strew_context *context, strew_dtype dtype, int64_t count,
                                 const unsigned char *elements, struct words *words, int32_t *codes) {
  enum { RECENT_BITS = 10 };
  const size_t element_bytes = dtype_bytes(dtype);
  struct waiting_word waiting[WORDS_AHEAD];
  int64_t recent[1 << RECENT_BITS]; /* elements whose words are made, by hash: the position of one, and 1; 0: none */
  memset(recent, 0, sizeof recent);
  RETURN_IF_FAILED(words_grow(call, context, words, 0)); /* for hashes */
  for (int64_t i = 0; i < count + WORDS_AHEAD; i++) {
    struct waiting_word *made = &waiting[i % WORDS_AHEAD];
    uint64_t bits = 0;
    int64_t number;
    if (i % WORDS_PER_LOOK == 0) RETURN_IF_FAILED(context_check(call, context));
    if (i >= WORDS_AHEAD && made->same < 0) {
      words->expected = words->count > i / 2 ? count - i : 0;
      RETURN_IF_FAILED(words_number_hashed(call, context, words, made->word, made->length, made->hash, &number));
      codes[i - WORDS_AHEAD] = (int32_t)number;
    } else if (i >= WORDS_AHEAD) {
      codes[i - WORDS_AHEAD] = codes[made->same];
    }
    if (i >= count) continue;
    const unsigned char *element = elements + (size_t)i * element_bytes;
    memcpy(&bits, element, element_bytes);
    int64_t *known = &recent[bits * UINT64_C(0x9e3779b97f4a7c15) >> (64 - RECENT_BITS)];
    made->same = *known - 1;
    if (*known && !memcmp(element, elements + (size_t)made->same * element_bytes, element_bytes)) continue;
    made->same = -1;
    made->length = write_word(dtype, element, made->word);
    made->hash = words_hash(words, made->word, made->length);
    words_prefetch_slot(words, made->hash);
    *known = i + 1;
  }
  words->expected = 0;
  return STREW_OK;
}

/* The words of numbers or times: the fewest digits that read back as the same element; "true", "false"; "" for NaN and
   NaT. */
static strew_status text_from_numbers(const struct call *call, const strew_tensor *self, strew_tensor **out) {
  strew_context *context = tensor_context(self);
  const int64_t count = strew_tensor_numel(self);
  const size_t size_bytes = (size_t)count * dtype_bytes(self->dtype), codes_bytes = (size_t)count * sizeof(int32_t) + 1;
  struct shared_words *words;
  ALLOCATE_NEW(unsigned char *, elements, call, context, size_bytes + 1);
  int32_t *codes = memory_allocate(context, codes_bytes);
  strew_status status = codes ? STREW_OK : fail_memory(call, context, codes_bytes);
  TRY(status, strew_read(self, elements, size_bytes, call->error));
  if (TRY(status, shared_words_create(call, context, &words)) == STREW_OK) {
    status = number_words(call, context, self->dtype, count, elements, &words->words, codes);
    TRY(status, text_of_shared(call, self->storage->device, self->rank, self->sizes, codes, words, out));
    shared_words_release(words, context);
  }
  memory_free(context, codes, codes_bytes);
  memory_free(context, elements, size_bytes + 1);
  return status;
}

/* ----------------------------------------------------------------------------------------------------- from words */

/* What a word is: an element of the dtype, none, or one out of its range. */
enum word_kind { IS_ELEMENT, IS_NONE, IS_BEYOND };

static enum word_kind read_time(const char *word, size_t length, void *to) {
  int64_t time = INT64_MIN;
  const bool is_missing = !length || strcmp(word, "NaT") == 0;
  const bool is_read = is_missing || time_read(word, length, "", &time) == TIME_READ;
  memcpy(to, &time, sizeof time);
  return is_read ? IS_ELEMENT : IS_NONE;
}

static enum word_kind read_bool(const char *word, void *to) {
  static const char *const words[] = {"false", "0", "true", "1"};
  for (int i = 0; i < 4; i++)
    if (strcasecmp(word, words[i]) == 0) return *(unsigned char *)to = i >= 2, IS_ELEMENT;
  return IS_NONE;
}

static bool is_blank(char c) { return c == ' ' || (c >= '\t' && c <= '\r'); }

/* Reads a number between blanks. */
static enum word_kind read_number(strew_dtype dtype, const char *word, locale_t c_locale, void *to) {
  struct decimal decimal;
  strew_scalar number = strew_float(NAN);
  uint64_t positive;
  const bool is_float = dtype_is_float(dtype);
  while (is_blank(*word)) word++;
  const char *end = decimal_scan(word, '.', &decimal);
  bool is_number = end > word;
  while (is_blank(*end)) end++;
  is_number = is_number && !*end;
  if (is_float && is_number)
    number.as.f = decimal_to_double(&decimal, c_locale);
  else if (is_number && decimal_value_to_integer(&decimal, &number.as.i))
    number.dtype = STREW_INT64;
  else if (is_number && decimal_value_to_unsigned(&decimal, &positive))
    number = (strew_scalar){.dtype = STREW_UINT64, .as.i = (int64_t)positive};
  else if (!is_float || *word)
    return IS_NONE;
  if (is_float && is_number && decimal.kind == DECIMAL_FINITE && isinf(number.as.f)) return IS_BEYOND;
  if (number.dtype == dtype && dtype_bytes(dtype) == sizeof number.as)
    return memcpy(to, &number.as, sizeof number.as), IS_ELEMENT;
  const bool is_held = strew_scalar_store(number, STREW_EXACT, dtype, to, NULL) == STREW_OK;
  return is_held ? IS_ELEMENT : is_float ? IS_BEYOND : IS_NONE;
}

/* Words that become elements: those of `codes`, or all. */
struct conversion {
  const struct call *call;
  const strew_tensor *self;
  strew_dtype dtype;
  locale_t c_locale;
  const int32_t *codes; /* NULL: all words */
  unsigned char *elements;
};

/* Fails for element i, whose word is none. */
static strew_status fail_word(const struct conversion *c, int64_t i, const char *word, enum word_kind kind) {
  const strew_tensor *self = c->self;
  int64_t position[MAX_RANK] = {0}, rest = i, time;
  char shown[TEXT_BYTES], at[TEXT_BYTES];
  for (int d = self->rank - 1; d >= 0; d--) position[d] = rest % self->sizes[d], rest /= self->sizes[d];
  const strew_scalar value = {.dtype = STREW_TEXT, .as.i = c->codes[i]};
  struct fault fault = {.code = STREW_EVALUE, .argument = "self", .value = &value, .position = position};
  fault.position_rank = self->rank;
  const char *in = self->rank ? text_of_sizes(self->rank, position, at) : "";
  const char *where = self->rank ? " at " : "", *name = strew_dtype_name(c->dtype);
  if (!*word && !dtype_is_float(c->dtype)) fault.hint = "floats have NaN for empty words";
  text_of_name(word, shown);
  if (c->dtype == STREW_TIME) {
    const enum time_reading reading = time_read(word, strlen(word), "", &time);
    if (reading == TIME_NONE) fault.hint = TIME_HINT;
    return fail(c->call, fault, "has \"%s\"%s%s, %s", shown, where, in, time_fact(reading));
  }
  if (kind == IS_NONE && c->dtype != STREW_BOOL && strpbrk(word, "0123456789"))
    fault.hint = "strew_text makes text of codes and words: those of self without what is no number";
  if (kind == IS_BEYOND) return fail(c->call, fault, "has \"%s\"%s%s, which %s cannot hold", shown, where, in, name);
  return fail(c->call, fault, "has \"%s\"%s%s, which is no %s", shown, where, in, name);
}

/* Reads `count` words; *is_read: false, one of all words is none. */
static strew_status read_words(const struct conversion *c, int64_t count, bool *is_read) {
  const struct words *words = &c->self->storage->words->shared->words;
  const size_t element_bytes = dtype_bytes(c->dtype);
  unsigned char *to = c->elements;
  for (int64_t i = 0; i < count; i++, to += element_bytes) {
    if (i % WORDS_PER_LOOK == 0) RETURN_IF_FAILED(context_check(c->call, tensor_context(c->self)));
    const int64_t code = c->codes ? c->codes[i] : i;
    const char *word = words_at(words, code);
    const enum word_kind kind = c->dtype == STREW_TIME   ? read_time(word, words_length(words, code), to)
                                : c->dtype == STREW_BOOL ? read_bool(word, to)
                                                         : read_number(c->dtype, word, c->c_locale, to);
    *is_read = kind == IS_ELEMENT;
    if (!*is_read) return c->codes ? fail_word(c, i, word, kind) : STREW_OK;
  }
  return STREW_OK;
}

/* Reads each word once. */
static strew_status convert_list(struct conversion *c, bool *is_read, strew_tensor **out) {
  strew_context *context = tensor_context(c->self);
  const int64_t count = c->self->storage->words->count;
  const size_t size_bytes = (size_t)count * dtype_bytes(c->dtype);
  ALLOCATE(c->elements, c->call, context, size_bytes + 1);
  strew_status status = read_words(c, count, is_read);
  if (*is_read) TRY(status, text_look_up(c->call, c->self, c->dtype, count, c->elements, out));
  memory_free(context, c->elements, size_bytes + 1);
  return status;
}

/* Reads the word of each element: of texts with fewer elements than words, and to find the first one that is none. */
static strew_status convert_elements(struct conversion *c, strew_tensor **out) {
  const strew_tensor *self = c->self;
  strew_context *context = tensor_context(self);
  strew_device *device = self->storage->device;
  const size_t codes_bytes = (size_t)strew_tensor_numel(self) * sizeof *c->codes;
  bool is_read;
  strew_tensor *made = NULL;
  ALLOCATE_NEW(int32_t *, codes, c->call, context, codes_bytes + 1);
  c->codes = codes;
  strew_status status = strew_read(self, codes, codes_bytes, c->call->error);
  TRY(status, tensor_create(c->call, &context->cpu, c->dtype, self->rank, self->sizes, &made));
  if (status == STREW_OK && codes_bytes) {
    c->elements = dense_at(made, 0);
    status = read_words(c, strew_tensor_numel(self), &is_read);
  }
  TRY(status, transfer(c->call, made, device, out));
  memory_free(context, codes, codes_bytes + 1);
  strew_release(made);
  return status;
}

/* The numbers or times that a text's words are; an error names the first word that is none. */
static strew_status text_to_numbers(const struct call *call, const strew_tensor *self, strew_dtype dtype,
                                    strew_tensor **out) {
  struct conversion c = {call, self, dtype, newlocale(LC_ALL_MASK, "C", (locale_t)0), NULL, NULL};
  bool is_read = false;
  if (c.c_locale == (locale_t)0) return fail_memory(call, tensor_context(self), sizeof c);
  strew_status status = STREW_OK;
  if (strew_tensor_numel(self) >= self->storage->words->count) status = convert_list(&c, &is_read, out);
  if (!is_read) TRY(status, convert_elements(&c, out));
  freelocale(c.c_locale);
  return status;
}

/* ------------------------------------------------------------------------------------------------------------- call */

static strew_status convert(const struct call *call, const strew_tensor *from, strew_dtype dtype, strew_tensor **out) {
  return dtype == STREW_TEXT ? text_from_numbers(call, from, out) : text_to_numbers(call, from, dtype, out);
}

/* Converts on the target device, unless it lacks the source dtype. */
static strew_status convert_to(const struct call *call, const strew_tensor *from, strew_device *device,
                               strew_dtype dtype, strew_tensor **out) {
  strew_tensor *first = NULL;
  const bool before = from->dtype == STREW_FLOAT64 && device->lacks_float64;
  strew_status status = before ? convert(call, from, dtype, &first) : transfer(call, from, device, &first);
  TRY(status, before ? transfer(call, first, device, out) : convert(call, first, dtype, out));
  strew_release(first);
  return status;
}

const struct text_ops text_ops = {.meet = text_meet,
                                  .align = text_align,
                                  .release = word_list_release,
                                  .count = word_list_count,
                                  .in = word_list_in,
                                  .begins = call_words_begin,
                                  .set = storage_set_words,
                                  .mark = text_mark,
                                  .full = text_full,
                                  .key = order_key,
                                  .from_key = order_from_key,
                                  .comparable = order_comparable,
                                  .find_word = order_find_word,
                                  .convert = convert_to,
                                  .show_time = text_of_time};
