/* npy_header.c: the header of a .npy: a Python dictionary literal with the keys 'descr', 'fortran_order' and 'shape'.
   The parser knows only the literals that can be valid here: strings without escapes, True, False, and tuples of
   integers. Blanks may separate any two tokens. */
#include "npy.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static const char magic[] = "\x93NUMPY";
enum { MAGIC_BYTES = 6, BLOCK_BYTES = 64 /* alignment of the elements */ };

/* NumPy's words for dtypes, without the byte order that precedes them, and elements' bytes; of times, what an element
   counts, in microseconds, or, below 0, how many a microsecond has. A dtype is written by the first word that names
   it. */
static const struct {
  const char *word;
  strew_dtype dtype;
  size_t bytes;
  const char *name; /* NULL: the dtype's */
  int64_t unit;
} words[] = {
    {"f4", STREW_FLOAT32, 4, NULL, 0},
    {"f8", STREW_FLOAT64, 8, NULL, 0},
    {"f2", STREW_FLOAT16, 2, NULL, 0},
    {"i8", STREW_INT64, 8, NULL, 0},
    {"i4", STREW_INT32, 4, NULL, 0},
    {"i2", STREW_INT16, 2, NULL, 0},
    {"i1", STREW_INT8, 1, NULL, 0},
    {"u1", STREW_UINT8, 1, NULL, 0},
    {"b1", STREW_BOOL, 1, NULL, 0},
    {"u2", STREW_UINT16, 2, NULL, 0},
    {"u4", STREW_UINT32, 4, NULL, 0},
    {"u8", STREW_UINT64, 8, NULL, 0},
    {"M8[us]", STREW_TIME, 8, "datetime64[us]", 1},
    {"M8[ns]", STREW_TIME, 8, "datetime64[ns]", -1000},
    {"M8[ms]", STREW_TIME, 8, "datetime64[ms]", 1000},
    {"M8[s]", STREW_TIME, 8, "datetime64[s]", 1000000},
    {"M8[m]", STREW_TIME, 8, "datetime64[m]", 60000000},
    {"M8[h]", STREW_TIME, 8, "datetime64[h]", 3600000000},
    {"M8[D]", STREW_TIME, 8, "datetime64[D]", 86400000000},
};

/* Other names that NumPy takes for them; letters may follow a byte order. */
static const struct {
  const char *name, *word;
} other_names[] = {
    {"?", "b1"},      {"b", "i1"},      {"B", "u1"},     {"h", "i2"},     {"H", "u2"},        {"i", "i4"},
    {"I", "u4"},      {"l", "i8"},      {"L", "u8"},     {"q", "i8"},     {"Q", "u8"},        {"p", "i8"},
    {"P", "u8"},      {"e", "f2"},      {"f", "f4"},     {"d", "f8"},     {"bool_", "b1"},    {"half", "f2"},
    {"single", "f4"}, {"double", "f8"}, {"float", "f8"}, {"byte", "i1"},  {"ubyte", "u1"},    {"short", "i2"},
    {"ushort", "u2"}, {"intc", "i4"},   {"uintc", "u4"}, {"int", "i8"},   {"int_", "i8"},     {"uint", "u8"},
    {"long", "i8"},   {"ulong", "u8"},  {"intp", "i8"},  {"uintp", "u8"}, {"longlong", "i8"}, {"ulonglong", "u8"},
};

static const char *name_at(size_t i) { return words[i].name ? words[i].name : strew_dtype_name(words[i].dtype); }

/* True if a file's word is that of words[i]; is_bare: no byte order precedes it. */
static bool is_word(size_t i, const char *word, bool is_bare) {
  if (strcmp(words[i].word, word) == 0) return true;
  if ((is_bare || words[i].unit) && strcmp(name_at(i), word) == 0) return true;
  for (size_t k = 0; k < sizeof other_names / sizeof *other_names; k++)
    if ((is_bare || !word[1]) && strcmp(other_names[k].name, word) == 0)
      return strcmp(other_names[k].word, words[i].word) == 0;
  return false;
}

static const char *word_of(strew_dtype dtype) {
  for (size_t i = 0; i < sizeof words / sizeof *words; i++)
    if (words[i].dtype == dtype) return words[i].word;
  return NULL;
}

