/* strew_family.c: operations composed of others, written in Lua (family/ *.lua).

   A file of the family is a chunk called with the module, `fail`, `use` and `inner`; use(file) returns what another file
   returns; inner has functions of the bindings that scripts do not see. A file runs once. An operation's file returns a table that maps each name to its parameters, as text, and a
   function of their values. The first call of one of its names loads it. Its functions run inside bind_dispatch, as C
   functions do: every failure in them carries the name of the script's call (binding->outer) and the script's line.
   Limits and Ctrl-C work as in any Lua code.

   Parameters are words, in the order of the function's arguments: "NAME:TYPE" (required), "NAME?TYPE" (optional),
   "NAME~TYPE" (optional, by position only), "NAME*" (the remaining integers, or one sequence of them: a table, nil if absent),
   "NAME=TYPE" (by name only). They are checked here, so the function gets values of its types only. After them it gets "_" if it is called in place, else "": the end
   of the names of the calls it is made of. A second pair of parameters and function is for calls whose third argument
   is a table. */
#include "runtime/base/embedded.h"
#include "runtime/shared/tables.h"
#include "script_place.h"
#include "strew_bind.h"
#include "strew_columns.h"

#include <stdlib.h>
#include <string.h>

enum { MAX_PARAMETERS = 10, NAME_BYTES = 24, NOT_GIVEN = -1 };

/* An argument: its check and its stack position (0: absent). */
struct argument {
  bool (*read)(lua_State *L, struct script_call *call, int i, const char *name, void *out);
  int position;
  struct list rest; /* for "NAME*"; count NOT_GIVEN: absent */
};

/* The tensor arguments of a call, for its messages. Of a sequence of tensors, its entries. */
enum { MAX_OPERANDS = MAX_PARAMETERS + STREW_MAX_RANK };
struct family_operands {
  int count;
  struct {
    char name[NAME_BYTES + 4];
    const struct box *box; /* kept alive by the call's stack */
  } at[MAX_OPERANDS];
};

/* A value of any type, which the function checks. */
static bool bind_any(lua_State *L, struct script_call *call, int i, const char *name, void *out) {
  (void)L, (void)call, (void)i, (void)name, (void)out;
  return true;
}

/* A tensor, or a sequence, which the function checks. */
static bool bind_line(lua_State *L, struct script_call *call, int i, const char *name, void *out) {
  return (lua_istable(L, i) && lua_rawlen(L, i) > 0) || bind_tensor(L, call, i, name, out);
}

static const struct {
  const char *name;
  bool (*read)(lua_State *L, struct script_call *call, int i, const char *name, void *out);
} types[] = {{"tensor", bind_tensor},     {"operand", bind_operand}, {"integer", bind_integer}, {"dim", bind_dim},
             {"number", bind_float},      {"boolean", bind_boolean}, {"dims", bind_dims},       {"word", bind_string},
             {"integers", bind_list},     {"table", bind_table},     {"dtype", bind_dtype},     {"mode", bind_mode},
             {"reduce", bind_reduction},  {"scalar", bind_scalar},   {"any", bind_any},         {"index", bind_index},
             {"grouping", bind_grouping}, {"line", bind_line}};

static enum presence presence_of(char mark) {
  switch (mark) {
  case ':': return REQUIRED;
  case '?': return OPTIONAL;
  case '~': return UNNAMED;
  default: return KEYED;
  }
}

/* Checks a value against its type and stores its position. */
static bool read_argument(lua_State *L, struct script_call *call, int i, const char *name, void *out) {
  union {
    strew_tensor *tensor;
    strew_operand operand;
    strew_scalar scalar;
    struct list list;
    struct given_index index;
  } checked;
  struct argument *argument = out;
  argument->position = i;
  if (strcmp(name, "out") == 0 && !bind_may_write(L, call, i, name)) return false;
  return argument->read(L, call, i, name, &checked);
}

/* Parses a parameter text; returns the number of parameters. */
static int parse(const char *text, struct parameter *parameters, struct argument *arguments, char names[][NAME_BYTES]) {
  int count = 0;
  for (; *(text += strspn(text, " ")); count++) {
    size_t name = strcspn(text, ":?~*="), whole = strcspn(text, " ");
    snprintf(names[count], NAME_BYTES, "%.*s", (int)name, text);
    for (size_t i = 0; i < sizeof types / sizeof *types; i++)
      if (strlen(types[i].name) == whole - name - 1 && !strncmp(text + name + 1, types[i].name, whole - name - 1))
        arguments[count].read = types[i].read;
    arguments[count].position = 0;
    arguments[count].rest.count = NOT_GIVEN;
    parameters[count] = (struct parameter){names[count], presence_of(text[name]), read_argument, &arguments[count]};
    if (arguments[count].read == bind_dims && text[name] == '?') parameters[count].presence = LISTED;
    if (text[name] == '*')
      parameters[count] = (struct parameter){names[count], REST, bind_list, &arguments[count].rest};
    text += whole;
  }
  parameters[count] = (struct parameter)LAST_PARAMETER;
  return count;
}

