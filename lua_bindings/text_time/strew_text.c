/* strew_text.c: what text_time/words.lua, the operations of text, needs of the library. */
#include "lua_bindings/core/strew_bind.h"

#include <string.h>

/* The sequence of words at position 2 as arrays in Lua memory, which is pushed; false: call->error is filled. */
static bool read_words(lua_State *L, struct script_call *call, lua_Unsigned count, const char ***words,
                       size_t **lengths) {
  char text[TEXT_BYTES];
  *words = lua_newuserdatauv(L, (size_t)count * (sizeof **words + sizeof **lengths) + 1, 0);
  *lengths = (size_t *)(void *)(*words + count);
  for (lua_Unsigned i = 0; i < count; i++) {
    if (!bind_may_continue(call, (int64_t)i + 1)) return false;
    if (lua_rawgeti(L, 2, (lua_Integer)i + 1) != LUA_TSTRING) {
      bind_fail(call, STREW_EARGUMENT, "words", "has %s at [%llu], expected a string",
                bind_text(L, call, lua_gettop(L), text), (unsigned long long)i + 1);
      return false;
    }
    (*words)[i] = lua_tolstring(L, -1, &(*lengths)[i]); /* the table keeps it */
    lua_pop(L, 1);
  }
  return true;
}

/* make_text(codes, words, is_ordered): of words, or those of another text. */
static int make_text(lua_State *L, struct script_call *call) {
  strew_tensor **out = bind_result(L, call), *codes, *like;
  const char **words;
  size_t *lengths;
  if (!lua_istable(L, 2)) {
    if (!bind_tensor(L, call, 1, "codes", &codes) || !bind_tensor(L, call, 2, "words", &like)) return -1;
    return bind_end(strew_text_like(codes, like, out, &call->error), 1);
  }
  const lua_Unsigned count = lua_rawlen(L, 2);
  const int top = lua_gettop(L);
  if (!bind_check_sequence(L, call, 2, "words", " of strings")) return -1;
  if (!read_words(L, call, count, &words, &lengths) || !bind_tensor(L, call, 1, "codes", &codes)) return -1;
  const strew_status status = strew_text(codes, (int64_t)count, words, lengths, lua_toboolean(L, 3), out, &call->error);
  lua_settop(L, top);
  return bind_end(status, 1);
}

/* aligned(a, b): both with one list; ordered(a [, b]): with a sorted one. */
static strew_status align(struct arguments *a, bool is_ordered) {
  strew_tensor *const texts[] = {a->self, a->other};
  strew_tensor *made[2];
  const strew_status status = strew_text_align(a->second ? 2 : 1, texts, is_ordered, made, a->error);
  if (status != STREW_OK) return status;
  *a->out = made[0];
  if (a->second) *a->second = made[1];
  return STREW_OK;
}
static strew_status aligned(struct arguments *a) { return align(a, false); }
static strew_status ordered(struct arguments *a) { return align(a, true); }
static strew_status sorted(struct arguments *a) { return a->second = NULL, align(a, true); }

/* ------------------------------------------------------------------------------------------------ word by word */

#define BLANKS " \t\n\v\f\r"
enum { LENGTH, CONTAINS, STARTS_WITH, ENDS_WITH, UPPER, LOWER, TRIM, SUB, SPLIT, REPLACE, JOIN };

struct word {
  const char *text;
  size_t length;
};

static bool test_word(int test, const struct word *word, const struct word *part) {
  if (strlen(part->text) < part->length) return false; /* no word has a zero byte */
  if (test == CONTAINS) return strstr(word->text, part->text) != NULL;
  const size_t begin = test == ENDS_WITH ? word->length - part->length : 0;
  return part->length <= word->length && memcmp(word->text + begin, part->text, part->length) == 0;
}

