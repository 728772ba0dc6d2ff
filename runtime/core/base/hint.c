/* hint.c: hints in the words of their reader. All are written as calls of C:

     in C                            in a script            in the text of an expression
     strew_to(x, float32)            x:to("float32")        float32(x)
     strew_binary(STREW_NE, x, 0)    x:ne(0)                x ~= 0
     {.dim = 0}, STREW_WRAP          {dim = 0}, "wrap" */
#include "call.h"

#include <ctype.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* What those rules do not give: in C, in a script, in a text; NULL: the same. $0 and $1 are a text's operands. */
static const char *const phrases[][3] = {
    {"strew_svd(self) takes", "self:pinv() and self:lstsq(other) take", NULL},
    {"*out NULL makes a new tensor", "without the underscore the result is a new tensor", NULL},
    {" is a bool tensor; strew_where(condition, t, b) chooses from t",
     " is a bool tensor; strew.where(condition, t, b) chooses from t, where t:where(a, b) takes t as the condition",
     " is a bool"},
    {" is a bool tensor", NULL, " is a bool"},
    {"ne(a, b) tells", NULL, "~= tells"},
    {"b - a are", NULL, "$1 - $0 are"},
    {"div gives floats, where x / 0 is inf or nan", NULL, "$0 / $1 gives floats: inf or nan where it divides by 0"},
    {"strew_save_table of a table without words saves the codes", "{words = {}} saves the codes without them", NULL},
    {"strew_to and strew_copy take a tensor of another context",
     "to and copy_ take a tensor of another context; x:to(\"cpu\") copies x into its own", NULL},
    {"strew_time_parse reads a time from text", "a time is written as text: \"2024-05-17\"", NULL},
    {"strew_string makes a word of a string", "a word is a string: \"Oslo\"", "a word is a string: \"Oslo\""},
    {"strew_to(x, text) writes numbers as words", "strew.text(x) writes numbers as words",
     "strew.text(x) writes numbers as words"},
    {"strew_text makes text of codes and words: those of self without what is no number",
     "w = self.words; for i = 1, #w do w[i] = string.gsub(w[i], \"[^%d.-]\", \"\") end; "
     "self = strew.text(self:codes(), w)",
     NULL},
    {"strew_image(x)", "strew.image(x)", NULL},
    {"strew_get_rows(self, index)", "self[index]", NULL},
    {"strew_group_reduce(index, src, ", "strew.scatter(src, index, ", NULL},
    {"strew_table_from_arrow", "strew.from_arrow", NULL},
    {"strew_load", "strew.load", NULL},
    {"strew_text makes", "strew.text makes", NULL},
    {"strew_take_with(self, index)", "self:take(index)", NULL},
    {"sizes of src", "src", NULL},
};
/* What has the name of a column as a key: as it is written, and in a script if that is a name, or else. */
static const char *const columns[][3] = {
    {".dates = {\"%63[^\"]\"}, .date_formats = {%63[^}]}%n", "dates = {%s = %s}", "dates = {[\"%s\"] = %s}"},
    {".dates = {%63[0-9]}, .date_formats = {%63[^}]}%n", NULL, "dates = {[\"%s\"] = %s}"},
    {".lists.rules = {{\"%63[^\"]\", .unit = %63[^}]}}%n", "unit = {%s = %s}", "unit = {[\"%s\"] = %s}"},
    {".lists.rules = {{%63[0-9], .unit = %63[^}]}}%n", NULL, "unit = {[%s] = %s}"},
    {"[\"%63[^\"]\"] %1[=]%n", "%s %s", "[\"%s\"] %s"},
    {"x[\"%63[^\"]%1[\"]]%n", "x.%s", "x[\"%s%s]"},
};

static void append(char *out, const char *format, ...) __attribute__((format(printf, 2, 3)));
static void append(char *out, const char *format, ...) {
  const size_t length = strlen(out);
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(out + length, TEXT_BYTES - length, format, arguments);
  va_end(arguments);
}

const char lua_keywords[] =
    " and break do else elseif end false for function goto if in local nil not or repeat return "
    "then true until while ";

static bool is_name(const char *word) {
  char spaced[TEXT_BYTES];
  size_t length = 0;
  while (isalnum((unsigned char)word[length]) || word[length] == '_') length++;
  snprintf(spaced, sizeof spaced, " %s ", word);
  return !word[length] && !isdigit((unsigned char)*word) && !strstr(lua_keywords, spaced);
}

