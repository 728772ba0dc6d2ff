/* strew_parameters.c: the parameters of calls as texts, in the rows of functions and in the family's files.

   A text has a word for each parameter, in the order of the arguments: "NAME:TYPE" (required), "NAME?TYPE" (optional),
   "NAME~TYPE" (optional, by position only), "NAME=TYPE" (by name only), "NAME*" (the remaining integers, or one
   sequence of them). "(VALUE)" behind the type is the default; "!" marks a required one that is read once: a bound
   expression may be left deferred. A text is parsed by the first call that needs it. */
#include "strew_bind.h"

#include <limits.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ------------------------------------------------------------------------------------------------------------ types */

/* A value of any type, which the function checks, but no freed tensor; tensors in place of bound expressions, also in a
   plain table. */
bool bind_any(lua_State *L, struct script_call *call, int i, const char *name, void *out) {
  strew_tensor *tensor;
  (void)out;
  if (bind_to_box(L, call->binding, i)) return bind_tensor(L, call, i, name, &tensor);
  if (!lua_istable(L, i)) return !bind_is_bound(L, i) || bind_tensor(L, call, i, name, &tensor);
  if (lua_getmetatable(L, i)) return lua_pop(L, 1), true;
  if (!bind_has_bound(L, i)) return true;
  call->meets_bound = true;
  return bind_fail(call, STREW_EARGUMENT, name, "has a bound expression, expected a tensor"), false;
}

/* A tensor, or a sequence, which the function checks. */
bool bind_line(lua_State *L, struct script_call *call, int i, const char *name, void *out) {
  return (lua_istable(L, i) && lua_rawlen(L, i) > 0) || bind_tensor(L, call, i, name, out);
}

/* A tensor, a number or boolean, or a sequence, which the function checks. */
bool bind_several(lua_State *L, struct script_call *call, int i, const char *name, void *out) {
  const int type = lua_type(L, i);
  if (type == LUA_TNUMBER || type == LUA_TBOOLEAN || type == LUA_TSTRING) return true;
  if (type == LUA_TTABLE && (lua_rawlen(L, i) > 0 || (lua_pushnil(L), !lua_next(L, i)))) return true;
  lua_settop(L, type == LUA_TTABLE ? lua_gettop(L) - 2 : lua_gettop(L));
  return bind_tensor(L, call, i, name, out);
}

/* A sequence of tensors, whose entries the function checks. */
bool bind_sequence(lua_State *L, struct script_call *call, int i, const char *name, void *out) {
  (void)out;
  const bool is_table = lua_istable(L, i);
  if (is_table && lua_rawlen(L, i) > 0) return true;
  char text[TEXT_BYTES];
  bind_fail(call, STREW_EARGUMENT, name, "is %s, expected a sequence of tensors",
            is_table ? "an empty table" : bind_text(L, call, i, text));
  if (!is_table) bind_hint(call, "{a, b} is one");
  return false;
}

/* How an argument begins that is absent and has no default. ZEROS: a pointer or less. INTEGER, DIM: with NO_INTEGER,
   NO_DIM; DTYPE: -1. */
enum absent_value { ZEROS, LIST, WORD, TRUTH, DIM, INTEGER, NUMBER, SCALAR, REDUCTION, DTYPE };

static const struct type {
  const char *name;
  bind_reader *read;
  enum absent_value absent;
} types[] = {
#define TYPE(word, read, type, absent) {#word, read, absent},
    ARGUMENT_TYPES(TYPE)
#undef TYPE
};

/* Where an argument is stored; those that no field has are only checked. */
static const struct field {
  const char *type, *name;
  size_t at;
} fields[] = {
#define FIELD(type, name)          {#type, #name, offsetof(struct arguments, name)},
#define RENAMED(type, name, field) {#type, #name, offsetof(struct arguments, field)},
    ARGUMENTS(FIELD, RENAMED)
#undef FIELD
#undef RENAMED
};

/* ---------------------------------------------------------------------------------------------------------- parsing */

/* The first bytes of an argument that is absent. */
struct absent {
  size_t at, bytes;
  union {
    strew_scalar scalar;
    int64_t integer;
    double number;
    int word;
    bool truth;
  } value;
};

