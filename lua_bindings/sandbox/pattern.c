/* pattern.c: Lua's patterns for sandboxes. The library's matcher may take exponential time (for a pattern like
   ".-.-.-.-x"), and nothing can stop it; this one counts its steps and checks the limits.

   A pattern is compiled to an array of items: byte sets with their repetition, capture ends, and a few others.
   Malformed patterns raise an error when compiled, even in parts that the library would not have reached. */
#include "pattern.h"

#include "script_limits.h"

#include <ctype.h>
#include <lauxlib.h>
#include <string.h>

enum kind { SET, ANY, BYTE, OPEN, OPEN_POSITION, CLOSE, BALANCE, FRONTIER, BACK, END_OF_SUBJECT, END_OF_PATTERN };

struct item {
  unsigned char kind, repeat; /* '*', '+', '-', '?' or 0 */
  unsigned char byte, other;  /* BYTE; both of BALANCE */
  uint32_t number;            /* index of the set, or of the capture */
};

typedef struct set {
  uint32_t bits[8];
} set;

struct pattern {
  size_t capacity; /* in items; sets follow them */
  struct item items[];
};

static const set *sets_of(const struct pattern *pattern) {
  return (const set *)(const void *)(pattern->items + pattern->capacity);
}

/* An item takes at least one character, a set at least two. */
size_t pattern_bytes(size_t length) {
  return sizeof(struct pattern) + (length + 1) * sizeof(struct item) + (length / 2 + 1) * sizeof(set);
}

/* ----------------------------------------------------------------------------------------------------------- sets */

static void add_byte(set *to, int byte) { to->bits[byte >> 5] |= (uint32_t)1 << (byte & 31); }
static bool has_byte(const set *in, int byte) { return in->bits[byte >> 5] >> (byte & 31) & 1; }

static int is_zero(int byte) { return byte == 0; }

static const struct {
  char letter;
  int (*holds)(int);
} classes[] = {{'a', isalpha}, {'c', iscntrl}, {'d', isdigit}, {'g', isgraph},  {'l', islower}, {'p', ispunct},
               {'s', isspace}, {'u', isupper}, {'w', isalnum}, {'x', isxdigit}, {'z', is_zero}};
enum { CLASS_COUNT = sizeof classes / sizeof *classes };

/* ------------------------------------------------------------------------------------------------------ compiling */

struct compiler {
  lua_State *L;
  const unsigned char *at, *end;
  struct pattern *pattern;
  struct item *next;
  uint32_t sets;
  uint32_t captures, open[MAX_CAPTURES], opened; /* counts; the open captures, innermost last */
  int64_t read;                                  /* characters and classes so far */
  set of_class[CLASS_COUNT];                     /* of the classes in the pattern: the locale may change later */
  bool is_known[CLASS_COUNT];
};

/* Checks the limits, since a pattern may be long. */
static void count_read(struct compiler *c) {
  enum { CHARACTERS = 4096 };
  if (++c->read % CHARACTERS == 0) limits_check(c->L);
}

static const set *members(struct compiler *c, int i) {
  if (!c->is_known[i])
    for (int byte = 0; byte < 256; byte++)
      if (classes[i].holds(byte)) add_byte(&c->of_class[i], byte);
  c->is_known[i] = true;
  return &c->of_class[i];
}

/* Adds the meaning of "%c": a class, its complement, or the character itself. */
static void add_class(struct compiler *c, set *to, int letter) {
  for (int i = 0; i < CLASS_COUNT; i++) {
    if (classes[i].letter != tolower(letter)) continue;
    uint32_t complement = isupper(letter) ? UINT32_MAX : 0;
    const set *from = members(c, i);
    for (int k = 0; k < 8; k++) to->bits[k] |= from->bits[k] ^ complement;
    return;
  }
  add_byte(to, letter);
}

static struct item *add_item(struct compiler *c, enum kind kind) {
  *c->next = (struct item){.kind = (unsigned char)kind};
  return c->next++;
}

static set *add_set(struct compiler *c, struct item *item) {
  set *made = (set *)(uintptr_t)sets_of(c->pattern) + c->sets;
  memset(made, 0, sizeof *made);
  item->number = c->sets++;
  return made;
}