static const char *text_of(const char *file) {
  for (int i = 0; i < text_file_count; i++)
    if (strcmp(text_files[i].name, file) == 0) return text_files[i].text;
  return "";
}

/* Adds a line per tensor argument of the script's call, and the hint. */
static void add_lines(struct script_call *call, const char *hint) {
  const struct family_operands *operands = call->binding->operands;
  strew_error *error = &call->error;
  char text[DESCRIPTION_BYTES];
  int width = hint ? 4 : 0;
  for (int i = 0; operands && i < operands->count; i++)
    if ((int)strlen(operands->at[i].name) > width) width = (int)strlen(operands->at[i].name);
  for (int i = 0; operands && i < operands->count; i++) {
    size_t length = strlen(error->message);
    if (operands->at[i].box->tensor)
      snprintf(error->message + length, sizeof error->message - length, "\n  %-*s  %s", width, operands->at[i].name,
               bind_describe(operands->at[i].box->tensor, text));
  }
  if (!hint) return;
  size_t length = strlen(error->message);
  snprintf(error->hint, sizeof error->hint, "%s", hint);
  snprintf(error->message + length, sizeof error->message - length, "\n  %-*s  %s", width, "hint",
           strew_printable(error->hint));
}

/* fail(argument, fact [, hint [, code [, value [, position]]]]): raises an error of the script's call; argument may be
   nil. */
static int fail(lua_State *L, struct script_call *call) {
  const char *argument = lua_tostring(L, 1), *hint = lua_tostring(L, 3), *code = lua_tostring(L, 4);
  strew_status status = STREW_EARGUMENT;
  for (int i = 0; code && strew_status_name((strew_status)i); i++)
    if (strcmp(strew_status_name((strew_status)i), code) == 0) status = (strew_status)i;
  bind_fail(call, status, argument, "%s", lua_isstring(L, 2) ? lua_tostring(L, 2) : "is invalid");
  add_lines(call, hint);
  if (lua_type(L, 5) == LUA_TNUMBER) {
    call->error.has_value = true;
    call->error.value = lua_isinteger(L, 5) ? strew_int(lua_tointeger(L, 5)) : strew_float(lua_tonumber(L, 5));
  }
  if (lua_istable(L, 6)) {
    call->error.position_rank = 0;
    for (lua_Integer k = 1; k <= STREW_MAX_RANK && lua_rawgeti(L, 6, k) == LUA_TNUMBER; k++, lua_pop(L, 1))
      call->error.position[call->error.position_rank++] = lua_tointeger(L, -1);
  }
  return -1;
}

static const struct script_function fail_row = {"fail", fail, 0, FUNCTION};

/* line_width() */
static int line_width(lua_State *L, struct script_call *call) {
  lua_pushinteger(L, bind_line_width(&call->binding->print));
  return 1;
}

/* nearest(name, names): the name of the sequence that `name` may be a misspelling of, or nil. */
static int nearest(lua_State *L, struct script_call *call) {
  (void)call;
  enum { MOST_NAMES = 4096 };
  strew_guess guess = {.wanted = lua_tostring(L, 1)};
  for (int k = 1; guess.wanted && lua_istable(L, 2) && k <= MOST_NAMES && lua_rawgeti(L, 2, k) != LUA_TNIL;
       k++, lua_pop(L, 1)) /* the table holds it */
    if (lua_type(L, -1) == LUA_TSTRING) strew_guess_name(&guess, lua_tostring(L, -1));
  lua_pushstring(L, guess.nearest);
  return 1;
}

/* text(value): as messages show it: "..." in quotes, a number, "a tensor". */
static int text(lua_State *L, struct script_call *call) {
  char shown[TEXT_BYTES];
  lua_pushstring(L, bind_text(L, call, 1, shown));
  return 1;
}

