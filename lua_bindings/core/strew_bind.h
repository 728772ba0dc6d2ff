/* strew_bind.h: private to the files of the Lua module.

   Every function, method and operator that scripts see is bind_dispatch, a closure over (binding, row, name, form). It
   fills a struct script_call and runs row->function, which

   1. pushes its results, as empty boxes (bind_result),
   2. reads its arguments (bind_read, bind_arguments), as borrowed pointers,
   3. calls the runtime, which fills the boxes,

   in this order: creating a box may run the collector, therefore finalizers, therefore any script, which may free a
   tensor. From step 2 on no Lua code runs, so borrowed pointers stay valid. The box exists before its tensor, so
   nothing leaks. The function returns the number of its results, or -1 with call->error filled. It leaves its arguments
   on the stack: if memory was short, it runs again after a full collection; if a reader met a bound expression, with the
   values of such. Only bind_dispatch raises errors, when nothing is held any more. */
#ifndef STREW_BIND_H
#define STREW_BIND_H

#include <lauxlib.h>
#include <lua.h>

#include <limits.h>

#include "other_lua.h"
#include "strew.h"

/* Rows of functions end where the rest is zero. */
#pragma GCC diagnostic ignored "-Wmissing-field-initializers"

/* Owns a tensor or a grouping for a script; NULL during creation and after free(). */
struct box {
  strew_tensor *tensor;
  strew_grouping *grouping;
  struct box *next, **link; /* in one of the binding's lists */
  uint64_t recorded, held;  /* the record in which it is: strew_record.c */
};

/* The userdata that scripts hold. Lua owns it and may free it without running __gc (it skips finalizers when out of
   memory), so the box lives elsewhere; such a box stays until the Lua state is closed. */
struct handle {
  const void *mark; /* the binding's: identifies it among userdata, faster than its metatable; NULL once collected */
  struct box *box;
};

/* That of a grouping: its size differs, which distinguishes the two. Its user values: what g.keys returns, and the
   table of columns that it was made from. */
enum { GROUPING_KEYS = 1, GROUPING_COLUMNS, GROUPING_VALUES = GROUPING_COLUMNS };
struct grouping_handle {
  struct handle handle;
  void *unused;
};

/* Print options; strew_print.c. Digits after the decimal point; the number of elements above which a tensor is
   summarised; elements shown at each end of a summarised dimension; columns of text, 0: the result of `columns`. */
enum { PRECISION, THRESHOLD, EDGEITEMS, LINEWIDTH, PRINT_OPTIONS };
struct print_options {
  int64_t at[PRINT_OPTIONS];
  int (*columns)(void *user); /* set by the host, or NULL */
  void *user;
};

struct script_call;

/* A userdata, one per Lua state. Its user values: the table that strew.last_error() returns, the memory of boxes, the
   loaded operations of strew_family.c, the record of strew_record.c, strew_family.c's function that loads a file. */
enum { LAST_ERROR = 1, BOXES, FAMILY, RECORD, USE, ERROR_VALUE, BINDING_VALUES = ERROR_VALUE };
struct binding {
  strew_context *context; /* NULL once the Lua state is being closed */
  strew_device *device;   /* of new tensors */
  const void *mark;       /* of its handles: a random number, so that no script forges one in a host's userdata */
  struct limits *limits;  /* of the Lua state, or NULL */
  bool sandbox;           /* scripts may not see memory that nothing was written to */
  const struct script_function *const *rows; /* lists of those of the module, NULL at the end */
  struct box *boxes; /* those in use: Lua does not finalize boxes created by finalizers while a state is closed */
  struct box *free_boxes;
  size_t bytes_seen;     /* tensor memory after the last call */
  size_t bytes_lowest;   /* the lowest since the last step of the collector */
  size_t bytes_baseline; /* tensor memory after the last full collection */
  size_t box_bytes;      /* of boxes made since the last step, and imported */
  size_t imported_bytes; /* since the last full collection */
  size_t step_bytes;     /* growth above bytes_lowest that the next step waits for */
  const char *outer;     /* name of the script's call while an operation written in Lua runs; else NULL */
  const struct family_operands *operands; /* and its tensors, for messages of strew_family.c */
  strew_error raised;                     /* the last one, with its hint as the library or the family wrote it */
  const strew_expr *marked; /* whose node `marked_node` errors mark in its text, while that node is a call; else NULL */
  int marked_node;
  /* NULL until there is such an object. Before a call of a row that is COMBINED: makes it one of a reduction of one's own,
     if that is among its arguments. */
  void (*combine)(lua_State *L, struct script_call *call);
  /* After a reader met a bound expression: puts tensors in place of those among the arguments, and in tables there, but not
     where the call writes. False: there are none, or one fails. */
  bool (*expand)(lua_State *L, struct script_call *call);
  uint64_t record;  /* number of the last record of strew_record.c */
  int record_depth; /* calls of functions of strew.grad that run, one in another */
  bool recording;   /* calls are recorded now */
  struct print_options print;
  void (*write)(void *user, const char *text, size_t length); /* what scripts print: strew_set_print */
  void *write_user;
  bool has_warned_of_mean;
  int single_reads; /* of elements on other devices than the CPU, up to the warning */
};

