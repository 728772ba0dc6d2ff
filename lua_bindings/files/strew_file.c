/* strew_file.c: loads and saves tensors and tables of them. The runtime chooses the file format. */
#include "lua_bindings/core/strew_bind.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Replaces "~" or "~/..." by the path in $HOME. */
static bool expand_home(lua_State *L, struct script_call *call, int i, const char *name, const char **path) {
  const char *home = getenv("HOME");
  if ((*path)[0] != '~' || ((*path)[1] && (*path)[1] != '/')) return true;
  if (!home || !*home) {
    bind_fail(call, STREW_EARGUMENT, name, "is \"%.40s\", but HOME is not set", *path);
    bind_hint(call, "\"./~\" is a file of that name");
    return false;
  }
  lua_pushfstring(L, "%s%s", home, *path + 1);
  *path = lua_tostring(L, -1);
  lua_replace(L, i);
  return true;
}

/* Paths are C strings, without zero bytes. */
static bool bind_path(lua_State *L, struct script_call *call, int i, const char *name, void *out) {
  const char *path = NULL;
  if (!bind_string(L, call, i, name, &path)) return false;
  if (strlen(path) != lua_rawlen(L, i)) {
    bind_fail(call, STREW_EARGUMENT, name, "is \"%.40s\" and more after a zero byte, which no file name can hold",
              path);
    return false;
  }
  if (!expand_home(L, call, i, name, &path)) return false;
  *(const char **)out = path;
  return true;
}

/* --------------------------------------------------------------------------------------------------- tables held */

static void release_table(union owned object) { strew_table_release(object.table); }

static const struct owner_type held_tables = {"strew.held", "strew.held", release_table, {{NULL, NULL}}};

/* -------------------------------------------------------------------------------------------------- options of .csv */

static bool bind_header(lua_State *L, struct script_call *call, int i, const char *name, void *out) {
  bool header;
  if (!bind_boolean(L, call, i, name, &header)) return false;
  *(strew_header *)out = header ? STREW_HEADER_YES : STREW_HEADER_NO;
  return true;
}

static bool bind_separator(lua_State *L, struct script_call *call, int i, const char *name, void *out) {
  const char *text;
  if (!bind_string(L, call, i, name, &text)) return false;
  if (lua_rawlen(L, i) != 1 || !*text)
    return bind_fail(call, STREW_EARGUMENT, name, "is \"%.40s\", expected a single character", text), false;
  *(char *)out = *text;
  return true;
}

/* The separator of a file that is read: "blanks" is any run of them. */
static bool bind_separator_or_blanks(lua_State *L, struct script_call *call, int i, const char *name, void *out) {
  const bool is_string = lua_type(L, i) == LUA_TSTRING;
  if (is_string && strcmp(lua_tostring(L, i), "blanks") == 0) return *(char *)out = STREW_BLANKS, true;
  if (is_string && lua_rawlen(L, i) == 1 && *lua_tostring(L, i) == STREW_BLANKS)
    return bind_fail(call, STREW_EARGUMENT, name, "is \"%c\", expected a character other than a letter, or \"blanks\"",
                     STREW_BLANKS),
           false;
  return bind_separator(L, call, i, name, out);
}

/* Columns by name or number, or words: an option of the runtime, a list and its length; `most` is the capacity. */
struct keys {
  size_t most;
  const char *expected; /* "names or numbers of columns" */
  const char *const **option;
  int64_t *count;
  const char **names;
  char (*numbers)[24];
  strew_scalar *values; /* of numbers, which are no names then; NULL: they are */
  int64_t value_count;
};

/* A column, and the format of its dates. */
struct format {
  const char *column, *format;
};

struct dates {
  struct keys keys;
  bool *all;
  const char **formats;  /* of each key, or NULL */
  struct format *sorted; /* scratch */
};

static bool read_key(lua_State *L, struct script_call *call, const char *name, struct keys *keys) {
  char text[TEXT_BYTES];
  int i = lua_gettop(L);
  const char *key = lua_type(L, i) == LUA_TSTRING ? lua_tostring(L, i) : NULL;
  if (keys->values && lua_type(L, i) == LUA_TNUMBER) {
    keys->values[keys->value_count++] =
        lua_isinteger(L, i) ? strew_int(lua_tointeger(L, i)) : strew_float(lua_tonumber(L, i));
    return true;
  }
  if (lua_isinteger(L, i)) {
    snprintf(keys->numbers[*keys->count], sizeof *keys->numbers, "%lld", (long long)lua_tointeger(L, i));
    key = keys->numbers[*keys->count];
  }
  if (!key)
    return bind_fail(call, STREW_EARGUMENT, name, "has %s, expected %s", bind_text(L, call, i, text), keys->expected),
           false;
  keys->names[(*keys->count)++] = key;
  return true;
}