bool npy_has_dtype(strew_dtype dtype) { return dtype == STREW_TEXT || word_of(dtype) != NULL; }

/* ------------------------------------------------------------------------------------------------------- failures */

static bool refuse(struct npy_refusal *refusal, const char *hint, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
static bool refuse(struct npy_refusal *refusal, const char *hint, const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(refusal->fact, sizeof refusal->fact, format, arguments);
  va_end(arguments);
  refusal->hint = hint;
  return false;
}

/* --------------------------------------------------------------------------------------------------------- prefix */

bool npy_parse_prefix(const unsigned char *prefix, size_t *begin, size_t *length, struct npy_refusal *refusal) {
  if (memcmp(prefix, magic, MAGIC_BYTES) != 0)
    return refuse(refusal, NULL, "does not begin with the magic string of .npy files, \\x93NUMPY");
  int major = prefix[MAGIC_BYTES], minor = prefix[MAGIC_BYTES + 1];
  if (major < 1 || major > 3 || minor != 0)
    return refuse(refusal, NULL, "has version %d.%d of the format, expected 1.0, 2.0 or 3.0", major, minor);
  const unsigned char *at = prefix + MAGIC_BYTES + 2;
  bool is_short = major == 1;
  *begin = is_short ? 10 : 12;
  *length = at[0] + 256u * at[1];
  if (!is_short) *length += 65536u * at[2] + ((size_t)at[3] << 24);
  if (*length >= NPY_HEADER_LIMIT)
    return refuse(refusal, NULL, "has a header of %zu bytes, expected fewer than %d", *length, NPY_HEADER_LIMIT);
  return true;
}

/* ------------------------------------------------------------------------------------------------------- literals */

struct parser {
  const char *begin, *at, *end;
  struct npy_refusal *refusal;
};

static bool unexpected(struct parser *p, const char *expected) {
  refuse(p->refusal, NULL, "has an invalid header: expected %s at its byte %zd", expected, p->at - p->begin);
  return false;
}

static void skip_blanks(struct parser *p) {
  while (p->at < p->end && strchr(" \t\n\r\f", *p->at) && *p->at) p->at++;
}

/* Skips blanks, and then `word` if it is next; true if it was. */
static bool accept(struct parser *p, const char *word) {
  size_t length = strlen(word);
  skip_blanks(p);
  if ((size_t)(p->end - p->at) < length || memcmp(p->at, word, length) != 0) return false;
  p->at += length;
  return true;
}

/* Parses a string without escapes, of at most size - 1 bytes. */
static bool parse_string(struct parser *p, char *text, size_t size) {
  skip_blanks(p);
  char quote = (char)(p->at < p->end ? *p->at : '\0');
  if (quote != '\'' && quote != '"') return unexpected(p, "a string");
  const char *from = p->at + 1, *to = memchr(from, quote, (size_t)(p->end - from));
  if (!to || memchr(from, '\\', (size_t)(to - from)) || memchr(from, '\0', (size_t)(to - from)) ||
      (size_t)(to - from) >= size)
    return unexpected(p, "a short and plain string");
  memcpy(text, from, (size_t)(to - from));
  text[to - from] = '\0';
  p->at = to + 1;
  return true;
}

static bool parse_size(struct parser *p, int64_t *size) {
  skip_blanks(p);
  if (p->at < p->end && *p->at == '-') return refuse(p->refusal, NULL, "has a negative size in its shape");
  const char *first = p->at;
  for (*size = 0; p->at < p->end && *p->at >= '0' && *p->at <= '9'; p->at++)
    if (__builtin_mul_overflow(*size, 10, size) || __builtin_add_overflow(*size, *p->at - '0', size))
      return refuse(p->refusal, NULL, "has a size in its shape larger than 2^63 - 1");
  if (p->at == first) return unexpected(p, "a whole number");
  if (p->at < p->end && *p->at == 'L') p->at++; /* suffix of long integers in Python 2 */
  return true;
}

/* ----------------------------------------------------------------------------------------------------- the values */

/* Refuses a dtype that strew does not have; the hint says what to do in NumPy. */
static bool refuse_word(struct parser *p, const char *descr, const char *word) {
  static const struct {
    const char *first, *kind, *hint;
  } kinds[] = {
      {"complex", "complex numbers", "in NumPy: save a.real and a.imag"},
      {"longdouble", "floats of that size", "in NumPy: a.astype(\"float64\")"},
      {"float128", "floats of that size", "in NumPy: a.astype(\"float64\")"},
      {"datetime64", "dates of that unit", "in NumPy: a.astype(\"datetime64[us]\")"},
      {"timedelta64", "spans of time", "in NumPy: a.astype(\"int64\")"},
      {"object", "Python objects", "in NumPy: save an array of numbers"},
      {"str", "texts of that width", "in NumPy: a.astype(str)"},
      {"O", "Python objects", "in NumPy: save an array of numbers"},
      {"u", "unsigned integers of that size", "in NumPy: a.astype(\"uint64\")"},
      {"c", "complex numbers", "in NumPy: save a.real and a.imag"},
      {"f", "floats of that size", "in NumPy: a.astype(\"float64\")"},
      {"i", "integers of that size", "in NumPy: a.astype(\"int64\")"},
      {"V2", "raw bytes", "NumPy saves ml_dtypes' bfloat16 so; a.astype(\"float32\") keeps every value"},
      {"V", "raw bytes", "in NumPy: a.view(...) gives them a dtype"},
      {"S", "texts of that width", "in NumPy: a.astype(str)"},
      {"U", "texts of that width", "in NumPy: a.astype(str)"},
      {"M", "dates of that unit", "in NumPy: a.astype(\"datetime64[us]\")"},
      {"m", "spans of time", "in NumPy: a.astype(\"int64\")"},
  };
  if (strchr(word, ','))
    return refuse(p->refusal, "in NumPy: save its fields one by one, a[\"f0\"]",
                  "holds elements of a structured dtype, '%s', which strew does not have", descr);
  const size_t digits = *word ? 1 + strspn(word + 1, "0123456789") : 0; /* of a letter and a size */
  const bool is_sized = !word[digits] || (word[digits] == '[' && strchr("Mm", *word));
  for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
    if (!strncmp(word, kinds[i].first, strlen(kinds[i].first)) && (is_sized || kinds[i].first[1] > '9'))
      return refuse(p->refusal, kinds[i].hint, "holds elements of NumPy's dtype '%s', %s, which strew does not have",
                    descr, kinds[i].kind);
  return refuse(p->refusal, NULL, "holds elements of an unknown dtype '%s'", descr);
}

/* Accepts <U and S, of 1 to 10^6 characters. */
static bool parse_text(const char *word, struct npy_header *header) {
  enum { MOST = 1000000 };
  size_t width = 0;
  if (*word != 'U' && *word != 'S') return false;
  for (const char *at = word + 1; *at && width <= MOST; at++) {
    if (*at < '0' || *at > '9') return false;
    width = 10 * width + (size_t)(*at - '0');
  }
  if (width < 1 || width > MOST) return false;
  header->text_unit = *word == 'U' ? 4 : 1;
  header->dtype = STREW_TEXT;
  header->file_dtype = "text";
  header->file_bytes = width * header->text_unit;
  return true;
}

static bool parse_descr(struct parser *p, struct npy_header *header) {
  char descr[32];
  if (accept(p, "["))
    return refuse(p->refusal, "in NumPy: save its fields one by one, a[\"name\"]",
                  "holds elements of a structured dtype, which strew does not have");
  if (!parse_string(p, descr, sizeof descr)) return false;
  const char *word = descr + (*descr && strchr("<>=|", *descr) != NULL);
  header->text_unit = 0;
  if (parse_text(word, header)) {
    header->is_swapped = header->text_unit > 1 && (*descr == '>') == IS_LITTLE_ENDIAN;
    return true;
  }
  for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
    if (!is_word(i, word, word == descr)) continue;
    header->dtype = words[i].dtype;
    header->file_dtype = name_at(i);
    header->file_bytes = words[i].bytes;
    header->unit = words[i].unit;
    bool is_marked = *descr == '<' || *descr == '>';
    header->is_swapped = is_marked && header->file_bytes > 1 && (*descr == '<') != IS_LITTLE_ENDIAN;
    return true;
  }
  for (char *c = descr; *c; c++)
    if ((unsigned char)*c < ' ' || *c == 0x7f) *c = '?';
  return refuse_word(p, descr, word);
}

