/* call.h: the frame of a public call, and its errors (error.c).

   A public function describes itself for messages (struct call), checks its arguments once, fills a plan on the stack
   (plan.h), and makes one indirect call through the device's table (device.h). Statuses are passed up. */
#ifndef STREW_CALL_H
#define STREW_CALL_H

#include "float_mode.h"
#include "strew_core.h"

#define MAX_RANK     STREW_MAX_RANK
#define MAX_OPERANDS 5
/* Before a function that small calls do without: its callers save no registers for it. */
#define APART __attribute__((noinline))

#if defined(__clang__)
#pragma clang diagnostic ignored "-Wmissing-field-initializers" /* most operands are not READ_ONCE; gcc knows them */
#endif

struct storage;
struct word_list;
/* Where in an expression an operation stands: bytes at .. at + length - 1 of its text. */
struct place {
  const char *text;
  int at, length;
};
/* A public call, as messages describe it: its name (error->alias replaces it) and its tensor arguments, with the names
   that the user knows. */
struct call {
  const char *op;
  strew_error *error;
  struct {
    const char *name;
    const strew_tensor *tensor;
    int use;
  } operands[MAX_OPERANDS];
  const struct place *place;   /* of the operation in an expression, which messages mark; NULL: in none */
  const struct storage *begun; /* the storage that earlier steps of the call have written; NULL: none */
  struct word_list *words; /* of the texts that the call makes and writes, with all words of its texts; NULL: none */
  struct recoded *recoded; /* text.c: operands that have such codes during the call; NULL: none */
  struct float_mode host_mode;
  bool is_checked;        /* there are deferred tensors, or others than numbers */
  strew_context *claimed; /* in debug builds */
};
struct recoded {
  void (*restore)(struct call *call);
  struct word_list *from; /* the list that call->words begins with, of what the call writes */
};
/* How a call uses an operand. READ_ONCE: it may be deferred, see deferred.c. MOVED: its elements are moved or chosen, and
   need not be numbers; those of all such operands have one dtype if one has no numbers. IDS: of a grouping, which are
   int64 to the user, however it keeps them. ORDERED: its elements are compared, and need not be numbers; the call checks
   whether they go with the others, and gives its steps order keys (step_key). RESULT: written once all is computed; the
   call checks its dtype. OWN_LIST: need not be numbers; the call checks it, text keeps its list. UNSEEN: a word that was
   a string, which messages do not list. */
enum { READ_ONCE = 1, MOVED = 2, IDS = 4, ORDERED = 8, RESULT = 16, OWN_LIST = 32, UNSEEN = 64 };
/* Declares `variable`, the public call that begins here: it ends with the block. Operands without READ_ONCE are stored,
   those without MOVED must have numbers. Debug builds return at once if an operand was released. */
#define CALL(variable, name, err, ...)                                                                                 \
  struct call variable                                                                                                 \
      __attribute__((cleanup(call_leave))) = {.op = (name), .error = (err), .operands = {__VA_ARGS__}};                \
  call_enter(&variable);                                                                                               \
  if (IS_DEBUG && !call_is_alive(&variable)) return report_inner(STREW_EFREED, variable.error, error);                 \
  if (variable.is_checked) RETURN_IF_FAILED(call_check(&variable))

/* The details of a failure; all but the code are optional. `position` has `position_rank` entries. */
struct fault {
  strew_status code;
  const char *argument;
  const strew_scalar *value;
  const int64_t *position;
  int position_rank;
  const char *hint; /* copied */
  bool has_lines;   /* the fact has line ends, which stay */
};

#define FAULT(status, name) ((struct fault){.code = (status), .argument = (name)})
#define VALUED(status, name, scalar)                                                                                   \
  ((struct fault){.code = (status), .argument = (name), .value = (const strew_scalar[]){scalar}})
#define HINTED(status, name, words) ((struct fault){.code = (status), .argument = (name), .hint = (words)})

/* Fills call->error with "OP: 'ARGUMENT' " + the formatted fact and rule + a line per operand + the hint; returns
   fault.code, so that a check fails in one line. `cold` moves error paths out of line, for small calls. */
strew_status fail(const struct call *call, struct fault fault, const char *format, ...)
    __attribute__((cold, format(printf, 3, 4)));
/* Fails for an enumerator outside 0..last. */
strew_status fail_unknown(const struct call *call, const char *argument, int value, int last) __attribute__((cold));

/* Fails unless the `reserved` bytes of options, size_bytes long, are zeros. */
strew_status check_reserved(const struct call *call, const uint64_t *reserved, size_t size_bytes);
#define check_options(call, options) check_reserved(call, (options)->reserved, sizeof(options)->reserved)
/* After CALL, of a call with the argument `options`: NULL stands for zeros; fails unless the reserved bytes are zeros. */
#define OPTIONS(type)                                                                                                  \
  options = options ? options : &(const type){0};                                                                      \
  RETURN_IF_FAILED(check_options(&call, options))

/* Returns the name under which inner calls report: the alias that error has, else `name`. */
static inline const char *alias_of(const strew_error *error, const char *name) {
  return error && error->alias ? error->alias : name;
}
/* True for the status of a call that the user or the time limit ended. */
static inline bool is_stopped(strew_status status) { return status == STREW_EINTERRUPTED || status == STREW_ETIME; }
/* Reports the status of inner calls, whose failure is in `inner`, under the alias that error has, and with the operands
   of the outer call where memory, time or the user ended it. Returns the status. */