/* What follows does so for the part of a hint that begins with `from`, and returns its length; 0: it is none. */
static size_t append_phrase(const char *from, enum dialect dialect, char *out) {
  for (size_t i = 0; i < sizeof phrases / sizeof *phrases; i++) {
    const size_t length = strlen(phrases[i][0]);
    if (*from == *phrases[i][0] && phrases[i][dialect] && !strncmp(from, phrases[i][0], length))
      return append(out, "%s", phrases[i][dialect]), length;
  }
  return 0;
}

static size_t append_column(const char *from, char *out) {
  char name[64], value[64];
  int length = 0;
  for (size_t i = 0; i < sizeof columns / sizeof *columns; i++)
    if (*from == *columns[i][0] && sscanf(from, columns[i][0], name, value, &length) == 2 && length)
      return append(out, columns[i][is_name(name) ? 1 : 2], name, value), (size_t)length;
  return 0;
}

/* STREW_WRAP, and the point before the name of an option. */
static size_t append_word(const char *from, const char *start, char *out) {
  char word[32];
  int length = 0;
  if (*from == 'S' && sscanf(from, "STREW_%31[A-Z0-9]%n", word, &length) == 1 && from[length] != '_') {
    for (char *c = word; *c; c++) *c = (char)tolower((unsigned char)*c);
    return append(out, "\"%s\"", word), (size_t)length;
  }
  const bool is_option =
      *from == '.' && from > start && strchr("{ ", from[-1]) && sscanf(from, ".%31[a-z_] =%n", word, &length) == 1;
  return is_option && length ? 1 : 0;
}

static void render(const char *from, const char *end, enum dialect dialect, char *out);

/* strew_NAME(LIST), also of an operation STREW_NAME; nothing but conversions and comparisons are calls in a text. */
static size_t append_call(const char *from, enum dialect dialect, char *out) {
  char name[32], list[TEXT_BYTES] = "";
  int depth = 1, at = 0, operation = 0;
  strew_dtype dtype = STREW_DTYPE_COUNT;
  if (*from != 's' || sscanf(from, "strew_%31[a-z_](%n", name, &at) != 1 || !at) return 0;
  const char *end = from + at;
  for (; *end && depth; end++) depth += (*end == '(') - (*end == ')');
  if (depth) return 0;
  if (sscanf(from + at, "STREW_%31[A-Z], %n", name, &operation) == 1)
    for (char *c = name; *c; c++) *c = (char)tolower((unsigned char)*c);
  render(from + at + operation, end - 1, dialect, list);
  char *comma = strstr(list, ", ");
  const char *rest = comma ? comma + strlen(", ") : "";
  if (comma) *comma = '\0';
  if (!strcmp(name, "expand")) strcpy(name, "expand_as");
  if (!strcmp(name, "to")) strew_dtype_from_word(rest, &dtype, NULL);
  if (dialect == IN_SCRIPT)
    append(out, strcmp(name, "to") ? "%s:%s(%s)" : "%s:%s(\"%s\")", list, name, rest);
  else if (dtype < STREW_DTYPE_COUNT)
    append(out, "%s(%s)", rest, list);
  else if (!strcmp(name, "ne"))
    append(out, "%s ~= %s", list, rest);
  else
    append(out, "%.*s", (int)(end - from), from);
  return (size_t)(end - from);
}

static void render(const char *from, const char *end, enum dialect dialect, char *out) {
  const char *start = from;
  for (size_t length; from < end; from += length) {
    length = strcspn(from, " *.S[bdnsx"); /* with which the others begin */
    if (length > (size_t)(end - from)) length = (size_t)(end - from);
    append(out, "%.*s", (int)length, from);
    if (!length) length = append_phrase(from, dialect, out);
    if (!length) length = append_call(from, dialect, out);
    if (!length && dialect == IN_SCRIPT) length = append_column(from, out);
    if (!length && dialect == IN_SCRIPT) length = append_word(from, start, out);
    if (!length) append(out, "%c", *from), length = 1;
  }
}

void hint_render(const char *hint, enum dialect dialect, char *out) {
  *out = '\0';
  render(hint, hint + strlen(hint), dialect, out);
}

void strew_error_script(strew_error *error) {
  char hint[TEXT_BYTES];
  static const char *const signs[] = {"strew_", "STREW_", "{.", "{[\"", "*out"};
  for (size_t i = 0; !strstr(error->hint, signs[i]);)
    if (++i == sizeof signs / sizeof *signs) return;
  hint_render(error->hint, IN_SCRIPT, hint);
  strew_error_hint(error, hint);
}