/* True for float dtypes. */
bool bind_is_float(strew_dtype dtype);

/* The names of a function: strew.NAME, t:NAME, and both with a trailing underscore. OPERATOR and SIGN, of two operands,
   add no name: Lua passes the operand of a unary operator twice. */
/* OUTSIDE: accesses files or processes; absent in a sandbox. GROUPED: a method of groupings, or another one that is made
   of calls that are recorded. WRITES: to self, without an underscore. CONSTANT: the results have no gradient:
   comparisons, positions, counts, whole numbers, properties and texts. BRIEF: written in Lua, with messages that do not
   list its tensors. INNER adds no name: files of the family call it as inner.NAME. CHECKED: an INNER
   function whose parameters are a letter for each argument (strew_library.c). COMPOSED: written in Lua; strew.grad
   records the calls that it is made of. OF_COLUMNS: a function of the module, as a method of tables of columns. COMBINED:
   takes a reduction of one's own in place of a word (bind_combined_rows). */
enum form {
  FUNCTION = 1,
  METHOD = 2,
  INPLACE = 4,
  OPERATOR = 8,
  OUTSIDE = 16,
  GROUPED = 32,
  WRITES = 64,
  CONSTANT = 128,
  BRIEF = 256,
  INNER = 512,
  COMPOSED = 1024,
  CHECKED = 2048,
  OF_COLUMNS = 4096,
  SIGN = 8192,
  COMBINED = 16384,
  ALWAYS = FUNCTION | METHOD,
  EVERY = ALWAYS | INPLACE
};

struct arguments;

/* `code` is private to the function: most rows share a function and differ in an enumerator of the runtime. */
struct script_function {
  const char *name;
  int (*function)(lua_State *L, struct script_call *call);
  int code;
  int forms;
  const char *parameters;                   /* the text for bind_read; of the family: the file */
  strew_status (*run)(struct arguments *a); /* of bind_one and bind_two */
  /* In the copy that a function has instead, once texts were parsed for it: these, and its other upvalues. */
  const struct parameters *lists;
  const char *alias;
  int form;
};

enum { MOST_PARAMETERS = 17 };

struct script_call {
  struct binding *binding;
  const struct script_function *row;
  int form;           /* FUNCTION or METHOD, with INPLACE or not */
  int arguments;      /* their number, from stack position 1 */
  strew_tensor *self; /* the first argument, once read as a tensor */
  bool is_recorded;   /* strew_record.c */
  bool meets_bound;   /* a reader met a bound expression in place of a tensor: the arguments are read again */
  int read_once;      /* the argument that may be a deferred tensor in place of a bound expression; 0: none */
  /* What bind_arguments has read, up to MOST_PARAMETERS: of each parameter the stack position of its value, 0: absent,
     above `arguments`: in the options, the argument at `options`. positional: the arguments before these; rest: the
     parameter that takes all remaining ones, -1: none. The names are set if the call is recorded. */
  int given[MOST_PARAMETERS], positional, options, rest;
  const char *names[MOST_PARAMETERS];
  strew_error error;
};

/* The rows of each file, ended by a row without a name. */
extern const struct script_function bind_create_rows[], bind_table_rows[], bind_tensor_rows[], bind_view_rows[],
    bind_math_rows[], bind_reduce_rows[], bind_scatter_rows[], bind_device_rows[], bind_help_rows[], bind_print_rows[],
    bind_file_rows[], bind_show_rows[], bind_gradient_rows[], bind_family_rows[], bind_key_rows[], bind_exact_rows[],
    bind_grouping_rows[], bind_groups_rows[], bind_expr_rows[], bind_combination_rows[], bind_interchange_rows[],
    bind_text_rows[];

/* --------------------------------------------------------------------------------------------------- strew_box.c */

/* Registry keys of the binding and the module. */
extern const char bind_key[], bind_module_key[];
/* Those of the metatables of expressions (strew_expr.c). */
extern const char bind_expr_key[], bind_bound_key[];
/* True if a bound expression is at position i. */
bool bind_is_bound(lua_State *L, int i);
/* True if the value on top, at this key, is one that a call reads; if one of the first entries of the table at i is. */
bool bind_is_read(lua_State *L, int key);
bool bind_has_bound(lua_State *L, int i);
/* If the value at i, which is no tensor, is a bound expression, the call reads its arguments again, with the values. True:
   it is an argument, so the call fails without a message. */
