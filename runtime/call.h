/* call.h: a public call, as the files of the runtime see it, and its failures (error.c).

   The straight way of a call: a public function describes itself for messages (struct call), checks its arguments once,
   fills a plan on the stack (plan.h), and makes one indirect call through the device's table (device.h). Statuses come
   back up. */
#ifndef STREW_CALL_H
#define STREW_CALL_H

#include "float_mode.h"
#include "strew.h"

#define MAX_RANK     STREW_MAX_RANK
#define MAX_OPERANDS 5

struct storage;
/* What a public function tells about itself, for messages: its name (the caller may have another one for it, in
   error->alias) and its tensor arguments, as the user calls them. */
struct call {
  const char *op;
  strew_error *error;
  struct {
    const char *name;
    const strew_tensor *tensor;
  } operands[MAX_OPERANDS];
  const struct storage *begun; /* what earlier steps of the call have written into; NULL: nothing */
  struct float_mode host_mode;
  strew_context *claimed; /* in debug builds */
};
/* Declares `variable`, the public call that begins here: it ends with the block. */
#define CALL(variable, name, err, ...)                                                                                 \
  struct call variable                                                                                                 \
      __attribute__((cleanup(call_leave))) = {.op = (name), .error = (err), .operands = {__VA_ARGS__}};                \
  call_enter(&variable)

/* What went wrong besides words: all optional but the code. `position` has `position_rank` entries. */
struct fault {
  strew_status code;
  const char *argument;
  const strew_scalar *value;
  const int64_t *position;
  int position_rank;
  const char *hint; /* copied */
};

/* Fills call->error with "OP: 'ARGUMENT' " + the formatted fact and rule + a line per operand + the hint; returns
   fault.code, so that a failure is one line at the place where it is found. (`cold`: what leads to it is kept out of
   the way of small calls.) */
strew_status fail(const struct call *call, struct fault fault, const char *format, ...)
    __attribute__((cold, format(printf, 3, 4)));
/* An enumerator that is none of 0..last. */
strew_status fail_unknown(const struct call *call, const char *argument, int value, int last) __attribute__((cold));

/* What gcc -fanalyzer and clang-tidy cannot see in another file: a failure is never STREW_OK. */
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
/* A path or another name from outside: a long one loses its beginning, characters that steer a terminal become "?". */
const char *text_of_name(const char *name, char *text);

/* "did you mean '...'?" in text (of TEXT_BYTES), or NULL where nothing is near. guess.c */
const char *hint_of_guess(const strew_guess *guess, char *text);

/* -------------------------------------------------------------------------------------------------- thread_check.c */

/* The rule of threads: one that comes in while another is there makes the calls of both fail. */
void context_claim(strew_context *context);
void context_unclaim(strew_context *context);
#ifdef STREW_DEBUG
enum { WATCHES_THREADS = 1 };
#else
enum { WATCHES_THREADS = 0 };
#endif

strew_context *tensor_context(const strew_tensor *tensor);

/* Every public call passes here: see CALL. */
static inline void call_enter(struct call *call) {
  float_mode_enter(&call->host_mode);
  for (int i = 0; WATCHES_THREADS && i < MAX_OPERANDS && !call->claimed; i++)
    if (call->operands[i].tensor) context_claim(call->claimed = tensor_context(call->operands[i].tensor));
}

static inline void call_leave(struct call *call) {
  if (WATCHES_THREADS && call->claimed) context_unclaim(call->claimed);
  float_mode_leave(&call->host_mode);
}

#endif