/* Reads a sequence. */
static bool read_keys(lua_State *L, struct script_call *call, int i, const char *name, struct keys *keys) {
  int table;
  char text[TEXT_BYTES];
  if (!bind_table(L, call, i, name, &table)) {
    if (lua_type(L, i) != LUA_TSTRING) return false;
    const bool is_short = lua_rawlen(L, i) < 40 && !strpbrk(lua_tostring(L, i), "\"\\");
    bind_hint(call, is_short ? "%s = {%s}" : "%s = {name}, a table of names", name, bind_text(L, call, i, text));
    return false;
  }
  *keys->option = keys->names;
  *keys->count = keys->value_count = 0;
  for (lua_Unsigned k = 1; k <= lua_rawlen(L, i) && k <= keys->most; k++) {
    lua_rawgeti(L, i, (lua_Integer)k);
    if (!read_key(L, call, name, keys)) return false;
    lua_pop(L, 1);
  }
  return true;
}

static bool bind_keys(lua_State *L, struct script_call *call, int i, const char *name, void *out) {
  return read_keys(L, call, i, name, out) && bind_check_sequence(L, call, i, name, "");
}

static int compare_columns(const void *a, const void *b) {
  return strcmp(((const struct format *)a)->column, ((const struct format *)b)->column);
}

/* Rules of single columns: two options write the same list. */
struct rules {
  size_t most, count;
  strew_csv_rule *rules;
  strew_dtype *dtypes;
  char (*numbers)[24];
  int *wanted; /* of dtype: that of all columns, -1: none */
};

static int compare_rules(const void *a, const void *b) {
  const strew_csv_rule *x = a, *y = b;
  const int order = strcmp(x->column, y->column);
  return order ? order : (x->unit == NULL) - (y->unit == NULL);
}

/* Reads a table of values by column, names or numbers, each of which `take` reads into a rule. */
static bool read_rules(lua_State *L, struct script_call *call, int i, const char *name, struct rules *rules,
                       bool (*take)(lua_State *, struct script_call *, const char *, struct rules *)) {
  char text[TEXT_BYTES];
  int table;
  if (!bind_table(L, call, i, name, &table)) return false;
  for (lua_pushnil(L); lua_next(L, i); lua_pop(L, 1)) {
    const char *column = lua_type(L, -2) == LUA_TSTRING ? lua_tostring(L, -2) : NULL;
    if (rules->count == rules->most) break; /* finalizers may have added keys since they were counted */
    if (lua_isinteger(L, -2)) {
      snprintf(rules->numbers[rules->count], sizeof *rules->numbers, "%lld", (long long)lua_tointeger(L, -2));
      column = rules->numbers[rules->count];
    }
    if (!column)
      return bind_fail(call, STREW_EARGUMENT, name, "has key %s, expected names or numbers of columns",
                       bind_text(L, call, lua_gettop(L) - 1, text)),
             false;
    rules->rules[rules->count] = (strew_csv_rule){.column = column};
    if (!take(L, call, name, rules)) return false;
    rules->count++;
  }
  qsort(rules->rules, rules->count, sizeof *rules->rules, compare_rules); /* errors are in the order of the names */
  return true;
}

static bool take_unit(lua_State *L, struct script_call *call, const char *name, struct rules *rules) {
  char text[TEXT_BYTES];
  const int top = lua_gettop(L);
  rules->rules[rules->count].unit = lua_type(L, top) == LUA_TSTRING ? lua_tostring(L, top) : NULL;
  if (rules->rules[rules->count].unit) return true;
  return bind_fail(call, STREW_EARGUMENT, name, "has %s for column \"%.40s\", expected a unit, as \"%%\"",
                   bind_text(L, call, top, text), rules->rules[rules->count].column),
         false;
}