bool bind_note_bound(lua_State *L, struct script_call *call, int i);
/* The expression at i, bound or not, as messages name it; NULL: something else. */
const char *bind_expr_text(lua_State *L, int i);
/* Pushes the binding of this state; raises an error if the module is not open. */
struct binding *bind_push_binding(lua_State *L);
/* The dtype of the tensor at `i`; STREW_DTYPE_END if it is something else. */
strew_dtype bind_dtype_at(lua_State *L, const struct binding *binding, int i);
/* Returns the box at `i`, or NULL if it is something else. */
struct box *bind_to_box(lua_State *L, const struct binding *binding, int i);
/* Ensures space for `values` more values on the stack, or raises an error. */
void bind_stack(lua_State *L, int values);
/* Pushes an empty box. */
struct box *bind_push_box(lua_State *L, struct binding *binding);
/* The same for a grouping. */
struct box *bind_to_grouping(lua_State *L, const struct binding *binding, int i);
/* The same for a tensor or a grouping. */
struct box *bind_to_any_box(lua_State *L, const struct binding *binding, int i);
struct box *bind_push_grouping(lua_State *L, struct binding *binding);
/* Registers the metatable on top of the stack as that of groupings, and removes it. */
void bind_set_grouping_metatable(lua_State *L, struct binding *binding);
/* Pushes the call's result and returns where the runtime is to store it: a new box, or 'self' if in place. */
strew_tensor **bind_result(lua_State *L, struct script_call *call);
/* Ends a call with `results` values on top of the stack. */
static inline int bind_end(strew_status status, int results) { return status == STREW_OK ? results : -1; }
/* Metamethods of boxes and of the binding, with the binding as upvalue. */
void bind_set_finalizers(lua_State *L, int binding);
int bind_close(lua_State *L);

/* -------------------------------------------------------------------------------------------------- strew_call.c */

int bind_dispatch(lua_State *L);
/* Calls the function below `arguments` values on top of the stack, with those settings of the binding meanwhile; the
   results replace both. Returns their number; -1: an error is on top. */
int bind_call_within(lua_State *L, struct binding *binding, int arguments, bool records, const char *outer,
                     const struct family_operands *operands);
/* Pushes what a file of the family returns; it runs at the first call. binding: its position. */
void bind_use(lua_State *L, int binding, const char *file);
/* strew.last_error() */
int bind_last_error(lua_State *L, struct script_call *call);

/* Pushes bind_dispatch's upvalues: the userdata at position `binding`, the row, its name, the form. */
void bind_push_upvalues(lua_State *L, int binding, const struct script_function *row, const char *name, int form);
enum { ROW_UPVALUE = 2, NAME_UPVALUE, FORM_UPVALUE, UPVALUES = FORM_UPVALUE };
/* Pushes bind_dispatch with these upvalues. */
void bind_push_function(lua_State *L, int binding, const struct script_function *row, const char *name, int form);
/* Pushes the function of a row with this form, the same one each time: it keeps its parsed parameters. */
void bind_push_kept(lua_State *L, const struct script_function *row, int form);
/* Sets a field of the table on top of the stack. */
void bind_set_string(lua_State *L, const char *key, const char *value);
void bind_set_boolean(lua_State *L, const char *key, bool value);
void bind_set_integer(lua_State *L, const char *key, lua_Integer value);
/* Sets an event of the metatable on top of the stack to the row's function; sets the name of its type. */
void bind_set_event(lua_State *L, int binding, const char *event, const struct script_function *row);
void bind_set_name(lua_State *L, const char *name);
/* A userdata that owns an object of the library, so that it is freed even if an error is raised. Its user value is a
   table. */
struct owner {
  union owned {
    void *any; /* NULL: closed */
    strew_table *table;
    strew_reader *reader;
    strew_key_table *keys;
    strew_exact_sums *exact;
    strew_expr *expr;
    strew_combination *combination;
  } object;
  bool is_busy; /* for what the type needs it */
  bool is_used; /* by a call that may run scripts: its end is put off until bind_end_use */
  bool is_over; /* it was put off */
};
struct owner_type {
  const char *key, *name;              /* of the metatable in the registry; shown */
  void (*release)(union owned object); /* not called for NULL */
  struct {
    const char *name;
    const struct script_function *row; /* NULL: no further events */
  } events[4];
  bool has_operators; /* and the other events of tensors */
  const char *hint;   /* where an argument is one of the type, but may not; NULL: none */
};
/* Pushes one that owns nothing yet. */
struct owner *bind_push_owner(lua_State *L, const struct owner_type *type);
/* The value at i; NULL if it is something else. */
struct owner *bind_owner_at(lua_State *L, int i, const struct owner_type *type);
/* The first argument. */
static inline struct owner *bind_to_owner(lua_State *L, const struct owner_type *type) {
  return bind_owner_at(L, 1, type);
}
void bind_end_owner(struct owner *owner, const struct owner_type *type);
void bind_end_use(struct owner *owner, const struct owner_type *type);
/* Counts memory of others, which imported tensors keep, towards the next step of the collector: those of a table, or one;
   both may be NULL. Copies among them count twice. */
void bind_count_imported(struct binding *binding, const strew_table *table, const strew_tensor *tensor);

/* -------------------------------------------------------------------------------------------------- strew_expr.c */