strew_status report_call(const struct call *call, strew_status status, const strew_error *inner, strew_error *error);
#define report_inner(status, inner, error) report_call(&call, status, inner, error)

/* Gives a message the lines of the place, and that hint, or none if it is empty. */
void error_mark(strew_error *error, const struct place *place, const char *hint);
/* Writes a hint of the library, which is in C, to `out` (TEXT_BYTES) as scripts have it, or the text of an expression, in
   which the names of operands, and $0 and $1, stay. hint.c */
enum dialect { IN_SCRIPT = 1, IN_TEXT };
extern const char lua_keywords[]; /* with blanks around them */
void hint_render(const char *hint, enum dialect dialect, char *out);

/* Evaluates a call that returns a status, unless one before it has failed: TRY(status, f(...)). Returns the status. */
#define TRY(status, ...) ((status) = (status) != STREW_OK ? (status) : (__VA_ARGS__))
/* Evaluates a call that returns a status; returns from the function if it has failed. */
#define RETURN_IF_FAILED(...)                                                                                          \
  do {                                                                                                                 \
    const strew_status status_of_call = (__VA_ARGS__);                                                                 \
    if (status_of_call != STREW_OK) return status_of_call;                                                             \
  } while (0)

/* Halves low .. high - 1 until `low` is the first i for which the condition, which holds for those before it, does
   not. */
#define BISECT(low, high, i, condition)                                                                                \
  for (int64_t i; (low) < (high);) i = (low) + ((high) - (low)) / 2, (condition) ? ((low) = i + 1) : ((high) = i)

/* Tells gcc -fanalyzer and clang-tidy, which see one file only, that a failure is never STREW_OK. */
static inline strew_status failed(strew_status status) {
  if (status == STREW_OK) __builtin_unreachable();
  return status;
}
#define fail(...)         failed(fail(__VA_ARGS__))
#define fail_unknown(...) failed(fail_unknown(__VA_ARGS__))
/* Writes "[2, 3]" to text (at least TEXT_BYTES long) and returns it. */
#define TEXT_BYTES 400
const char *text_of_sizes(int rank, const int64_t *sizes, char *text);
const char *text_of_scalar(strew_scalar scalar, char *text);
/* The same for a path or another external name: a long one loses its beginning; strew_printable. */
const char *text_of_name(const char *name, char *text);

/* Writes the hint of a failure that follows to call->error, and returns it. */
const char *hint_of(const struct call *call, const char *format, ...) __attribute__((cold, format(printf, 2, 3)));
/* The same of "did you mean '...'?"; NULL if no name is near. */
const char *hint_of_guess(const struct call *call, const strew_guess *guess) __attribute__((cold));

/* ------------------------------------------------------------------------------------------------------- release.c */

#ifdef STREW_DEBUG
enum { IS_DEBUG = 1 };
#else
enum { IS_DEBUG = 0 };
#endif
/* Debug builds keep released tensors, except those in which AddressSanitizer finds a later use. */
#ifdef __SANITIZE_ADDRESS__
enum { KEEPS_RELEASED = 0 };
#else
enum { KEEPS_RELEASED = IS_DEBUG };
#endif
/* Begin and end a thread's use of the context, in debug builds; if two threads use it at once, the calls of both
   fail. */
void context_claim(strew_context *context);
void context_unclaim(strew_context *context);
/* The thread uses the context from now on: what others have released is given back. See release.c. */
void call_use(struct call *call);
/* Debug builds: false, and the call fails, if one of its operands was released; the same for entry i, from 0, of a
   list. */
bool call_is_alive(const struct call *call);
strew_status check_alive(const struct call *call, const char *name, int64_t i, const strew_tensor *tensor);

strew_context *tensor_context(const strew_tensor *tensor);

/* Names of a list's entries in messages, numbered from 1, as Lua's tables are: an initializer. */
#define ENTRIES(list)                                                                                                  \
  {                                                                                                                    \
    list "[1]", list "[2]", list "[3]", list "[4]", list "[5]", list "[6]", list "[7]", list "[8]", list "[9]",        \
        list "[10]", list "[11]", list "[12]", list "[13]", list "[14]", list "[15]", list "[16]"                      \
  }
/* Checks the dtypes of the call's operands, gives its texts one list of words, and stores deferred ones (deferred.c), all
   but those that it reads once. */
strew_status call_check(struct call *call);
/* Fails unless the operand `name` has numbers: a reduction or a step of the call needs them. */
strew_status check_is_number(const struct call *call, const char *name, const strew_tensor *tensor);
/* Fails unless the dtypes of `name` and of the operand `first` are equal, or both of numbers. */
strew_status check_kind(const struct call *call, const char *name, strew_dtype dtype, const char *first,
                        strew_dtype expected);
/* The same as call_check for entry i of a list, which is checked to be alive. */
strew_status check_listed(const struct call *call, const char *name, int64_t i, const strew_tensor *tensor, int use);

/* The beginning and end of every public call: see CALL. */
static inline void call_enter(struct call *call) {
  float_mode_enter(&call->host_mode);
  call_use(call);
}

static inline void call_leave(struct call *call) {
  if (call->recoded) call->recoded->restore(call);
  if (IS_DEBUG && call->claimed) context_unclaim(call->claimed);
  float_mode_leave(&call->host_mode);
}

#endif