static bool take_dtype(lua_State *L, struct script_call *call, const char *name, struct rules *rules) {
  int wanted;
  const int top = lua_gettop(L);
  const char *word = lua_type(L, top) == LUA_TSTRING ? lua_tostring(L, top) : "";
  const bool is_kind = strcmp(word, "text") == 0 || strcmp(word, "time") == 0;
  if (!is_kind && !bind_wanted_dtype(L, call, top, name, &wanted)) return false;
  rules->dtypes[rules->count] = !is_kind ? (strew_dtype)wanted : word[1] == 'e' ? STREW_TEXT : STREW_TIME;
  rules->rules[rules->count].dtype = &rules->dtypes[rules->count];
  return true;
}

static bool bind_units(lua_State *L, struct script_call *call, int i, const char *name, void *out) {
  return read_rules(L, call, i, name, out, take_unit);
}

/* The dtype of all columns of numbers, or dtypes by column. */
static bool bind_dtypes(lua_State *L, struct script_call *call, int i, const char *name, void *out) {
  struct rules *rules = out;
  return lua_istable(L, i) ? read_rules(L, call, i, name, rules, take_dtype)
                           : bind_wanted_dtype(L, call, i, name, rules->wanted);
}

/* Adds the columns that are keys of the table at i, with the formats that are their values, in the order of their names. */
static bool read_formats(lua_State *L, struct script_call *call, int i, const char *name, const struct dates *dates) {
  const struct keys *keys = &dates->keys;
  size_t count = 0;
  char text[TEXT_BYTES];
  const size_t most = keys->most - (size_t)*keys->count; /* finalizers may have added keys since they were counted */
  for (lua_pushnil(L); lua_next(L, i); lua_pop(L, 1)) {
    if (lua_isinteger(L, -2) && (lua_Unsigned)lua_tointeger(L, -2) - 1 < lua_rawlen(L, i)) continue;
    if (lua_type(L, -2) != LUA_TSTRING)
      return bind_fail(call, STREW_EARGUMENT, name, "has key %s, expected columns, or formats by column",
                       bind_text(L, call, lua_gettop(L) - 1, text)),
             false;
    if (lua_type(L, -1) != LUA_TSTRING)
      return bind_fail(call, STREW_EARGUMENT, name,
                       "has %s for column \"%.40s\", expected a format, as \"%%d.%%m.%%Y\"",
                       bind_text(L, call, lua_gettop(L), text), lua_tostring(L, -2)),
             false;
    if (count < most) dates->sorted[count++] = (struct format){lua_tostring(L, -2), lua_tostring(L, -1)};
  }
  qsort(dates->sorted, count, sizeof *dates->sorted, compare_columns);
  for (size_t k = 0; k < count; k++, ++*keys->count) {
    keys->names[*keys->count] = dates->sorted[k].column;
    dates->formats[*keys->count] = dates->sorted[k].format;
  }
  return true;
}

/* true: all columns of dates; else a sequence of columns, and formats by column. */
static bool bind_dates(lua_State *L, struct script_call *call, int i, const char *name, void *out) {
  struct dates *dates = out;
  if (lua_isboolean(L, i)) return bind_boolean(L, call, i, name, dates->all);
  return read_keys(L, call, i, name, &dates->keys) && read_formats(L, call, i, name, dates);
}

/* Allocates memory for the list `name` of the options before any argument is read. */
static struct keys prepare_keys(lua_State *L, const struct script_call *call, const char *name, const char *expected,
                                const char *const **option, int64_t *count) {
  struct keys keys = {.expected = expected, .option = option, .count = count};
  int top = lua_gettop(L), last = call->arguments;
  while (last && lua_isnil(L, last)) last--;
  if (last && lua_istable(L, last)) {
    lua_pushstring(L, name);
    const bool is_list = lua_rawget(L, last) == LUA_TTABLE;
    keys.most = is_list ? lua_rawlen(L, -1) : 0;
    for (lua_pushnil(L); is_list && lua_next(L, -2); lua_pop(L, 1)) keys.most += lua_type(L, -2) == LUA_TSTRING;
    lua_settop(L, top);
  }
  keys.names = lua_newuserdatauv(L, keys.most * sizeof *keys.names, 0);
  keys.numbers = lua_newuserdatauv(L, keys.most * sizeof *keys.numbers, 0);
  return keys;
}

