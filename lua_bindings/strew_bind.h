/* strew_bind.h: what the files of the Lua module share, and nobody else sees.

   The straight way of a call: every function, method and operator that scripts see is bind_dispatch, as a closure over
   (binding, row, name, form). It fills a struct script_call and runs row->function, which

   1. pushes its results, as empty boxes (bind_result),
   2. reads its arguments (bind_arguments), as borrowed pointers,
   3. calls the runtime, which fills the boxes,

   in this order: making a box may run the collector, hence finalizers, hence any script, and that may free a tensor;
   from 2 on nothing runs Lua code, so that what was borrowed stays. The box comes first, its tensor last: whatever
   happens in between, nothing leaks. The function gives the number of its results, or -1 with call->error filled.
   Where memory was short it runs again after a full collection, so it leaves its arguments on the stack as they are.
   bind_dispatch alone raises errors, when nothing is held any more. */
#ifndef STREW_BIND_H
#define STREW_BIND_H

#include <lauxlib.h>
#include <lua.h>

#include "strew.h"

/* Where a tensor of a script's is. NULL while it is being made, and after free(). */
struct box {
  strew_tensor *tensor;
  struct box *next, **link; /* in one of the binding's lists */
};

/* What scripts hold. It is memory of Lua's, and may vanish without a word: where there is no memory for the call of a
   finalizer, Lua goes on without it. So boxes lie elsewhere; that one then stays until the Lua state is closed. */
struct handle {
  const struct binding *owner; /* tells it from other userdata at less cost than its metatable; NULL once collected */
  struct box *box;
};

/* How tensors are printed. strew_print.c */
struct print_options {
  int precision;              /* digits behind the point */
  int64_t threshold;          /* a tensor with more elements is summarised ... */
  int64_t edgeitems;          /* ... by so many at each end of a dimension */
  int linewidth;              /* columns; 0: what `columns` gives */
  int (*columns)(void *user); /* the host's; NULL: it has no opinion */
  void *user;
};

/* One for each Lua state, a userdata. Its user values are the table that strew.last_error() gives, and the memory of
   boxes, and the operations of strew_family.c that are loaded. */
enum { LAST_ERROR = 1, BOXES, FAMILY, BINDING_VALUES = FAMILY };
struct binding {
  strew_context *context; /* NULL once the Lua state is being closed */
  strew_device *device;   /* of new tensors */
  struct limits *limits;  /* of the Lua state, or NULL */
  struct box *boxes;      /* all in use: Lua does not finalize those that a finalizer makes while a state is closed */
  struct box *free_boxes;
  size_t bytes_seen;     /* tensor memory at the end of the last call ... */
  size_t bytes_baseline; /* ... and after the last full collection */
  size_t debt_bytes;     /* memory that Lua's collector has not been told of */
  const char *outer;     /* the call of a script, while operations in Lua run within it; else NULL */
  struct print_options print;
  bool has_warned_of_mean;
};

/* Under which names a row is known: strew.NAME, t:NAME, and both with a trailing underscore. OPERATOR is no name: Lua
   passes the operand of a unary operator twice. */
/* OUTSIDE: it reaches files or processes, and is not there in a sandbox. */
enum form {
  FUNCTION = 1,
  METHOD = 2,
  INPLACE = 4,
  OPERATOR = 8,
  OUTSIDE = 16,
  ALWAYS = FUNCTION | METHOD,
  EVERY = ALWAYS | INPLACE
};

struct script_call;

/* `code` is the function's own: most rows share a function and differ in an enumerator of the runtime. */
struct script_function {
  const char *name;
  int (*function)(lua_State *L, struct script_call *call);
  int code;
  int forms;
};

struct script_call {
  struct binding *binding;
  const struct script_function *row;
  int form;           /* FUNCTION or METHOD, with INPLACE or not */
  int arguments;      /* how many there are, from stack position 1 */
  strew_tensor *self; /* the first argument, once it was read as a tensor */
  strew_error error;
};