/* printable(text): without control characters and what is no UTF-8. */
static int printable(lua_State *L, struct script_call *call) {
  (void)call;
  size_t length;
  const char *from = lua_tolstring(L, 1, &length);
  char *to = lua_newuserdatauv(L, length + 1, 0);
  for (size_t i = 0; i < length; i++) to[i] = from[i] ? from[i] : '\x01'; /* a zero byte is a control character, too */
  to[length] = '\0';
  lua_pushstring(L, strew_printable(to));
  return 1;
}

/* is_open(t): false for a tensor that was freed. */
static int is_open(lua_State *L, struct script_call *call) {
  struct box *box = bind_to_box(L, call->binding, 1);
  lua_pushboolean(L, box && box->tensor);
  return 1;
}

/* has_float64(t): true if t's device has it. */
static int has_float64(lua_State *L, struct script_call *call) {
  strew_tensor *self;
  strew_capabilities can;
  if (!bind_tensor(L, call, 1, "self", &self)) return -1;
  if (strew_device_capabilities(strew_tensor_device(self), &can, &call->error) != STREW_OK) return -1;
  lua_pushboolean(L, can.float64);
  return 1;
}

static const struct script_function line_width_row = {"line_width", line_width, 0, FUNCTION},
                                    text_row = {"text", text, 0, FUNCTION},
                                    printable_row = {"printable", printable, 0, FUNCTION},
                                    nearest_row = {"nearest", nearest, 0, FUNCTION},
                                    is_open_row = {"is_open", is_open, 0, FUNCTION},
                                    has_float64_row = {"has_float64", has_float64, 0, FUNCTION};
static const struct script_function *const inner_rows[] = {
    &bind_texts_row,      &line_width_row,       &nearest_row,           &is_open_row,       &text_row,
    &printable_row,       &bind_set_columns_row, &bind_about_row,        &bind_alias_row,    &bind_watch_row,
    &bind_tape_row,       &bind_is_recorded_row, &bind_offset_row,       &bind_call_row,     &bind_key_ids_row,
    &bind_key_state_row,  &bind_keys_of_row,     &bind_ids_row,          &bind_set_keys_row, &bind_grouping_keys_row,
    &bind_cumsum_row,     &bind_aggregate_row,   &bind_argsort_row,      &bind_rank_row,     &bind_topk_row,
    &bind_reductions_row, &bind_group_ids_row,   &bind_group_counts_row, &has_float64_row,   &bind_missed_row,
    &bind_bucketize_row,  &bind_replaced_row};

static void push_dispatch(lua_State *L, const struct script_function *row) {
  bind_push_upvalues(L, lua_upvalueindex(1), row, row->name, FUNCTION);
  lua_pushcclosure(L, bind_dispatch, 4);
}

static void push_inner(lua_State *L) {
  lua_newtable(L);
  for (size_t i = 0; i < sizeof inner_rows / sizeof *inner_rows; i++) {
    push_dispatch(L, inner_rows[i]);
    lua_setfield(L, -2, inner_rows[i]->name);
  }
}

/* Pushes the table of what is loaded: operations by their names, and by files what these returned. Upvalue 1 is the
   binding. */
static void push_loaded(lua_State *L) {
  if (lua_getiuservalue(L, lua_upvalueindex(1), FAMILY) == LUA_TTABLE) return;
  lua_pop(L, 1);
  lua_newtable(L);
  lua_pushvalue(L, -1);
  lua_setiuservalue(L, lua_upvalueindex(1), FAMILY);
}

/* use(file) */
static int use(lua_State *L) {
  const char *file = lua_tostring(L, 1), *text = text_of(file);
  push_loaded(L);
  if (lua_getfield(L, -1, file) != LUA_TNIL) return 1;
  if (luaL_loadbufferx(L, text, strlen(text), FAMILY_CHUNK, "t") != LUA_OK) lua_error(L);
  lua_getfield(L, LUA_REGISTRYINDEX, bind_module_key);
  push_dispatch(L, &fail_row);
  lua_pushvalue(L, lua_upvalueindex(1));
  lua_pushcclosure(L, use, 1);
  push_inner(L);
  lua_call(L, 4, 1);
  lua_pushvalue(L, -1);
  lua_setfield(L, 2, file);
  return 1;
}

void bind_use(lua_State *L, const char *file) {
  lua_pushvalue(L, lua_upvalueindex(1));
  lua_pushcclosure(L, use, 1);
  lua_pushstring(L, file);
  lua_call(L, 1, 1);
}

/* Adds the operations of a file to the table of what is loaded, on top of the stack. */
static void load_operations(lua_State *L, const char *file) {
  int loaded = lua_gettop(L);
  bind_use(L, file);
  for (lua_pushnil(L); lua_next(L, loaded + 1);) {
    lua_pushvalue(L, -2);
    lua_insert(L, -2);
    lua_settable(L, loaded);
  }
  lua_settop(L, loaded);
}