/* Allocates memory for the rules of the options `dtype` and `unit`. */
static struct rules prepare_rules(lua_State *L, const struct script_call *call, int *wanted) {
  static const char *const names[] = {"dtype", "unit"};
  struct rules rules = {.wanted = wanted};
  int top = lua_gettop(L), last = call->arguments;
  while (last && lua_isnil(L, last)) last--;
  for (int k = 0; last && lua_istable(L, last) && k < 2; k++, lua_settop(L, top)) {
    lua_pushstring(L, names[k]);
    if (lua_rawget(L, last) != LUA_TTABLE) continue;
    for (lua_pushnil(L); lua_next(L, -2); lua_pop(L, 1)) rules.most++;
  }
  rules.rules = lua_newuserdatauv(L, rules.most * sizeof *rules.rules, 0);
  rules.dtypes = lua_newuserdatauv(L, rules.most * sizeof *rules.dtypes, 0);
  rules.numbers = lua_newuserdatauv(L, rules.most * sizeof *rules.numbers, 0);
  return rules;
}

/* ---------------------------------------------------------------------------------------------------------- loading */

/* The arguments of load and chunks. */
struct loading {
  const char *path;
  strew_device *device;
  strew_load_options options;
  strew_csv_options csv;
  strew_csv_lists lists;
  strew_error warning;
  struct keys text, columns, names, missing;
  struct dates dates;
  struct rules rules;
  int wanted;
  strew_dtype dtype;
};

static void prepare_loading(lua_State *L, const struct script_call *call, struct loading *loading) {
  static const char of_columns[] = "names or numbers of columns";
  strew_load_options *options = &loading->options;
  strew_csv_options *csv = &loading->csv;
  *loading = (struct loading){.device = call->binding->device, .options = {.csv = csv}, .wanted = -1};
  loading->warning.alias = call->error.alias;
  csv->warning = &loading->warning;
  loading->text = prepare_keys(L, call, "text", of_columns, &options->text, &options->text_count);
  loading->dates.keys = prepare_keys(L, call, "dates", of_columns, &options->dates, &options->date_count);
  loading->dates.all = &csv->all_dates;
  const size_t most = loading->dates.keys.most, formats_bytes = most * sizeof *csv->date_formats;
  loading->dates.sorted = lua_newuserdatauv(L, most * sizeof *loading->dates.sorted, 0);
  csv->date_formats = loading->dates.formats = memset(lua_newuserdatauv(L, formats_bytes, 0), 0, formats_bytes);
  loading->columns = prepare_keys(L, call, "columns", of_columns, &options->columns, &options->column_count);
  loading->names = prepare_keys(L, call, "names", "names of columns", &csv->names, &csv->name_count);
  loading->missing = prepare_keys(L, call, "missing", "words or numbers", &csv->missing, &csv->missing_count);
  loading->missing.values = lua_newuserdatauv(L, loading->missing.most * sizeof *loading->missing.values, 0);
  loading->rules = prepare_rules(L, call, &loading->wanted);
  csv->lists = &loading->lists;
}

#define LOADING_PARAMETERS(loading)                                                                                    \
  {"path", REQUIRED, bind_path, &(loading).path}, {"device", KEYED, bind_device, &(loading).device},                   \
      {"header", KEYED, bind_header, &(loading).options.header},                                                       \
      {"separator", KEYED, bind_separator_or_blanks, &(loading).options.separator},                                    \
      {"dtype", KEYED, bind_dtypes, &(loading).rules}, {"text", KEYED, bind_keys, &(loading).text},                    \
      {"decimal", KEYED, bind_separator, &(loading).options.decimal}, {"dates", KEYED, bind_dates, &(loading).dates},  \
      {"columns", KEYED, bind_keys, &(loading).columns}, {"names", KEYED, bind_keys, &(loading).names},                \
      {"missing", KEYED, bind_keys, &(loading).missing}, {"skip", KEYED, bind_integer, &(loading).csv.skip},           \
      {"comment", KEYED, bind_separator, &(loading).csv.comment},                                                      \
      {"thousands", KEYED, bind_separator, &(loading).csv.thousands}, {"unit", KEYED, bind_units, &(loading).rules},   \
      {"ordered", KEYED, bind_orders, &(loading).columns}, {                                                           \
    "format", KEYED, bind_string, &(loading).options.format                                                            \
  }

