/* progress.c: long work, as a finished part of the whole. */
#include "stream.h"

#include <stdio.h>

void progress_begin(strew_context *context, const char *doing, uint64_t total) {
  if (!context->progress) return;
  snprintf(context->steps.doing, sizeof context->steps.doing, "%s", doing);
  context->steps.total = total;
  progress_reach(context, 0);
}

void progress_resize(strew_context *context, uint64_t total) { context->steps.total = total; }

void progress_reach(strew_context *context, uint64_t done) {
  struct progress *steps = &context->steps;
  if (!steps->doing[0]) return;
  steps->done = done < steps->total ? done : steps->total;
  strew_context_progress(context, steps->doing, steps->total ? (double)steps->done / (double)steps->total : 0);
}

void progress_step(strew_context *context, uint64_t steps) { progress_reach(context, context->steps.done + steps); }

void progress_end(strew_context *context) {
  if (context->steps.doing[0]) strew_context_progress(context, NULL, 0);
  context->steps.doing[0] = '\0';
}