/* Marks the input, named by the string at i + 1, in the text of the expression at position i. */
void bind_mark_input(lua_State *L, struct script_call *call, int i);
/* Replaces the bound expression at position i by a tensor, which the device may leave deferred: strew_expr_bind. */
bool bind_expand(lua_State *L, struct script_call *call, int i, bool deferred);

/* --------------------------------------------------------------------------------------------- strew_combination.c */

/* The operations that take reductions of one's own, strew_family.c; behind "combined_" is the name of the call, or "groups" for the group form. */
extern const struct script_function bind_combined_rows[];
/* True if the arguments of scatter are those of the group form; strew_scatter.c */
bool bind_is_group_form(lua_State *L, const struct script_call *call);

/* ------------------------------------------------------------------------------------------------ strew_record.c */

/* Before a call while binding->recording is set: false if it may not be recorded, or writes to what a gradient needs;
   call->error is filled. */
bool bind_record_begin(lua_State *L, struct script_call *call);
/* False if calls are recorded and the tensor at i, which the call is to write to, is needed for a gradient, or would
   get one: call->error is filled. */
bool bind_may_write(lua_State *L, struct script_call *call, int i, const char *name);
/* After a call that is recorded, with its results on top of the stack: returns their number, or -1. */
int bind_record_end(lua_State *L, struct script_call *call, int results);
/* After a recorded call that failed. */
void bind_record_drop(lua_State *L, struct script_call *call);
/* A new record with the rules on top of the stack, which it pops. */
void bind_record_new(lua_State *L);
/* Pushes the entries. */
void bind_record_tape(lua_State *L);
/* The box at stack position 1 is recorded from now on. */
void bind_record_watch(lua_State *L, struct box *box);
/* True if the box's tensor depends on an argument of the function. */
static inline bool bind_is_recorded(const struct binding *binding, const struct box *box) {
  return binding->record_depth && box->recorded == binding->record;
}
/* True if a gradient needs the box's tensor or grouping. */
static inline bool bind_is_held(const struct binding *binding, const struct box *box) {
  return binding->record_depth && box->held == binding->record;
}
/* False if it does, and self, in that box, cannot be freed: call->error is filled. */
bool bind_may_free(struct script_call *call, const struct box *box);

/* ----------------------------------------------------------------------------------------------- strew_library.c */

/* Makes the environment of the library's own Lua; module: its position. In a sandbox no script may have run yet. */
void bind_open_library(lua_State *L, int module, bool is_sandbox);
/* Pushes an embedded file as a function in that environment. */
void bind_push_chunk(lua_State *L, const char *file, const char *name);
/* Checks the arguments of a function that is CHECKED. False: call->error is filled. */
bool bind_check_inner(lua_State *L, struct script_call *call);
/* Pushes the module as it was opened, a copy that no script reaches. */
void bind_push_own_module(lua_State *L);

/* ------------------------------------------------------------------------------------------------ strew_family.c */

/* Makes the files of the family available to bind_use; binding: its position; rows: all, ended by NULL. */
void bind_open_family(lua_State *L, int binding, const struct script_function *const *rows);

/* --------------------------------------------------------------------------------------------- strew_subscript.c */

/* Sets __index, __newindex, ... of the metatable on top of the stack; `binding` and `methods` are positions below. */
void bind_index_metamethods(lua_State *L, int binding, int methods);
/* __index of a type with methods, a lua_CFunction with bind_dispatch's upvalues and the table of methods. Methods are
   found without the rest of a call, since every t:f() does this; other keys are the row's. */
int bind_get_method_or_field(lua_State *L);
enum { METHODS_UPVALUE = UPVALUES + 1 };
extern const struct script_function bind_tostring_row; /* strew_print.c */
void bind_print_defaults(struct print_options *options);
int64_t bind_line_width(const struct print_options *options); /* in columns; strew_print.c */

/* Pushes {name = tensor, ...}, or a sequence of tensors if they have no names; false: call->error is filled. */
bool bind_push_table(lua_State *L, struct script_call *call, const strew_table *table);
/* The same of a table from Arrow: of a bare array, a column without a name, the tensor. */
bool bind_push_imported(lua_State *L, struct script_call *call, const strew_table *table);

/* Builds *out from the Lua table at position x; those of names and words, options or nil, are on top of the stack. Even
   on failure the caller releases *out unless it is NULL. */
bool bind_read_columns(lua_State *L, struct script_call *call, int x, strew_table **out);

/* Pushes an iterator of chunks, of a file or a stream, without its reader; strew_file.c. */
struct owner *bind_push_iterator(lua_State *L, bool is_stream);
/* Ends a call with the four values of a generic for; `iterator`: its position. */
int bind_end_iterator(lua_State *L, int iterator);