/* Small letters of two bytes of UTF-8, first to last by step, and how far before them their capitals are. */
static const struct letters {
  int first, last, step, distance;
} letters[] = {
    {0xe0, 0xf6, 1, 32},   {0xf8, 0xfe, 1, 32},   {0xff, 0xff, 1, -121},  {0x101, 0x12f, 2, 1},  {0x133, 0x137, 2, 1},
    {0x13a, 0x148, 2, 1},  {0x14b, 0x177, 2, 1},  {0x17a, 0x17e, 2, 1},   {0x1a1, 0x1a5, 2, 1},  {0x1b0, 0x1b0, 1, 1},
    {0x1ce, 0x1dc, 2, 1},  {0x1df, 0x1ef, 2, 1},  {0x1f9, 0x21f, 2, 1},   {0x223, 0x233, 2, 1},  {0x3ac, 0x3ac, 1, 38},
    {0x3ad, 0x3af, 1, 37}, {0x3b1, 0x3c1, 1, 32}, {0x3c3, 0x3cb, 1, 32},  {0x3cc, 0x3cc, 1, 64}, {0x3cd, 0x3ce, 1, 63},
    {0x430, 0x44f, 1, 32}, {0x450, 0x45f, 1, 80}, {0x461, 0x481, 2, 1},   {0x48b, 0x4bf, 2, 1},  {0x4c2, 0x4ce, 2, 1},
    {0x4d1, 0x52f, 2, 1},  {0x561, 0x586, 1, 48}, {0x259, 0x259, 1, 202},
};

static int in_case(bool is_upper, int letter) {
  if (is_upper && letter == 0x3c2) return 0x3a3; /* sigma at the end of a word */
  for (size_t k = 0; k < sizeof letters / sizeof *letters; k++) {
    const int small = is_upper ? letter : letter + letters[k].distance;
    if (small >= letters[k].first && small <= letters[k].last && (small - letters[k].first) % letters[k].step == 0)
      return is_upper ? letter - letters[k].distance : small;
  }
  return letter;
}

/* Copies ASCII with the case of letters changed, eight bytes at a time; returns how many. */
static size_t copy_ascii_in_case(bool is_upper, const struct word *word, char *to) {
  const uint64_t each = UINT64_C(0x0101010101010101), first = is_upper ? 'a' : 'A';
  uint64_t some;
  size_t i = 0;
  for (; i + sizeof some <= word->length; i += sizeof some) {
    memcpy(&some, word->text + i, sizeof some);
    if (some & each * 0x80) break;
    some ^= ((some + each * (0x80 - first)) & ~(some + each * (0x80 - 26 - first)) & each * 0x80) >> 2;
    memcpy(to + i, &some, sizeof some);
  }
  return i;
}

/* Copies with the case of letters changed; returns the end. */
static char *copy_in_case(bool is_upper, const struct word *word, char *to) {
  const size_t begin = copy_ascii_in_case(is_upper, word, to);
  to += begin;
  for (size_t i = begin; i < word->length; i++) {
    const unsigned char c = (unsigned char)word->text[i];
    const unsigned char next = i + 1 < word->length ? (unsigned char)word->text[i + 1] : 0;
    if (c >= 0xc3 && c <= 0xd6 && next >= 0x80 && next < 0xc0) {
      const int letter = in_case(is_upper, (c & 0x1f) << 6 | (next & 0x3f));
      *to++ = (char)(0xc0 | letter >> 6);
      *to++ = (char)(0x80 | (letter & 0x3f));
      i++;
    } else {
      const bool is_changed = is_upper ? c >= 'a' && c <= 'z' : c >= 'A' && c <= 'Z';
      *to++ = (char)(is_changed ? c ^ 0x20 : c);
    }
  }
  return to;
}

/* A word without blanks at its ends. */
static struct word trimmed(struct word word) {
  for (; word.length && strchr(BLANKS, word.text[word.length - 1]); word.length--) continue;
  for (; word.length && strchr(BLANKS, *word.text); word.text++) word.length--;
  return word;
}

/* Character k of a word of so many; the same of bytes. */
static const char *character(const struct word *word, int64_t characters, int64_t k) {
  const char *at = word->text;
  if (characters == (int64_t)word->length) return at + k;
  for (; k > 0; k--) do
      at++;
    while ((*at & 0xc0) == 0x80);
  return at;
}

/* Characters i to j, as string.sub counts them: of UTF-8, or bytes where the word is no UTF-8. */
static struct word part_of(const struct word *word, int64_t characters, int64_t i, int64_t j) {
  if (i <= 0) i = i && i + characters >= 0 ? i + characters + 1 : 1;
  if (j < 0) j += characters + 1;
  if (j > characters) j = characters;
  if (i > j) return (struct word){word->text, 0};
  const char *begin = character(word, characters, i - 1);
  return (struct word){begin, (size_t)(character(word, characters, j) - begin)};
}

/* The next `part` in a word at `at`; NULL: none, as no word has a zero byte. */
static const char *next_part(const char *at, const struct word *part) {
  return strlen(part->text) < part->length ? NULL : strstr(at, part->text);
}