static bool parse_order(struct parser *p, struct npy_header *header) {
  header->is_fortran = accept(p, "True");
  return header->is_fortran || accept(p, "False") || unexpected(p, "True or False");
}

/* Parses a tuple of sizes; a single size must have a comma after it. */
static bool parse_shape(struct parser *p, struct npy_header *header) {
  if (!accept(p, "(")) return unexpected(p, "(");
  bool has_comma = true;
  for (header->rank = 0; !accept(p, ")"); header->rank++) {
    if (!has_comma) return unexpected(p, ", or )");
    if (header->rank == MAX_RANK)
      return refuse(p->refusal, "in NumPy: a.reshape(...)", "has more than %d dimensions, the largest rank", MAX_RANK);
    if (!parse_size(p, &header->sizes[header->rank])) return false;
    has_comma = accept(p, ",");
  }
  return header->rank != 1 || has_comma || unexpected(p, "a comma before the end of a tuple of one");
}

bool npy_parse_header(const char *text, size_t length, struct npy_header *out, struct npy_refusal *refusal) {
  static const struct {
    const char *key;
    bool (*parse)(struct parser *p, struct npy_header *header);
  } entries[] = {{"descr", parse_descr}, {"fortran_order", parse_order}, {"shape", parse_shape}};
  enum { ENTRIES = sizeof entries / sizeof *entries };
  struct parser parser = {text, text, text + length, refusal}, *p = &parser;
  bool is_given[ENTRIES] = {false}, has_comma = true;
  char key[32];
  if (!accept(p, "{")) return unexpected(p, "{");
  while (!accept(p, "}")) {
    if (!has_comma) return unexpected(p, ", or }");
    if (!parse_string(p, key, sizeof key)) return false;
    int i = 0;
    while (i < ENTRIES && strcmp(key, entries[i].key) != 0) i++;
    if (i == ENTRIES || is_given[i]) return unexpected(p, "one each of 'descr', 'fortran_order', 'shape'");
    if (!accept(p, ":")) return unexpected(p, ":");
    if (!entries[i].parse(p, out)) return false;
    is_given[i] = true;
    has_comma = accept(p, ",");
  }
  for (int i = 0; i < ENTRIES; i++)
    if (!is_given[i]) return refuse(refusal, NULL, "has a header without '%s'", entries[i].key);
  skip_blanks(p);
  return p->at == p->end || unexpected(p, "nothing more");
}