/* Pushes the operation's table {parameters, function}. */
static void push_operation(lua_State *L, const char *file, const char *name) {
  push_loaded(L);
  if (lua_getfield(L, -1, name) != LUA_TTABLE) {
    lua_pop(L, 1);
    load_operations(L, file);
    lua_getfield(L, -1, name);
  }
  lua_remove(L, -2);
}

/* Pushes the values of the arguments in the order of the parameters. Those without a stack position come from the
   options, the last argument. */
static void push_values(lua_State *L, const struct script_call *call, const struct parameter *parameters,
                        const struct argument *arguments) {
  int options = call->arguments;
  while (options && lua_isnil(L, options)) options--;
  for (int i = 0; parameters[i].name; i++)
    if (parameters[i].presence == REST && arguments[i].rest.count == NOT_GIVEN)
      lua_pushnil(L);
    else if (parameters[i].presence == REST)
      bind_push_sizes(L, arguments[i].rest.count, arguments[i].rest.at);
    else if (!arguments[i].position)
      lua_pushnil(L);
    else if (arguments[i].position <= call->arguments)
      lua_pushvalue(L, arguments[i].position);
    else
      lua_getfield(L, options, parameters[i].name);
}

/* Adds a box, or returns false: it is NULL, or there is no room. */
static bool add_operand(struct family_operands *operands, const char *name, lua_Integer entry, const struct box *box) {
  if (!box || operands->count == MAX_OPERANDS) return false;
  char *text = operands->at[operands->count].name;
  if (entry)
    snprintf(text, sizeof operands->at->name, "%.20s[%d]", name, (int)entry);
  else
    snprintf(text, sizeof operands->at->name, "%.20s", name);
  operands->at[operands->count++].box = box;
  return true;
}

/* Lists the tensors among the values from position `first` on. Leaves those in sequences on the stack, MAX_OPERANDS at
   most. */
static void list_operands(lua_State *L, struct binding *binding, int first, int count, char names[][NAME_BYTES],
                          struct family_operands *operands) {
  for (int i = 0; i < count; i++) {
    add_operand(operands, names[i], 0, bind_to_box(L, binding, first + i));
    lua_Unsigned entries = lua_istable(L, first + i) ? lua_rawlen(L, first + i) : 0;
    for (lua_Integer k = 1; k <= STREW_MAX_RANK && (lua_Unsigned)k <= entries; k++) {
      lua_rawgeti(L, first + i, k);
      if (!add_operand(operands, names[i], k, bind_to_box(L, binding, lua_gettop(L)))) lua_pop(L, 1);
    }
  }
}

/* The files with operations; a row's code is one of them. */
#define FILES(X)                                                                                                       \
  X(elementwise)                                                                                                       \
  X(grouped)                                                                                                           \
  X(grouping)                                                                                                          \
  X(joins) X(keys) X(matrices) X(printing) X(rearranging) X(rows) X(statistics) X(views)
#define CODE(name) IN_##name,
enum file { FILES(CODE) };
#define NAME(name) #name ".lua",
static const char *const files[] = {FILES(NAME)};

/* The error's argument is one of run's `names`: replaces it by a string that lives until the next such error. */
static int keep_argument(lua_State *L, struct script_call *call) {
  if (!call->error.argument) return -1;
  push_loaded(L);
  lua_pushstring(L, "(argument)");
  call->error.argument = lua_pushstring(L, call->error.argument);
  lua_rawset(L, -3);
  return -1;
}

static int run(lua_State *L, struct script_call *call) {
  struct parameter parameters[MAX_PARAMETERS + 1];
  struct argument arguments[MAX_PARAMETERS];
  char names[MAX_PARAMETERS][NAME_BYTES];
  bind_stack(L, LUA_MINSTACK + 3 * MAX_PARAMETERS + MAX_OPERANDS);
  int operation = lua_gettop(L) + 1;
  push_operation(L, files[call->row->code], call->row->name);
  bool is_second = !(call->form & INPLACE) && lua_istable(L, 3) && lua_rawgeti(L, operation, 3) == LUA_TSTRING;
  lua_rawgeti(L, operation, is_second ? 3 : 1);
  int count = parse(lua_tostring(L, -1), parameters, arguments, names);
  if (!bind_arguments(L, call, parameters)) return keep_argument(L, call);
  int first = lua_gettop(L) + 1;
  push_values(L, call, parameters, arguments);
  struct binding *binding = call->binding;
  struct family_operands operands;
  operands.count = 0;
  list_operands(L, binding, first, count, names, &operands);
  lua_rawgeti(L, operation, is_second ? 4 : 2);
  for (int i = 0; i < count; i++) lua_pushvalue(L, first + i);
  lua_pushstring(L, call->form & INPLACE ? "_" : "");
  const bool records = binding->recording && call->form & GROUPED; /* other operations are recorded as one call */
  const bool is_outermost = !binding->outer;
  int results = bind_call_within(L, binding, count + 1, records, is_outermost ? call->error.alias : binding->outer,
                                 is_outermost ? &operands : binding->operands);
  return results < 0 ? lua_error(L) : results;
}