/* missed(x, name), for Lua: keeps them for STREW_MISSED. */
int bind_missed(lua_State *L, struct script_call *call);
/* column_method(f): a function of the module as a method of tables of columns. */
int bind_column_method(lua_State *L, struct script_call *call);
/* saved(x, names, words) of strew.save: tensors, names, lists of words. */
extern const struct script_function bind_saved_columns_row, bind_ordered_row;
/* The texts of strew.show, strew.plot and strew.help, written in Lua; strew_family.c. */
extern const struct script_function bind_drawing_row, bind_plot_row, bind_help_row;
/* Runs another row in place of the call's. */
static inline int bind_run_row(lua_State *L, struct script_call *call, const struct script_function *row) {
  call->row = row;
  return row->function(L, call);
}
/* What these calls do with options or values that the library's functions lack; written in Lua. */
extern const struct script_function bind_eye_row, bind_linspace_row, bind_slice_row, bind_unique_row;
/* The same of text: strew.time (and of numbers with a unit), sub, split and map. */
extern const struct script_function bind_time_row, bind_part_row, bind_split_row, bind_map_row;
static inline int bind_run_text(lua_State *L, struct script_call *call, const struct script_function *row) {
  call->is_recorded = false; /* text has no gradient */
  return bind_run_row(L, call, row);
}
/* Runs a call with an option that the library's function lacks (skip_nan, dtype, prepend, ...) as it is written in Lua. */
int bind_run_with_options(lua_State *L, struct script_call *call);
/* Calls such a row in place of the call's, and the script's print, which is no part of the operation, with its text, if there
   is one. */
int bind_print_text(lua_State *L, struct script_call *call, const struct script_function *row);
/* Of key tables, written in Lua: kt:ids(x, columns), kt.keys where the keys have names; strew_family.c. */
extern const struct script_function bind_table_ids_row, bind_tensor_ids_row, bind_table_keys_row;
/* Of expressions, written in Lua: f(inputs), f:with(inputs), tostring. */
extern const struct script_function bind_expr_call_row, bind_expr_with_row, bind_expr_tostring_row;
/* Calls such a row with the arguments of the call; returns 1, the number of results. */
int bind_call_family(lua_State *L, struct script_call *call, const struct script_function *row);

/* Makes the metatable and the methods of groupings; `binding` is a stack position. strew_grouping.c */
void bind_open_groupings(lua_State *L, int binding);
/* Of groupings written in Lua, strew_family.c: the methods, ended by a row without a name; group_by of a table. */
extern const struct script_function bind_grouped_rows[], bind_group_columns_row, bind_group_keys_row, bind_concat_row;

/* Runs a binary operation; strew_math.c. */
int bind_binary(lua_State *L, struct script_call *call, strew_binary_op op);

/* A lua_CFunction: pushes the table that help.lua returns, parsed at the first call; strew_hints.c. */
int bind_help_pages(lua_State *L);
/* Pushes the table of hints.lua; returns 1. */
int bind_hints(lua_State *L);
/* Fails with "OWNER has no 'NAME'" and the hint; returns -1. */
int bind_fail_name(lua_State *L, struct script_call *call, const char *owner, const strew_guess *guess);
/* Adds the hint for a call that strings have with another meaning. False: no text is among the first two arguments, or
   there is none. */
bool bind_hint_text(lua_State *L, struct script_call *call);

/* --------------------------------------------------------------------------------------------------- strew_fail.c */

/* Fills call->error with "OP: 'ARGUMENT' FACT, RULE" (argument may be NULL); returns -1. */
#define bind_fail(call, ...) bind_failed(strew_error_set(&(call)->error, __VA_ARGS__))
static inline int bind_failed(strew_status status) { return status == STREW_OK ? 0 : -1; }
/* Adds a hint to a failure that has none; returns -1. */
int bind_hint(struct script_call *call, const char *format, ...) __attribute__((cold, format(printf, 2, 3)));

/* Fails with "is VALUE, expected ..." of argument i; returns false. */
bool bind_fail_type(lua_State *L, struct script_call *call, int i, const char *name, const char *expected);

/* True if the host lets a long loop continue; checked every few thousand entries, from entry 1. False: call->error is
   filled. */
bool bind_may_continue(struct script_call *call, int64_t entry);

/* If argument i is a table or an expression, adds a hint how to make a tensor of it. */
void bind_hint_tensor(lua_State *L, struct script_call *call, int i, const char *name);
/* If the key at i is an option of creation functions, adds a hint where options belong. */
void bind_hint_key(lua_State *L, struct script_call *call, int i);

/* Returns a value as text for messages: "nil", "a table", "1.5"; text has TEXT_BYTES. */
enum { TEXT_BYTES = 64 };
const char *bind_text(lua_State *L, const struct script_call *call, int i, char *text);

/* Adds the guessed name as a hint, if there is one; returns -1. */
int bind_hint_guess(struct script_call *call, const strew_guess *guess);
/* Considers all string keys of the table at i. */
void bind_guess_keys(lua_State *L, int i, strew_guess *guess);

/* --------------------------------------------------------------------------------------------- strew_arguments.c */

/* How an argument is passed: all but KEYED by position; OPTIONAL, LISTED and KEYED by name, in a table that comes last.
   LISTED is OPTIONAL, but an empty table in its position is an empty list, not options. */
enum presence { REQUIRED, OPTIONAL, LISTED, UNNAMED /* optional, by position only */, KEYED, REST };