/* Reads the arguments. */
static bool read_loading(lua_State *L, struct script_call *call, const struct parameter *parameters,
                         struct loading *loading) {
  if (!bind_arguments(L, call, parameters)) return false;
  loading->dtype = (strew_dtype)loading->wanted;
  if (loading->wanted >= 0) loading->options.dtype = &loading->dtype;
  const struct rules *rules = &loading->rules;
  loading->lists = (strew_csv_lists){.rule_count = (int64_t)rules->count,
                                     .rules = rules->rules,
                                     .missing_count = loading->missing.value_count,
                                     .missing = loading->missing.values};
  return true;
}

/* Warns, with warnings on, of names that the file has twice or not at all. */
static void warn_of_names(lua_State *L, struct loading *loading) {
  char *message = loading->warning.message;
  message[strcspn(message, "\n")] = '\0'; /* without the hint, which has the names of C */
  if (*message) lua_warning(L, message, 0);
}

/* Pushes the table that `held` owns, if there is one, and ends a call with it or with the tensor on top of the stack.
   is_imported: the table is from Arrow. */
static int end_loading(lua_State *L, struct script_call *call, struct owner *held, bool is_imported) {
  if (!held->object.any) return 1;
  bool is_pushed = (is_imported ? bind_push_imported : bind_push_table)(L, call, held->object.table);
  bind_end_owner(held, &held_tables);
  return is_pushed ? 1 : -1;
}

/* Orders of words by column: read once the table is there. */
static bool bind_orders(lua_State *L, struct script_call *call, int i, const char *name, void *out) {
  (void)out;
  return lua_istable(L, i) || bind_fail_type(L, call, i, name, "a table of sequences of words by column");
}

/* Pushes the option `ordered` of a call, or nil. */
static void push_orders(lua_State *L, const struct script_call *call) {
  int last = call->arguments;
  while (last && lua_isnil(L, last)) last--;
  const bool has_options = last && lua_istable(L, last);
  lua_pushliteral(L, "ordered");
  if (has_options) lua_rawget(L, last);
  if (!has_options) lua_pop(L, 1), lua_pushnil(L);
}

/* Gives the table below the orders on top of the stack, or nil, these orders. */
static int order_words(lua_State *L, struct script_call *call) {
  if (lua_isnil(L, -1)) return lua_pop(L, 1), 1;
  if (!lua_istable(L, -2))
    return bind_fail(call, STREW_EARGUMENT, "ordered", "is given, but the file has a tensor, no columns");
  bind_push_function(L, lua_upvalueindex(1), &bind_ordered_row, call->error.alias, FUNCTION);
  lua_insert(L, -3);
  lua_call(L, 2, 1);
  return 1;
}

static bool bind_rows(lua_State *L, struct script_call *call, int i, const char *name, void *out) {
  int64_t *rows = out;
  if (!bind_integer(L, call, i, name, rows)) return false;
  if (*rows > 0) return true;
  return bind_fail(call, STREW_EARGUMENT, name, "is %lld, expected 1 or more", (long long)*rows), false;
}

/* Replaces the table of lines of different lengths by its columns. */
static int push_ragged(lua_State *L) {
  lua_pushliteral(L, "values");
  lua_rawget(L, -2);
  lua_pushliteral(L, "starts");
  lua_rawget(L, -3);
  return 2;
}

/* load(path) */
static int load(lua_State *L, struct script_call *call) {
  struct loading loading;
  prepare_loading(L, call, &loading);
  const struct parameter parameters[] = {LOADING_PARAMETERS(loading),
                                         {"map", KEYED, bind_boolean, &loading.options.map},
                                         {"rows", KEYED, bind_rows, &loading.csv.rows},
                                         {"ragged", KEYED, bind_boolean, &loading.csv.ragged},
                                         LAST_PARAMETER};
  struct owner *held = bind_push_owner(L, &held_tables);
  struct box *box = bind_push_box(L, call->binding);
  if (!read_loading(L, call, parameters, &loading)) return -1;
  push_orders(L, call);
  if (loading.csv.ragged && !lua_isnil(L, -1))
    return bind_fail(call, STREW_EARGUMENT, "ordered", "is given, but lines of different lengths have no columns");
  lua_pop(L, 1);
  strew_status status =
      strew_load(loading.device, loading.path, &loading.options, &box->tensor, &held->object.table, &call->error);
  if (status != STREW_OK) return -1;
  warn_of_names(L, &loading);
  if (end_loading(L, call, held, false) < 0) return -1;
  if (loading.csv.ragged) return push_ragged(L);
  push_orders(L, call);
  return order_words(L, call);
}