int bind_call_family(lua_State *L, struct script_call *call, const struct script_function *row) {
  bind_stack(L, call->arguments + LUA_MINSTACK);
  bind_push_upvalues(L, lua_upvalueindex(1), row, row->name, FUNCTION);
  lua_pushcclosure(L, bind_dispatch, 4);
  for (int i = 1; i <= call->arguments; i++) lua_pushvalue(L, i);
  lua_call(L, call->arguments, 1);
  return 1;
}

const struct script_function bind_columns_text_row = {"tostring", run, IN_printing, FUNCTION},
                             bind_missing_column_row = {"table", run, IN_rows, FUNCTION},
                             bind_columns_length_row = {"length", run, IN_rows, FUNCTION},
                             bind_new_column_row = {"column", run, IN_rows, FUNCTION},
                             bind_table_ids_row = {"ids", run, IN_keys, FUNCTION},
                             bind_table_keys_row = {"keys", run, IN_keys, FUNCTION};

const struct script_function bind_group_columns_row = {"group_by", run, IN_grouped, FUNCTION},
                             bind_group_keys_row = {"group_keys", run, IN_grouped, FUNCTION};

/* Methods of groupings: their names follow "g:". */
const struct script_function bind_grouped_rows[] = {
#define ROW(ENUM, word, ...) {"g:" word, run, IN_grouping, GROUPED},
    STREW_GROUP_REDUCTIONS(ROW)
#undef ROW
        {"g:argsort", run, IN_grouping, GROUPED},
    {"g:rank", run, IN_grouping, GROUPED},
    {"g:topk", run, IN_grouping, GROUPED},
    {"g:cumsum", run, IN_grouping, GROUPED},
    {"g:softmax", run, IN_grouping, GROUPED},
    {"g:log_softmax", run, IN_grouping, GROUPED},
    {"g:agg", run, IN_grouping, GROUPED},
    {NULL, NULL, 0, 0},
};

const struct script_function bind_family_rows[] = {
    {"columns", run, IN_rows, FUNCTION},
    {"code", run, IN_rows, FUNCTION},
    {"rows", run, IN_rows, FUNCTION},
    {"sort_by", run, IN_rows, FUNCTION},
    {"join", run, IN_joins, FUNCTION},
    {"pivot", run, IN_grouped, FUNCTION},
    {"value_counts", run, IN_grouped, ALWAYS},
    {"one_hot", run, IN_elementwise, ALWAYS},
    {"isnan", run, IN_elementwise, ALWAYS},
    {"bucketize", run, IN_elementwise, ALWAYS},
    {"flip", run, IN_rearranging, ALWAYS},
    {"diff", run, IN_rearranging, ALWAYS},
    {"select_scatter", run, IN_views, EVERY},
    {"slice_scatter", run, IN_views, EVERY},
    {"diagonal", run, IN_views, ALWAYS},
    {"diagonal_scatter", run, IN_views, EVERY},
    {"roll", run, IN_rearranging, ALWAYS},
    {"repeat", run, IN_rearranging, ALWAYS},
    {"tile", run, IN_rearranging, ALWAYS},
    {"repeat_interleave", run, IN_rearranging, ALWAYS},
    {"isinf", run, IN_elementwise, ALWAYS},
    {"isfinite", run, IN_elementwise, ALWAYS},
    {"nan_to_num", run, IN_elementwise, EVERY},
    {"norm", run, IN_statistics, ALWAYS},
    {"median", run, IN_statistics, ALWAYS},
    {"logsumexp", run, IN_statistics, ALWAYS},
    {"outer", run, IN_matrices, ALWAYS},
    {"tril", run, IN_matrices, EVERY},
    {"triu", run, IN_matrices, EVERY},
    {"diag", run, IN_matrices, ALWAYS},
    {NULL, NULL, 0, 0},
};