/* One parameter: `read` checks the value at stack position i and stores it in *out; false: call->error is filled. An
   absent or nil argument leaves *out alone. REST takes all remaining arguments: integers, or one sequence of them
   (struct list). */
typedef bool bind_reader(lua_State *L, struct script_call *call, int i, const char *name, void *out);
struct parameter {
  const char *name;
  enum presence presence;
  bind_reader *read;
  void *out;
  bool is_read_once; /* a bound expression may be left deferred */
};

/* Ends a parameter list. (All members are written out: otherwise the compiler clears the list first, which slows small
   calls.) */
#define LAST_PARAMETER                                                                                                 \
  { NULL, REQUIRED, NULL, NULL, false }

/* Reads all arguments; the last parameter has no name. Those not passed by position may stand in the options. */
bool bind_arguments(lua_State *L, struct script_call *call, const struct parameter *parameters);
/* The same where `out` of the parameters are offsets from `to`. */
bool bind_arguments_at(lua_State *L, struct script_call *call, const struct parameter *parameters, void *to);
/* The stack position of argument i; of a call whose first argument passes all by name, that of the value, which is
   pushed. To be called before arguments are read. */
int bind_position(lua_State *L, int i, const char *name);
/* Reads the table at position `table` as options, which may have any of the parameters. */
bool bind_options(lua_State *L, struct script_call *call, int table, const struct parameter *parameters);
/* True if the last argument is a table that passes an argument of that name. */
bool bind_names(lua_State *L, const struct script_call *call, const char *name);
/* The number of arguments before a last one that can only be options. */
int bind_positional(lua_State *L, const struct script_call *call);

struct list {
  bool is_given; /* a list may be empty */
  int count;
  int64_t at[STREW_MAX_RANK];
};
struct filling {
  bool is_given;
  strew_scalar value;
};
/* An operand that may be absent. */
struct operand_bound {
  bool is_given;
  strew_operand operand;
};
/* Tensors that a call takes: its first arguments, or the entries of a table at a stack position. */
struct joined {
  int table; /* 0: arguments */
  lua_Integer count;
};
/* Finds them; the table `tensors` of a call that names its arguments is pushed. And reads them. */
struct joined bind_find_tensors(lua_State *L, struct script_call *call);
bool bind_read_tensors(lua_State *L, struct script_call *call, const struct joined *joined, const char *name,
                       strew_tensor **tensors);
/* Entries of a table of indices, which keeps them alive. One more than can be right. */
struct entries {
  int count;
  strew_tensor *at[STREW_MAX_RANK + 1];
};
/* Red, green and blue. */
struct color {
  const unsigned char *given; /* these; NULL: none */
  unsigned char channels[3];
};
/* A tensor that the result is stored in, at the stack position `at` from then on. */
struct destination {
  strew_tensor *given;
  int at;
};

/* -------------------------------------------------------------------------------------------- strew_parameters.c */

/* Of arguments that are absent and have no default. */
enum { NO_DIM = INT_MIN };
#define NO_INTEGER INT64_MIN

/* The types in texts of parameters: the word, the function that reads a value, what it stores, and how that begins if
   the argument is absent and has no default (strew_parameters.c). */
/* clang-format off */
#define ARGUMENT_TYPES(X)                                                                                              \
  X(tensor, bind_tensor, strew_tensor *, ZEROS)           X(written, bind_written, strew_tensor *, ZEROS)              \
  X(destination, bind_destination, struct destination, ZEROS)                                                          \
  X(sequence, bind_sequence, int, WORD)                   X(several, bind_several, strew_tensor *, ZEROS)              \
  X(line, bind_line, strew_tensor *, ZEROS)               X(entries, bind_entries, struct entries, ZEROS)              \
  X(operand, bind_operand, strew_operand, ZEROS)          X(bound, bind_operand_bound, struct operand_bound, ZEROS)    \
  X(comparand, bind_comparand, strew_operand, ZEROS)                                                                   \
  X(grouping, bind_grouping, strew_grouping *, ZEROS)     X(index, bind_index, strew_groups, ZEROS)                    \
  X(scalar, bind_scalar, strew_scalar, SCALAR)            X(fill, bind_fill, struct filling, ZEROS)                    \
  X(element, bind_element, strew_scalar, ZEROS)           X(copied, bind_copied, strew_operand, ZEROS)                 \
  X(number, bind_float, double, NUMBER)                   X(boolean, bind_boolean, bool, TRUTH)                        \
  X(integer, bind_integer, int64_t, INTEGER)              X(size, bind_size, int64_t, INTEGER)                         \
  X(integers, bind_list, struct list, LIST)               X(dims, bind_dims, struct list, LIST)                        \
  X(lengths, bind_lengths, int64_t, INTEGER)              X(dim, bind_dim, int, DIM)                                   \
  X(word, bind_string, const char *, ZEROS)               X(mode, bind_mode, strew_mode, WORD)                         \
  X(reduce, bind_reduction, strew_reduction, REDUCTION)   X(dtype, bind_wanted_dtype, int, DTYPE)                      \
  X(device, bind_device, strew_device *, ZEROS)           X(any, bind_any, int, WORD)                                  \
  X(colormap, bind_colormap, strew_colormap, WORD)        X(color, bind_color, struct color, ZEROS)                    \
  X(source, bind_source, strew_tensor *, ZEROS)           X(topic, bind_topic, const char *, ZEROS)                    \
  X(expression, bind_expression, int, WORD)               X(numbers, bind_numbers, int, WORD)                          \
  X(interpolation, bind_interpolation, strew_interpolation, WORD) X(table, bind_table, int, WORD)                      \
  X(function, bind_function, int, WORD)                   X(joining, bind_group_reduction, strew_group_reduction, WORD)