/* The rows of each file; the last one has no name. */
extern const struct script_function bind_create_rows[], bind_table_rows[], bind_tensor_rows[], bind_view_rows[],
    bind_math_rows[], bind_reduce_rows[], bind_scatter_rows[], bind_device_rows[], bind_help_rows[], bind_print_rows[],
    bind_file_rows[], bind_show_rows[], bind_image_rows[], bind_family_rows[];

/* --------------------------------------------------------------------------------------------------- strew_box.c */

/* In the registry: the binding, and the module. */
extern const char bind_key[], bind_module_key[];
/* The box at `i`, or NULL where there is something else. */
struct box *bind_to_box(lua_State *L, const struct binding *binding, int i);
/* Pushes an empty box. */
struct box *bind_push_box(lua_State *L, struct binding *binding);
/* The box of the tensor whose method, or in-place function, is called. */
static inline struct box *bind_self_box(lua_State *L) { return ((struct handle *)lua_touserdata(L, 1))->box; }
/* Pushes what the call returns and gives the place for the runtime's result: a new box, or 'self' for what is in place.
 */
strew_tensor **bind_result(lua_State *L, struct script_call *call);
/* The end of a call with so many results on top of the stack. */
static inline int bind_end(strew_status status, int results) { return status == STREW_OK ? results : -1; }
/* The metamethods of boxes, with the binding as their upvalue, and that of the binding. */
int bind_box_gc(lua_State *L);
int bind_box_close(lua_State *L);
int bind_close(lua_State *L);

/* -------------------------------------------------------------------------------------------------- strew_call.c */

int bind_dispatch(lua_State *L);
/* strew.last_error() */
int bind_last_error(lua_State *L, struct script_call *call);

/* Pushes bind_dispatch's upvalues: the userdata at position `binding`, the row, its name, the form. */
void bind_push_upvalues(lua_State *L, int binding, const struct script_function *row, const char *name, int form);
enum { NAME_UPVALUE = 3 };

/* -------------------------------------------------------------------------------------------------- strew_index.c */

/* Sets __index, __newindex, ... of the metatable on top of the stack; `binding` and `methods` are positions below. */
void bind_index_metamethods(lua_State *L, int binding, int methods);
extern const struct script_function bind_tostring_row;        /* strew_print.c */
void bind_print_defaults(struct print_options *options);      /* strew_printoptions.c */
int64_t bind_line_width(const struct print_options *options); /* in columns; strew_print.c */

/* A call of two operands; strew_math.c. */
int bind_binary(lua_State *L, struct script_call *call, strew_binary_op op);

/* --------------------------------------------------------------------------------------------------- strew_fail.c */

/* Fills call->error with "OP: 'ARGUMENT' FACT, RULE" (argument may be NULL); returns -1. */
int bind_fail(struct script_call *call, strew_status code, const char *argument, const char *format, ...)
    __attribute__((cold, format(printf, 4, 5)));
/* Adds a hint to a failure that has none; returns -1. */
int bind_hint(struct script_call *call, const char *format, ...) __attribute__((cold, format(printf, 2, 3)));

/* Tables and views may be long: does the host let the call go on? It is asked at every so many entries, the first of
   which is entry 1; false: call->error is filled. */
bool bind_goes_on(struct script_call *call, int64_t entry);

/* Where argument i is a table: what makes a tensor of it. */
void bind_hint_table(lua_State *L, struct script_call *call, int i, const char *name);
/* Where the key at i, which a sequence has, is one of the options that tensors are made with: where those belong. */
void bind_hint_key(lua_State *L, struct script_call *call, int i);

/* What a value is, for messages: "nil", "a table", "1.5"; text has TEXT_BYTES. */
enum { TEXT_BYTES = 64 };
const char *bind_text(lua_State *L, const struct script_call *call, int i, char *text);

/* Adds the hint with the name that was meant, where there is one; returns -1. */
int bind_hint_guess(struct script_call *call, const strew_guess *guess);
/* Considers all keys of the table at i that are strings. */
void bind_guess_keys(lua_State *L, int i, strew_guess *guess);
/* "OWNER has no 'NAME'", with the hint; returns -1. */
int bind_fail_name(struct script_call *call, const char *owner, const strew_guess *guess);