/* map(path); of text map(t, f) */
static int map(lua_State *L, struct script_call *call) {
  if (bind_to_box(L, call->binding, 1)) return bind_run_text(L, call, &bind_map_row);
  const char *path;
  int wanted = STREW_UINT8;
  struct list shape = {.count = 1, .at = {-1}}, strides = {.is_given = false};
  strew_map_options options = {.offset = 0};
  const struct parameter parameters[] = {{"path", REQUIRED, bind_path, &path},
                                         {"dtype", KEYED, bind_wanted_dtype, &wanted},
                                         {"shape", KEYED, bind_list, &shape},
                                         {"offset", KEYED, bind_integer, &options.offset},
                                         {"strides", KEYED, bind_list, &strides},
                                         {"byte_order", KEYED, bind_string, &options.byte_order},
                                         LAST_PARAMETER};
  strew_tensor **out = bind_result(L, call);
  if (!bind_arguments(L, call, parameters)) return -1;
  if (strides.is_given && strides.count != shape.count)
    return bind_fail(call, STREW_ESHAPE, "strides", "has %d entries, expected %d, a stride for each dimension",
                     strides.count, shape.count);
  if (strides.is_given) options.strides = strides.at;
  strew_device *cpu = strew_device_at(call->binding->context, 0);
  return bind_end(strew_map(cpu, path, (strew_dtype)wanted, shape.count, shape.at, &options, out, &call->error), 1);
}

/* ----------------------------------------------------------------------------------------------------------- chunks */

static void close_reader(union owned object) { strew_reader_close(object.reader); }

/* What chunks and from_arrow_stream return: a generic for calls it, and closes it at its end. Its user value: the lists of
   words by column, shared by the tables of all chunks. It is busy while a chunk becomes a Lua table, or was lost in the
   attempt. */
static const struct script_function next_chunk_row, next_array_row;
static const struct owner_type iterators = {
    "strew.chunks", "strew.chunks", close_reader, {{"__call", &next_chunk_row}}};
static const struct owner_type streams = {
    "strew.from_arrow_stream", "strew.from_arrow_stream", close_reader, {{"__call", &next_array_row}}};

/* The next chunk, or nil. While it is pushed, an error may be raised, and finalizers may call or close the iterator; while
   it is read, so may a stream's producer, which may run scripts. */
static int next_chunk(lua_State *L, struct script_call *call) {
  const struct owner_type *type = call->row == &next_chunk_row ? &iterators : &streams;
  struct owner *iterator = bind_to_owner(L, type);
  if (!iterator) return bind_fail(call, STREW_EARGUMENT, "self", "is not an iterator of %s", type->name);
  struct owner *held = bind_push_owner(L, &held_tables);
  struct box *box = bind_push_box(L, call->binding);
  if (iterator->is_used) return bind_fail(call, STREW_EARGUMENT, NULL, "the iterator is in a call already");
  if (!iterator->object.any) return bind_fail(call, STREW_EFREED, NULL, "the iterator is closed");
  if (iterator->is_busy) return bind_fail(call, STREW_EMEMORY, NULL, "the last chunk was lost: out of memory");
  iterator->is_used = true;
  const strew_status status =
      strew_reader_next(iterator->object.reader, &box->tensor, &held->object.table, &call->error);
  bind_end_use(iterator, type);
  if (status != STREW_OK) return -1;
  if (!held->object.any && !box->tensor) return lua_pushnil(L), 1;
  if (type == &streams) bind_count_imported(call->binding, held->object.table, box->tensor);
  iterator->is_busy = true;
  int results = end_loading(L, call, held, type == &streams);
  iterator->is_busy = results < 0;
  if (results < 0 || type == &streams) return results;
  lua_getiuservalue(L, 1, 1);
  lua_getfield(L, -1, "ordered");
  lua_remove(L, -2);
  return order_words(L, call);
}

static const struct script_function next_chunk_row = {"chunks", next_chunk, 0, FUNCTION | CONSTANT};
static const struct script_function next_array_row = {"from_arrow_stream", next_chunk, 0, FUNCTION | CONSTANT};

struct owner *bind_push_iterator(lua_State *L, bool is_stream) {
  return bind_push_owner(L, is_stream ? &streams : &iterators);
}