static int64_t count_parts(const struct word *word, const struct word *part) {
  int64_t parts = 0;
  for (const char *at = word->text; (at = next_part(at, part)); at += part->length) parts++;
  return parts;
}

/* What is between separators k and k + 1, of the last ones if k < 0; nothing: the empty word. */
static struct word split(const struct word *word, const struct word *separator, int64_t k) {
  const char *at = word->text, *end = word->text + word->length;
  if (k < 0) k += count_parts(word, separator) + 1;
  for (; k > 0 && at; k--)
    if ((at = next_part(at, separator))) at += separator->length;
  if (k < 0 || !at) return (struct word){word->text, 0};
  const char *next = next_part(at, separator);
  return (struct word){at, (size_t)((next ? next : end) - at)};
}

static char *copy_word(const struct word *word, char *to) {
  return (char *)memcpy(to, word->text, word->length) + word->length;
}

static char *replace(const struct word *word, const struct word *part, const struct word *by, char *to) {
  const char *at = word->text;
  for (const char *next; (next = next_part(at, part)); at = next + part->length)
    to = copy_word(by, copy_word(&(struct word){at, (size_t)(next - at)}, to));
  return copy_word(&(struct word){at, (size_t)(word->text + word->length - at)}, to);
}

/* What is made of words: of those with others, parts i to j, and strings. */
struct edit {
  int operation;
  int64_t i, j;
  struct word part, by, *others;
};

/* The most bytes of result k that are not its word's own. */
static size_t new_bytes(const struct edit *edit, const struct word *word, size_t k) {
  if (edit->operation == JOIN) return word->length + edit->part.length + edit->others[k].length;
  if (edit->operation == REPLACE) return word->length + (size_t)count_parts(word, &edit->part) * edit->by.length;
  return edit->operation <= LOWER ? word->length : 0;
}

/* Returns the end of a word that is new, written from `to` on. */
static char *write_word(const struct edit *edit, const struct word *word, size_t k, char *to) {
  if (edit->operation == REPLACE) return replace(word, &edit->part, &edit->by, to);
  if (edit->operation != JOIN) return copy_in_case(edit->operation == UPPER, word, to);
  if (!word->length || !edit->others[k].length) return to; /* missing */
  return copy_word(&edit->others[k], copy_word(&edit->part, copy_word(word, to)));
}

/* upper, lower, trim(t), sub(t, i, j), split(t, separator, k), replace(t, part, by), join(t, other, separator) */
static int map_to_words(lua_State *L, struct script_call *call, const strew_tensor *self, const struct edit *edit,
                        const struct word *words, const int32_t *codes, strew_tensor **out) {
  const size_t count = (size_t)strew_tensor_numel(self);
  size_t bytes = 0;
  for (size_t i = 0; i < count; i++) bytes += new_bytes(edit, &words[i], i);
  const char **texts = lua_newuserdatauv(L, count * (sizeof *texts + sizeof(size_t)) + bytes + 1, 0);
  size_t *lengths = (size_t *)(void *)(texts + count);
  char *to = (char *)(lengths + count);
  for (size_t i = 0; i < count; i++) {
    if (!bind_may_continue(call, (int64_t)i + 1)) return -1;
    struct word word = words[i];
    if (edit->operation == TRIM) {
      word = trimmed(word);
    } else if (edit->operation == SUB) {
      word = part_of(&word, strew_word_characters(self, codes[i]), edit->i, edit->j);
    } else if (edit->operation == SPLIT) {
      word = split(&word, &edit->part, edit->i);
    } else {
      word.text = to;
      to = write_word(edit, &words[i], i, to);
      word.length = (size_t)(to - word.text);
    }
    texts[i] = word.text;
    lengths[i] = word.length;
  }
  return bind_end(strew_text_from(strew_tensor_device(self), strew_tensor_rank(self), strew_tensor_sizes(self), texts,
                                  lengths, out, &call->error),
                  1);
}

/* The elements of a text, in Lua memory, which is pushed; NULL: call->error is filled. */
static struct word *read_elements(lua_State *L, struct script_call *call, const strew_tensor *t, int32_t **codes) {
  const size_t count = (size_t)strew_tensor_numel(t);
  struct word *words = lua_newuserdatauv(L, count * (sizeof *words + sizeof **codes) + 1, 0);
  *codes = (int32_t *)(void *)(words + count);
  if (strew_read(t, *codes, count * sizeof **codes, &call->error) != STREW_OK) return NULL;
  for (size_t i = 0; i < count; i++) words[i].text = strew_word(t, (*codes)[i], &words[i].length);
  return words;
}

