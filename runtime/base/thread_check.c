/* thread_check.c: debug builds check that a context, with all its tensors, is used by one thread at a time. A thread
   claims the context for the duration of a call. A thread that finds it claimed by another one marks it as shared: the
   calls of both stop and fail, and so does every later one, as the context may be corrupt. */
#include "context.h"

#include <pthread.h>

void context_claim(strew_context *context) {
  uintptr_t self = (uintptr_t)pthread_self(), owner = 0;
  if (atomic_compare_exchange_strong(&context->owner, &owner, self) || owner == self)
    context->claims++;
  else
    atomic_fetch_or(&context->stop, STOP_SHARED);
}

void context_unclaim(strew_context *context) {
  if (atomic_load(&context->owner) != (uintptr_t)pthread_self()) return;
  if (--context->claims == 0) atomic_store(&context->owner, 0);
}