int bind_end_iterator(lua_State *L, int iterator) {
  lua_pushvalue(L, iterator);
  lua_pushnil(L);
  lua_pushnil(L);
  lua_pushvalue(L, iterator);
  return 4;
}

/* chunks(path): the four values of a generic for. */
static int chunks(lua_State *L, struct script_call *call) {
  struct loading loading;
  prepare_loading(L, call, &loading);
  strew_reader_options options = {.load = &loading.options};
  const struct parameter parameters[] = {LOADING_PARAMETERS(loading),
                                         {"rows", KEYED, bind_rows, &options.rows},
                                         {"member", KEYED, bind_string, &options.member},
                                         LAST_PARAMETER};
  struct owner *iterator = bind_push_iterator(L, false);
  int position = lua_gettop(L);
  if (!read_loading(L, call, parameters, &loading)) return -1;
  if (strew_reader_open(loading.device, loading.path, &options, &iterator->object.reader, &call->error) != STREW_OK)
    return -1;
  warn_of_names(L, &loading);
  lua_getiuservalue(L, position, 1);
  push_orders(L, call);
  lua_setfield(L, -2, "ordered");
  return bind_end_iterator(L, position);
}

/* ----------------------------------------------------------------------------------------------------------- saving */

/* What is saved: a tensor or a table of them. */
static bool bind_saved(lua_State *L, struct script_call *call, int i, const char *name, void *out) {
  return lua_istable(L, i) || bind_tensor(L, call, i, name, out);
}

/* A text without zero bytes. */
static bool bind_cell(lua_State *L, struct script_call *call, int i, const char *name, void *out) {
  if (!bind_string(L, call, i, name, out)) return false;
  if (strlen(*(const char **)out) == lua_rawlen(L, i)) return true;
  return bind_fail(call, STREW_EARGUMENT, name, "has a zero byte, which no file can hold"), false;
}

/* save(path, x): no result. */
static int save(lua_State *L, struct script_call *call) {
  const char *path = NULL;
  strew_tensor *tensor = NULL;
  strew_save_options options = {0};
  enum { NAMES = 5, WORDS };
  int ignored;
  const struct parameter parameters[] = {{"path", REQUIRED, bind_path, &path},
                                         {"x", REQUIRED, bind_saved, &tensor},
                                         {"compress", KEYED, bind_boolean, &options.compress},
                                         {"header", KEYED, bind_header, &options.header},
                                         {"separator", KEYED, bind_separator_or_blanks, &options.separator},
                                         {"names", KEYED, bind_table, &ignored},
                                         {"words", KEYED, bind_table, &ignored},
                                         {"format", KEYED, bind_string, &options.format},
                                         {"missing", KEYED, bind_cell, &options.missing},
                                         {"decimal", KEYED, bind_separator, &options.decimal},
                                         LAST_PARAMETER};
  struct owner *held = bind_push_owner(L, &held_tables);
  const int x = bind_position(L, 2, "x");
  if (!bind_arguments(L, call, parameters)) {
    if (lua_type(L, 1) != LUA_TSTRING && lua_type(L, 2) == LUA_TSTRING)
      bind_hint(call, "the path comes first: strew.save(\"%.80s\", x)", lua_tostring(L, 2));
    return -1;
  }
  if (tensor && (call->given[NAMES] || call->given[WORDS]))
    return bind_fail(call, STREW_EARGUMENT, call->given[NAMES] ? "names" : "words",
                     "is given, but x is a tensor, expected a table of columns");
  if (tensor) return bind_end(strew_save(tensor, path, &options, &call->error), 0);
  bind_push_given(L, call, NAMES, "names");
  bind_push_given(L, call, WORDS, "words");
  bool is_saved = bind_read_columns(L, call, x, &held->object.table) &&
                  strew_save_table(held->object.table, path, &options, &call->error) == STREW_OK;
  bind_end_owner(held, &held_tables);
  return is_saved ? 0 : -1;
}

const struct script_function bind_file_rows[] = {{"load", load, 0, FUNCTION | OUTSIDE},
                                                 {"map", map, 0, FUNCTION | OUTSIDE},
                                                 {"chunks", chunks, 0, FUNCTION | OUTSIDE | CONSTANT},
                                                 {"save", save, 0, FUNCTION | OUTSIDE | CONSTANT},
                                                 {NULL, NULL, 0, 0}};