/* Compiles "[...]" after its opening bracket. */
static void compile_brackets(struct compiler *c, struct item *item) {
  set *made = add_set(c, item);
  bool complement = c->at < c->end && *c->at == '^';
  const unsigned char *p = c->at += complement, *close = p;
  do {
    count_read(c);
    if (close >= c->end) luaL_error(c->L, "malformed pattern (missing ']')");
    if (*close++ == '%' && close < c->end) close++;
  } while (close >= c->end || *close != ']');
  for (; p < close; p++) {
    count_read(c);
    if (*p == '%') { /* a class or byte follows: see the loop above */
      add_class(c, made, *++p);
    } else if (p + 2 < close && p[1] == '-') {
      for (int byte = p[0]; byte <= p[2]; byte++) add_byte(made, byte);
      p += 2;
    } else {
      add_byte(made, *p);
    }
  }
  for (int i = 0; complement && i < 8; i++) made->bits[i] = ~made->bits[i];
  c->at = close + 1;
}

static void compile_open(struct compiler *c) {
  bool position = c->at < c->end && *c->at == ')';
  if (c->captures == MAX_CAPTURES) luaL_error(c->L, "too many captures");
  add_item(c, position ? OPEN_POSITION : OPEN)->number = c->captures;
  if (position)
    c->at++;
  else
    c->open[c->opened++] = c->captures;
  c->captures++;
}

static void compile_close(struct compiler *c) {
  if (!c->opened) luaL_error(c->L, "invalid pattern capture");
  add_item(c, CLOSE)->number = c->open[--c->opened];
}

static void compile_back(struct compiler *c, int digit) {
  uint32_t number = (uint32_t)(digit - '1');
  bool open = number >= c->captures;
  for (uint32_t i = 0; i < c->opened; i++) open = open || c->open[i] == number;
  if (open) luaL_error(c->L, "invalid capture index %%%d in pattern", digit - '0');
  add_item(c, BACK)->number = number;
}

/* Compiles the rest of an item after '%'; true if it may repeat. */
static bool compile_escape(struct compiler *c) {
  if (c->at == c->end) luaL_error(c->L, "malformed pattern (ends with '%%')");
  int letter = *c->at++;
  if (letter == 'b') {
    if (c->end - c->at < 2) luaL_error(c->L, "malformed pattern (missing arguments to '%%b')");
    struct item *item = add_item(c, BALANCE);
    item->byte = *c->at++;
    item->other = *c->at++;
    return false;
  }
  if (letter == 'f') {
    if (c->at == c->end || *c->at++ != '[') luaL_error(c->L, "missing '[' after '%%f' in pattern");
    compile_brackets(c, add_item(c, FRONTIER));
    return false;
  }
  if (isdigit(letter)) return compile_back(c, letter), false;
  struct item *item = add_item(c, SET);
  add_class(c, add_set(c, item), letter);
  return true;
}

static void compile_item(struct compiler *c) {
  count_read(c);
  int byte = *c->at++;
  bool repeats = true;
  switch (byte) {
  case '(': compile_open(c); return;
  case ')': compile_close(c); return;
  case '%': repeats = compile_escape(c); break;
  case '[': compile_brackets(c, add_item(c, SET)); break;
  case '.': add_item(c, ANY); break;
  case '$':
    if (c->at == c->end) {
      add_item(c, END_OF_SUBJECT);
      return;
    } /* fall through */
  default: add_item(c, BYTE)->byte = (unsigned char)byte;
  }
  if (repeats && c->at < c->end && strchr("*+-?", *c->at) && *c->at) c->next[-1].repeat = *c->at++;
}

void pattern_compile(lua_State *L, const char *text, size_t length, struct pattern *pattern) {
  struct compiler c = {.L = L, .at = (const unsigned char *)text, .pattern = pattern, .next = pattern->items};
  c.end = c.at + length;
  pattern->capacity = length + 1;
  while (c.at < c.end) compile_item(&c);
  if (c.opened) luaL_error(L, "unfinished capture");
  add_item(&c, END_OF_PATTERN);
}

/* ------------------------------------------------------------------------------------------------------- matching */

void match_step(struct match *match, int64_t steps) {
  enum { STEPS = 1 << 16 };
  if ((match->steps += steps) < STEPS) return;
  match->steps = 0;
  limits_check(match->L);
}

static const char *match_items(struct match *match, const struct item *item, const char *at);

static bool matches_byte(const struct match *match, const struct item *item, const char *at) {
  if (at >= match->end) return false;
  int byte = (unsigned char)*at;
  if (item->kind == BYTE) return byte == item->byte;
  return item->kind == ANY || has_byte(&sets_of(match->pattern)[item->number], byte);
}

/* Matches greedily, then backs off until the rest matches. */
static const char *match_greedy(struct match *match, const struct item *item, const char *at, ptrdiff_t minimum) {
  ptrdiff_t count = 0;
  for (; matches_byte(match, item, at + count); count++) match_step(match, 1);
  for (; count >= minimum; count--) {
    const char *end = match_items(match, item + 1, at + count);
    if (end) return end;
  }
  return NULL;
}