/* length(t), contains(t, part), ...: of the word of each element. */
static int map_words(lua_State *L, struct script_call *call) {
  strew_tensor **out = bind_result(L, call), *self, *other;
  struct edit edit = {.operation = call->row->code};
  const int operation = call->row->code, top = lua_gettop(L);
  int32_t *codes, *its;
  if (!bind_tensor(L, call, 1, "t", &self) || (operation == JOIN && !bind_tensor(L, call, 2, "other", &other)))
    return -1;
  const int at = operation == JOIN ? 3 : 2;
  if (lua_type(L, at) == LUA_TSTRING) edit.part.text = lua_tolstring(L, at, &edit.part.length);
  if (operation == REPLACE) edit.by.text = lua_tolstring(L, 3, &edit.by.length);
  edit.i = lua_tointeger(L, operation == SPLIT ? 3 : 2), edit.j = lua_tointeger(L, 3);
  const size_t count = (size_t)strew_tensor_numel(self);
  struct word *words = read_elements(L, call, self, &codes);
  if (!words || (operation == JOIN && !(edit.others = read_elements(L, call, other, &its)))) return -1;
  if (operation >= UPPER) {
    const int results = map_to_words(L, call, self, &edit, words, codes, out);
    return lua_settop(L, top), results;
  }
  const strew_dtype dtype = operation == LENGTH ? STREW_INT64 : STREW_BOOL;
  int64_t *numbers = lua_newuserdatauv(L, count * sizeof *numbers + 1, 0);
  bool *truths = (bool *)(void *)numbers;
  for (size_t i = 0; i < count; i++) {
    if (!bind_may_continue(call, (int64_t)i + 1)) return -1;
    if (operation == LENGTH)
      numbers[i] = strew_word_characters(self, codes[i]);
    else
      truths[i] = test_word(operation, &words[i], &edit.part);
  }
  const strew_status status = strew_from(strew_tensor_device(self), dtype, strew_tensor_rank(self),
                                         strew_tensor_sizes(self), numbers, out, &call->error);
  lua_settop(L, top);
  return bind_end(status, 1);
}

/* word_code(t, word): the code of a word of a text, or -1. word_count(t) */
static int count(lua_State *L, struct script_call *call) {
  strew_tensor *self;
  if (!bind_tensor(L, call, 1, "self", &self)) return -1;
  return lua_pushinteger(L, strew_word_count(self)), 1;
}

static strew_status is_ordered(struct arguments *a) {
  return lua_pushboolean(a->L, strew_text_is_ordered(a->self)), STREW_OK;
}

static int find(lua_State *L, struct script_call *call) {
  strew_tensor *self;
  size_t length;
  if (!bind_tensor(L, call, 1, "self", &self)) return -1;
  const char *word = lua_tolstring(L, 2, &length);
  return lua_pushinteger(L, strew_word_code(self, word, length)), 1;
}

const struct script_function bind_text_rows[] = {
    {"make_text", make_text, 0, INNER | CONSTANT},
    {"aligned", bind_two, 0, INNER | CONSTANT, "self:tensor other:tensor", aligned},
    {"ordered", bind_two, 0, INNER | CONSTANT, "self:tensor other:tensor", ordered},
    {"sorted", bind_one, 0, INNER | CONSTANT, "self:tensor", sorted},
    {"word_code", find, 0, INNER | CONSTANT | CHECKED, "*s"},
    {"word_count", count, 0, INNER | CONSTANT},
    {"is_ordered", bind_values, 0, INNER | CONSTANT, "self:tensor", is_ordered},
    {"word_length", map_words, LENGTH, INNER | CONSTANT},
    {"word_contains", map_words, CONTAINS, INNER | CONSTANT},
    {"word_starts_with", map_words, STARTS_WITH, INNER | CONSTANT},
    {"word_ends_with", map_words, ENDS_WITH, INNER | CONSTANT},
    {"word_upper", map_words, UPPER, INNER | CONSTANT},
    {"word_lower", map_words, LOWER, INNER | CONSTANT},
    {"word_trim", map_words, TRIM, INNER | CONSTANT},
    {"word_sub", map_words, SUB, INNER | CONSTANT},
    {"word_split", map_words, SPLIT, INNER | CONSTANT},
    {"word_replace", map_words, REPLACE, INNER | CONSTANT},
    {"word_join", map_words, JOIN, INNER | CONSTANT},
    {NULL},
};