/* The fields that arguments are stored in: X has the type and the name in a text; Y another name of the field. */
#define ARGUMENTS(X, Y)                                                                                                \
  X(tensor, self) X(tensor, src) X(tensor, index) X(tensor, other) X(tensor, source) X(tensor, mask)                   \
  X(tensor, condition) X(tensor, indices) X(tensor, updates) X(tensor, sorted) X(tensor, boundaries)                   \
  X(tensor, weights) X(tensor, data) X(tensor, lengths) X(tensor, offsets) X(tensor, indptr)                           \
  Y(comparand, self, compared) Y(comparand, other, beside) X(comparand, values)                                \
  X(tensor, starts) X(tensor, ends) X(integer, window) X(boolean, mean)                                                \
  Y(operand, src, source_operand) Y(comparand, src, written) Y(copied, src, copied) X(comparand, value)                \
  X(comparand, a) X(comparand, b) X(operand, q) Y(bound, min, lower) Y(bound, max, upper) Y(index, index, groups)      \
  X(fill, fill) X(fill, fill_index) X(boolean, skip_nan) X(boolean, exact) X(scalar, alpha) Y(scalar, value, scalar)   \
  Y(element, value, element)                                                                                           \
  Y(scalar, start, scalar_start) Y(scalar, stop, scalar_stop)                                                          \
  Y(scalar, step, scalar_step) X(fill, initial) X(number, min) X(number, max) X(number, rtol) X(number, atol)          \
  X(number, done) X(number, correction) Y(number, q, quantile) X(boolean, unbiased) X(colormap, colormap)              \
  X(color, nan) X(integer, scale) X(source, x) Y(number, start, float_start) Y(number, stop, float_stop)               \
  X(integer, position) X(integer, start) X(integer, stop) X(integer, step) X(integer, length) X(integer, offset)       \
  X(integer, n) X(integer, m) X(integer, k) X(integer, bins) X(integer, minlength) X(integer, low) X(integer, high)    \
  X(integer, steps) X(integer, threads) X(integer, seed) X(integer, chunks) X(size, dim_size)                          \
  X(dim, dim) X(dim, dim0) X(dim, start_dim) X(dim, end_dim) X(dim, batch_dims) X(dim, axis)              \
  X(boolean, keepdim) X(boolean, include_self) X(boolean, accumulate) Y(boolean, right, is_right)                      \
  X(boolean, descending) X(boolean, largest) Y(boolean, upper, is_upper) X(boolean, full_matrices)                     \
  Y(word, mode, form) Y(word, order, ordering) X(boolean, equal_nan) X(boolean, return_inverse)                                                 \
  X(boolean, return_counts) X(boolean, enabled) X(boolean, squares) Y(dims, dim, dims) X(integers, shape) X(integers, strides)             \
  Y(integers, dims, order) Y(integers, position, place) X(mode, mode) Y(reduce, reduce, reduction)                     \
  X(interpolation, interpolation) X(dtype, dtype) X(device, device) X(word, doing) X(word, format)                                     \
  Y(grouping, self, grouping) X(word, text) Y(entries, indices, entries)                       \
  Y(lengths, size, chunk) Y(destination, out, destination) X(dim, dim1) X(dim, dim2)                                  \
  X(integers, shifts) Y(dims, dims, along) X(integers, repeats) Y(operand, repeats, each) X(integer, diagonal)         \
  X(entries, coordinates) X(entries, edges) Y(tensor, test_elements, set) X(boolean, invert)                           \
  Y(joining, reduce, joining)
/* clang-format on */

#define TYPE(word, read, type, absent)                                                                                 \
  typedef type word##_argument;                                                                                        \
  bind_reader read;
ARGUMENT_TYPES(TYPE)
#undef TYPE
bind_reader bind_dtype; /* strew_dtype */

/* The arguments of a call by their names: of a text's parameters; the other fields are not set. */
struct arguments {
  lua_State *L; /* of bind_values */
  struct script_call *call;
  strew_error *error;           /* the call's */
  strew_tensor **out, **second; /* where results are stored: bind_one, bind_two */
#define FIELD(type, name)          type##_argument name;
#define RENAMED(type, name, field) type##_argument field;
  ARGUMENTS(FIELD, RENAMED)
#undef FIELD
#undef RENAMED
  struct list unused; /* for a value that is only checked */
};