static const char *match_lazy(struct match *match, const struct item *item, const char *at) {
  for (;; at++) {
    const char *end = match_items(match, item + 1, at);
    if (end || !matches_byte(match, item, at)) return end;
  }
}

static const char *match_balance(struct match *match, const struct item *item, const char *at) {
  int64_t open = 1;
  if (at >= match->end || (unsigned char)*at != item->byte) return NULL;
  for (at++; at < match->end; at++) {
    int byte = (unsigned char)*at;
    match_step(match, 1);
    if (byte == item->other && --open == 0) return at + 1;
    if (byte == item->byte) open++;
  }
  return NULL;
}

static const char *match_back(struct match *match, const struct item *item, const char *at) {
  const struct capture *capture = &match->captures[item->number];
  if (capture->length == CAPTURE_POSITION || match->end - at < capture->length) return NULL;
  match_step(match, capture->length / 16);
  return memcmp(capture->begin, at, (size_t)capture->length) ? NULL : at + capture->length;
}

static bool is_frontier(const struct match *match, const struct item *item, const char *at) {
  const set *members = &sets_of(match->pattern)[item->number];
  int before = at == match->subject ? 0 : (unsigned char)at[-1], here = at == match->end ? 0 : (unsigned char)*at;
  return !has_byte(members, before) && has_byte(members, here);
}

static const char *match_open(struct match *match, const struct item *item, const char *at) {
  struct capture *capture = &match->captures[item->number];
  *capture = (struct capture){at, item->kind == OPEN ? CAPTURE_OPEN : CAPTURE_POSITION};
  match->level = (int)item->number + 1;
  const char *end = match_items(match, item + 1, at);
  if (!end) match->level = (int)item->number;
  return end;
}

static const char *match_close(struct match *match, const struct item *item, const char *at) {
  struct capture *capture = &match->captures[item->number];
  capture->length = at - capture->begin;
  const char *end = match_items(match, item + 1, at);
  if (!end) capture->length = CAPTURE_OPEN;
  return end;
}

static const char *match_repeated(struct match *match, const struct item *item, const char *at) {
  if (item->repeat == '-') return match_lazy(match, item, at);
  if (item->repeat != '?') return match_greedy(match, item, at, item->repeat == '+');
  const char *end = matches_byte(match, item, at) ? match_items(match, item + 1, at + 1) : NULL;
  return end ? end : match_items(match, item + 1, at);
}

/* Loops over items that neither repeat nor capture, and recurses for the others. */
static const char *match_rest(struct match *match, const struct item *item, const char *at) {
  for (; at; item++) {
    match_step(match, 1);
    if (item->repeat) return match_repeated(match, item, at);
    switch (item->kind) {
    case OPEN:
    case OPEN_POSITION: return match_open(match, item, at);
    case CLOSE: return match_close(match, item, at);
    case BALANCE: at = match_balance(match, item, at); break;
    case FRONTIER: at = is_frontier(match, item, at) ? at : NULL; break;
    case BACK: at = match_back(match, item, at); break;
    case END_OF_SUBJECT: at = at == match->end ? at : NULL; break;
    case END_OF_PATTERN: return at;
    default: at = matches_byte(match, item, at) ? at + 1 : NULL;
    }
  }
  return NULL;
}

static const char *match_items(struct match *match, const struct item *item, const char *at) {
  if (match->depth-- == 0) luaL_error(match->L, "pattern too complex");
  const char *end = match_rest(match, item, at);
  match->depth++;
  return end;
}

const char *pattern_match(struct match *match, const char *at) {
  enum { MAX_DEPTH = 200 };
  match->level = 0;
  match->depth = MAX_DEPTH;
  return match_items(match, match->pattern->items, at);
}

void match_push_capture(struct match *match, int i, const char *begin, const char *end) {
  if (i >= match->level && i != 0) luaL_error(match->L, "invalid capture index %%%d", i + 1);
  const struct capture *capture = &match->captures[i];
  if (i >= match->level)
    lua_pushlstring(match->L, begin, (size_t)(end - begin));
  else if (capture->length == CAPTURE_POSITION)
    lua_pushinteger(match->L, capture->begin - match->subject + 1);
  else
    lua_pushlstring(match->L, capture->begin, (size_t)capture->length);
}

int match_push_captures(struct match *match, const char *begin, const char *end) {
  int count = match->level == 0 && begin ? 1 : match->level;
  luaL_checkstack(match->L, count, "too many captures");
  for (int i = 0; i < count; i++) match_push_capture(match, i, begin, end);
  return count;
}