/* -------------------------------------------------------------------------------------------------------- writing */

/* Writes version 1.0, which is enough for any tensor. The header is padded with blanks and ends in a newline. */
size_t npy_write_header(const struct npy_header *header, char *to) {
  strew_dtype dtype = header->dtype;
  char *text = to + 10;
  const char *order = dtype_bytes(dtype) == 1 ? "|" : IS_LITTLE_ENDIAN ? "<" : ">";
  char characters[24];
  sprintf(characters, "U%zu", header->file_bytes / 4);
  int length = sprintf(text, "{'descr': '%s%s', 'fortran_order': %s, 'shape': (", order,
                       dtype == STREW_TEXT ? characters : word_of(dtype), header->is_fortran ? "True" : "False");
  for (int d = 0; d < header->rank; d++)
    length += sprintf(text + length, d ? ", %" PRId64 : "%" PRId64, header->sizes[d]);
  length += sprintf(text + length, "%s), }", header->rank == 1 ? "," : "");
  size_t size = (10 + (size_t)length + 1 + BLOCK_BYTES - 1) / BLOCK_BYTES * BLOCK_BYTES;
  memset(text + length, ' ', size - 10 - (size_t)length);
  to[size - 1] = '\n';
  memcpy(to, magic, MAGIC_BYTES);
  to[6] = 1, to[7] = 0, to[8] = (char)((size - 10) & 0xff), to[9] = (char)((size - 10) >> 8);
  return size;
}