/* Returns the list at i, or NULL: it is none. */
const struct parameters *bind_to_parameters(lua_State *L, int i);
/* Parses a text and pushes the list, which keeps the address of the text. */
struct parameters *bind_parse(lua_State *L, const char *text);
/* Reads the arguments by a list, by a text, or by the row's. To be called after the results were pushed. */
bool bind_read_list(lua_State *L, struct script_call *call, const struct parameters *list, struct arguments *a);
bool bind_read_as(lua_State *L, struct script_call *call, const char *text, struct arguments *a);
bool bind_read(lua_State *L, struct script_call *call, struct arguments *a);
/* After that: pushes the value of parameter k, or nil; of REST a new sequence of integers. */
void bind_push_given(lua_State *L, const struct script_call *call, int k, const char *name);
/* After that: pushes the first argument, self, wherever the script passed it, and reads it again, since Lua code may
   have run. Returns its position; 0: call->error is filled. */
int bind_push_self(lua_State *L, struct script_call *call, strew_tensor **self);
/* Sets the names of the parameters, at most MOST_PARAMETERS; returns their number. */
int bind_list_names(const struct parameters *list, const char *names[]);
/* After bind_read_list: pushes the values of all parameters, for bind_push_given, and sets their names; returns their
   number. */
int bind_push_all(lua_State *L, const struct script_call *call, const struct parameters *list, const char *names[]);
/* Defines the `run` of a row: a call of the library with these arguments of `a`, for bind_one or bind_two. */
#define RUN(name, function, ...)                                                                                       \
  static strew_status name(struct arguments *a) { return function(__VA_ARGS__, a->out, a->error); }
#define RUN_TWO(name, function, ...)                                                                                   \
  static strew_status name(struct arguments *a) { return function(__VA_ARGS__, a->out, a->second, a->error); }
/* Calls the row's `run` with the arguments, for one result or two. */
int bind_one(lua_State *L, struct script_call *call);
int bind_two(lua_State *L, struct script_call *call);
/* The same; the result is what `run` pushes, or the results. */
int bind_values(lua_State *L, struct script_call *call);
#define PUSH(name, ...)                                                                                                \
  static strew_status name(struct arguments *a) { return __VA_ARGS__, STREW_OK; }
/* scatter in the group form; strew_groups.c */
int bind_group_form(lua_State *L, struct script_call *call);

/* Fails unless src is on the grouping's device. */
bool bind_check_beside(struct script_call *call, const strew_grouping *grouping, const strew_tensor *src);
/* Makes unbiased = false a correction of 0; fails if both are given. */
bool bind_check_correction(lua_State *L, struct script_call *call, struct arguments *a);
/* The same of what a call read; fails, too, if its options set what a grouping has itself. */
bool bind_check_grouping(const struct arguments *a);
/* True if the table at i, a sequence of n entries, has any other key, which is pushed. */
bool bind_stray_key(lua_State *L, int i, lua_Unsigned n);
/* True if it has none; else fails, with the key on top: expected a sequence, "of tensors". */
bool bind_check_sequence(lua_State *L, struct script_call *call, int i, const char *name, const char *of);
/* Returns the tensor that is entry k of the table at i, which keeps it alive; NULL: call->error is filled. */
strew_tensor *bind_entry(lua_State *L, struct script_call *call, int i, lua_Integer k, const char *name);
/* Normalizes dim to 0..rank-1, or fails. */
bool bind_wrap_dim(struct script_call *call, const strew_tensor *tensor, int *dim);
/* "float32[2, 3] cpu"; text has DESCRIPTION_BYTES. */
enum { DESCRIPTION_BYTES = 512 };
const char *bind_describe(const strew_tensor *tensor, char *text);
void bind_push_scalar(lua_State *L, strew_scalar scalar);
/* True if the tensor's device has float64. */
bool bind_has_float64(const strew_tensor *t);
/* Pushes an element of self: fails for a uint64 that Lua's integers do not hold, for no number would be right. */
bool bind_push_element(lua_State *L, struct script_call *call, const strew_tensor *self, strew_scalar element);
/* The word of a code of a text; "" if there is none. Pushing it may run a finalizer. */
void bind_push_word(lua_State *L, const strew_tensor *text, int64_t code);
bool bind_to_scalar(lua_State *L, int i, strew_scalar *out); /* false: neither a number nor a boolean */
/* Makes the value at i that of call->error; a string is noted for the call's error, whose value is of dtype text. False:
   it is neither a number, a boolean nor a string. */
bool bind_to_value(lua_State *L, struct script_call *call, int i);
/* Counts the read of an element of self by a script: the thousandth one on a device other than the CPU warns, once per
   Lua state, and only with warnings on. strew_tensor.c */
void bind_note_read(lua_State *L, struct script_call *call, const strew_tensor *self);
void bind_push_sizes(lua_State *L, int rank, const int64_t *sizes); /* as a sequence */

#endif
