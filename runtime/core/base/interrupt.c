/* interrupt.c: running calls stop when the host interrupts them or their time limit is exceeded; and report progress.

   Each thread of a call tests context_stops() before each chunk of work, of a few milliseconds at most, and skips the
   rest once it is true. It then stays true for all threads until the call ends, even if the host clears the interrupt:
   no thread continues work that another one has skipped. A device's entry ends with context_end(), which turns skipped
   work into a failure. Without an interrupt or a time limit a test is one relaxed load. */
#define _GNU_SOURCE /* CLOCK_MONOTONIC_COARSE */
#include "context.h"

#include <stdio.h>
#include <time.h>

/* The coarse clock has the resolution of the kernel's ticks, 4 ms at most, and costs a fifth of the fine one. */
int64_t clock_ns(void) {
  struct timespec now;
#ifdef CLOCK_MONOTONIC_COARSE
  clock_gettime(CLOCK_MONOTONIC_COARSE, &now);
#else
  clock_gettime(CLOCK_MONOTONIC, &now);
#endif
  return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

static int state_of(const strew_context *context) { return atomic_load_explicit(&context->stop, memory_order_relaxed); }
static void set(strew_context *context, int bits) {
  atomic_fetch_or_explicit(&context->stop, bits, memory_order_relaxed);
}
static void clear(strew_context *context, int bits) {
  atomic_fetch_and_explicit(&context->stop, ~bits, memory_order_relaxed);
}

void strew_context_interrupt(strew_context *context) { set(context, STOP_INTERRUPTED); }
void strew_context_clear_interrupt(strew_context *context) { clear(context, STOP_INTERRUPTED | STOP_SKIPPED); }

void strew_context_limit_time(strew_context *context, double seconds) {
  const double longest = 1e9; /* thirty years */
  bool limited = seconds > 0;
  context->time_limit_seconds = limited ? seconds : 0;
  clear(context, STOP_TIMED | STOP_LATE | STOP_SKIPPED);
  if (!limited) return;
  context->deadline_ns = context->now_ns() + (int64_t)((seconds < longest ? seconds : longest) * 1e9);
  set(context, STOP_TIMED);
}

bool context_stops_slow(strew_context *context) {
  if (state_of(context) & STOP_TIMED && context->now_ns() >= context->deadline_ns) set(context, STOP_LATE);
  if (!(state_of(context) & (STOP_INTERRUPTED | STOP_LATE | STOP_SKIPPED | STOP_SHARED))) return false;
  set(context, STOP_SKIPPED);
  return true;
}

/* The argument name of the tensor that was being written; NULL: a new tensor or scratch. */
static const char *name_of(const struct call *call, const struct storage *written) {
  for (int i = 0; written && i < MAX_OPERANDS && call->operands[i].name; i++)
    if (call->operands[i].tensor && call->operands[i].tensor->storage == written) return call->operands[i].name;
  return NULL;
}

strew_status context_end(const struct call *call, strew_context *context, const struct storage *written) {
  if (!(state_of(context) & STOP_SKIPPED)) return STREW_OK;
  clear(context, STOP_SKIPPED);
  if (state_of(context) & STOP_SHARED)
    return fail(call,
                (struct fault){.code = STREW_EARGUMENT,
                               .hint = "a context, with all its tensors, is used by one thread at a time"},
                "two threads were in calls of one context at the same time; its tensors may be corrupt");
  const char *name = name_of(call, written);
  if (!name) name = name_of(call, call->begun);
  const char *hint = name ? hint_of(call, "'%s' may hold a part of the result", name) : NULL;
  struct fault fault = {.code = STREW_EINTERRUPTED, .hint = hint};
  if (!(state_of(context) & STOP_LATE)) return fail(call, fault, "interrupted!");
  fault.code = STREW_ETIME;
  char limit[TEXT_BYTES];
  return fail(call, fault, "time limit of %s s exceeded",
              strew_format_float(limit, sizeof limit, "%.*g", 6, context->time_limit_seconds));
}

strew_status context_check(const struct call *call, strew_context *context) {
  return context_stops(context) ? context_end(call, context, NULL) : STREW_OK;
}

strew_status strew_context_check(strew_context *context, double seconds, strew_error *error) {
  CALL(call, "check", error, {0});
  if (seconds > 0 && state_of(context) & STOP_TIMED &&
      (double)(context->deadline_ns - context->now_ns()) < seconds * 1e9)
    set(context, STOP_LATE);
  context_use(context);
  context_drain(context);
  return context_check(&call, context);
}

/* -------------------------------------------------------------------------------------------------------- progress */

/* Reports long work to the host's callback, as a finished part of the whole if it has steps. */
void strew_context_progress(const strew_context *context, const char *doing, double done) {
  if (context->progress) context->progress(context->progress_user, doing, done);
}