struct parameters {
  struct script_function row; /* of a function that scripts call: a copy, which its upvalue is from then on */
  const void *mark;           /* the address of parameters_mark */
  const char *text;
  const struct parameters *next; /* of the same function; its user value */
  int absents;
  struct parameter at[MOST_PARAMETERS + 1];
  struct absent absent[MOST_PARAMETERS];
  char names[]; /* each ended by a zero */
};

static const char parameters_mark;

const struct parameters *bind_to_parameters(lua_State *L, int i) {
  const struct parameters *list = lua_touserdata(L, i);
  return list && lua_rawlen(L, i) >= sizeof *list && list->mark == &parameters_mark ? list : NULL;
}

/* True if the first `length` characters of text are the word. */
static bool is_word(const char *word, const char *text, size_t length) {
  return strlen(word) == length && strncmp(word, text, length) == 0;
}

static const struct type *find_type(const char *text, size_t length) {
  for (size_t i = 0; i < sizeof types / sizeof *types; i++)
    if (is_word(types[i].name, text, length)) return &types[i];
  return NULL;
}

static size_t find_field(const char *type, const char *name) {
  for (size_t i = 0; i < sizeof fields / sizeof *fields; i++)
    if (strcmp(fields[i].type, type) == 0 && strcmp(fields[i].name, name) == 0) return fields[i].at;
  return offsetof(struct arguments, unused);
}

static enum presence presence_of(char mark, const struct type *type) {
  switch (mark) {
  case ':': return REQUIRED;
  case '?': return type->read == bind_dims || type->read == bind_several ? LISTED : OPTIONAL;
  case '~': return UNNAMED;
  case '*': return REST;
  default: return KEYED;
  }
}

/* Sets the value of an absent argument; `given` is its default as text, NULL: none. Returns the bytes. */
static size_t set_absent(struct absent *absent, enum absent_value value, const char *given) {
  char word[24] = "";
  strew_dtype dtype;
  int reduction = STREW_ASSIGN;
  if (given) snprintf(word, sizeof word, "%.*s", (int)strcspn(given, ")"), given);
  absent->value.integer = 0;
  switch (value) {
  case WORD: return sizeof(int);
  case TRUTH: return absent->value.truth = strcmp(word, "true") == 0, sizeof(bool);
  case DIM: return absent->value.word = given ? atoi(word) : NO_DIM, sizeof(int);
  case INTEGER: return absent->value.integer = given ? atoll(word) : NO_INTEGER, sizeof(int64_t);
  case NUMBER: return absent->value.number = strtod(word, NULL), sizeof(double);
  case SCALAR: return absent->value.scalar = strew_int(atoll(word)), sizeof(strew_scalar);
  case REDUCTION:
    if (given) strew_enum_from_word(STREW_WORDS_REDUCTION, word, &reduction, NULL);
    return absent->value.word = reduction, sizeof(int);
  case DTYPE:
    absent->value.word = given && strew_dtype_from_word(word, &dtype, NULL) == STREW_OK ? (int)dtype : -1;
    return sizeof(int);
  case LIST: return offsetof(struct list, at);
  default: return sizeof(void *);
  }
}

/* Adds the parameter that text begins with, whose name is at `name`. Returns the end of the word; NULL: its type is unknown. */
static const char *add_parameter(struct parameters *list, int k, const char *text, char *name) {
  const size_t mark = strcspn(text, ":?~*="), whole = strcspn(text, " ");
  if (!text[mark]) return NULL;
  const size_t type_length = strcspn(text + mark + 1, " !(");
  const struct type *type = text[mark] == '*' ? find_type("integers", 8) : find_type(text + mark + 1, type_length);
  if (!type) return NULL;
  memcpy(name, text, mark);
  name[mark] = '\0';
  if (strcmp(name, "out") == 0 && type->read == bind_tensor) type = find_type("written", 7);
  const size_t at = find_field(type->name, name);
  list->at[k] = (struct parameter){name, presence_of(text[mark], type), type->read, (void *)at,
                                   text[mark + 1 + type_length] == '!'};
  if (text[mark] != ':') {
    struct absent *absent = &list->absent[list->absents++];
    const char *given = text + mark + 1 + type_length;
    absent->at = at;
    absent->bytes = set_absent(absent, type->absent, *given == '(' ? given + 1 : NULL);
  }
  return text + whole;
}