/* --------------------------------------------------------------------------------------------- strew_arguments.c */

/* How an argument may be given. By position all but KEYED; by name, in a table that comes last, OPTIONAL and KEYED. */
enum presence { REQUIRED, OPTIONAL, UNNAMED /* optional, by position only */, KEYED, REST };

/* One argument: `read` checks the value at stack position i and stores it in *out; false: call->error is filled. What
   is not given, or nil, leaves *out alone. REST takes all that is left: integers, or one sequence of them (struct
   list). */
struct parameter {
  const char *name;
  enum presence presence;
  bool (*read)(lua_State *L, struct script_call *call, int i, const char *name, void *out);
  void *out;
};

/* Ends a list of them. (Every member is given: the compiler would clear the list first, which a small call feels.) */
#define LAST_PARAMETER                                                                                                 \
  { NULL, REQUIRED, NULL, NULL }

/* Reads all arguments; the last parameter has no name. */
bool bind_arguments(lua_State *L, struct script_call *call, const struct parameter *parameters);
/* How many arguments stand before a last one that can only be options. */
int bind_positional(lua_State *L, const struct script_call *call);

struct list {
  int count;
  int64_t at[STREW_MAX_RANK];
};

bool bind_tensor(lua_State *L, struct script_call *call, int i, const char *name, void *out);  /* strew_tensor * */
bool bind_operand(lua_State *L, struct script_call *call, int i, const char *name, void *out); /* strew_operand */
bool bind_scalar(lua_State *L, struct script_call *call, int i, const char *name, void *out);  /* strew_scalar */
bool bind_integer(lua_State *L, struct script_call *call, int i, const char *name, void *out); /* int64_t */
bool bind_dim(lua_State *L, struct script_call *call, int i, const char *name, void *out);     /* int */
bool bind_float(lua_State *L, struct script_call *call, int i, const char *name, void *out);   /* double */
bool bind_boolean(lua_State *L, struct script_call *call, int i, const char *name, void *out); /* bool */
bool bind_list(lua_State *L, struct script_call *call, int i, const char *name, void *out);    /* struct list */
bool bind_dims(lua_State *L, struct script_call *call, int i, const char *name, void *out);    /* struct list of ints */
bool bind_table(lua_State *L, struct script_call *call, int i, const char *name, void *out);   /* int: its position */
bool bind_string(lua_State *L, struct script_call *call, int i, const char *name, void *out);  /* const char * */
bool bind_dtype(lua_State *L, struct script_call *call, int i, const char *name, void *out);   /* strew_dtype */
bool bind_wanted_dtype(lua_State *L, struct script_call *call, int i, const char *name, void *out); /* int, -1: none */
bool bind_device(lua_State *L, struct script_call *call, int i, const char *name, void *out);       /* strew_device * */
bool bind_reduction(lua_State *L, struct script_call *call, int i, const char *name, void *out); /* strew_reduction */
bool bind_mode(lua_State *L, struct script_call *call, int i, const char *name, void *out);      /* strew_mode */
bool bind_colormap(lua_State *L, struct script_call *call, int i, const char *name,
                   void *out); /* strew_colormap; strew_image.c */

/* Has the table at i, a sequence of n entries, any other key? Then it is pushed. */
bool bind_stray_key(lua_State *L, int i, lua_Unsigned n);
/* Brings dim of tensor into 0..rank-1, or fails. */
bool bind_wrap_dim(struct script_call *call, const strew_tensor *tensor, int *dim);
/* "float32[2, 3] cpu"; text has DESCRIPTION_BYTES. */
enum { DESCRIPTION_BYTES = 512 };
const char *bind_describe(const strew_tensor *tensor, char *text);
void bind_push_scalar(lua_State *L, strew_scalar scalar);
void bind_push_sizes(lua_State *L, int rank, const int64_t *sizes); /* as a sequence */

#endif