struct parameters *bind_parse(lua_State *L, const char *text) {
  const size_t length = strlen(text);
  struct parameters *list = lua_newuserdatauv(L, sizeof *list + length + 1, 1);
  char *name = list->names;
  list->mark = &parameters_mark;
  list->text = text;
  list->next = NULL;
  list->absents = 0;
  int count = 0;
  for (const char *word = text; *(word += strspn(word, " ")) && count < MOST_PARAMETERS; count++) {
    if (!(word = add_parameter(list, count, word, name))) luaL_error(L, "parameters of no type: %s", text);
    name += strlen(name) + 1;
  }
  list->at[count] = (struct parameter)LAST_PARAMETER;
  return list;
}

/* ---------------------------------------------------------------------------------------------------------- reading */

/* Returns the list of a text, which the running function keeps, with its others. */
static const struct parameters *list_of(lua_State *L, const struct script_call *call, const char *text) {
  for (const struct parameters *list = call->row->lists; list; list = list->next)
    if (list->text == text) return list;
  struct parameters *list = bind_parse(L, text);
  list->row = *(const struct script_function *)lua_touserdata(L, lua_upvalueindex(ROW_UPVALUE));
  list->next = list->row.lists;
  list->row.lists = list;
  list->row.alias = lua_tostring(L, lua_upvalueindex(NAME_UPVALUE));
  list->row.form = (int)lua_tointeger(L, lua_upvalueindex(FORM_UPVALUE));
  lua_pushvalue(L, lua_upvalueindex(ROW_UPVALUE));
  lua_setiuservalue(L, -2, 1);
  lua_replace(L, lua_upvalueindex(ROW_UPVALUE));
  return list;
}

/* Sets a field to its value of an absent argument. (Sizes that the compiler knows make it a move.) */
static void set_field(void *field, const struct absent *absent) {
  switch (absent->bytes) {
  case sizeof(bool): memcpy(field, &absent->value, sizeof(bool)); break;
  case sizeof(int): memcpy(field, &absent->value, sizeof(int)); break;
  case sizeof(int64_t): memcpy(field, &absent->value, sizeof(int64_t)); break;
  default: memcpy(field, &absent->value, sizeof(strew_scalar));
  }
}

bool bind_read_list(lua_State *L, struct script_call *call, const struct parameters *list, struct arguments *a) {
  for (int k = 0; k < list->absents; k++) set_field((char *)a + list->absent[k].at, &list->absent[k]);
  a->call = call;
  a->error = &call->error;
  return bind_arguments_at(L, call, list->at, a);
}

bool bind_read_as(lua_State *L, struct script_call *call, const char *text, struct arguments *a) {
  return bind_read_list(L, call, list_of(L, call, text), a);
}

bool bind_read(lua_State *L, struct script_call *call, struct arguments *a) {
  return bind_read_as(L, call, call->row->parameters, a);
}

int bind_list_names(const struct parameters *list, const char *names[]) {
  int k = 0;
  for (; list->at[k].name; k++) names[k] = list->at[k].name;
  return k;
}

int bind_push_all(lua_State *L, const struct script_call *call, const struct parameters *list, const char *names[]) {
  const int count = bind_list_names(list, names);
  for (int k = 0; k < count; k++) bind_push_given(L, call, k, names[k]);
  return count;
}

int bind_one(lua_State *L, struct script_call *call) {
  struct arguments a;
  a.out = bind_result(L, call);
  return bind_read(L, call, &a) ? bind_end(call->row->run(&a), 1) : -1;
}

int bind_two(lua_State *L, struct script_call *call) {
  struct arguments a;
  a.out = bind_result(L, call);
  a.second = bind_result(L, call);
  return bind_read(L, call, &a) ? bind_end(call->row->run(&a), 2) : -1;
}

int bind_values(lua_State *L, struct script_call *call) {
  struct arguments a;
  a.L = L;
  if (!bind_read(L, call, &a)) return -1;
  const int top = lua_gettop(L);
  const strew_status status = call->row->run(&a);
  return bind_end(status, lua_gettop(L) - top);
}
