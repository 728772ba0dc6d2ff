/* release.c: what any thread may release: tensors, groupings and tables, as finalisers of garbage collectors do.

   Memory is given back by the context's user, the thread that has used it last: allocators, drivers and callbacks are
   not called by two threads at once. A thread becomes the user where it first touches the context's memory. Its own
   releases act at once, those of others wait in a list until its next call. While the user releases, between calls, its
   mark has BUSY set, and a thread that is to take over waits for it. Where there is no reference left, no thread can
   make a call, and the last one to release gives everything back. */
#include "device.h"

#include <sched.h>

void context_take_over(strew_context *context) {
  const uintptr_t self = (uintptr_t)pthread_self();
  uintptr_t user = atomic_load_explicit(&context->user, memory_order_relaxed);
  for (;;) {
    if (!(user & BUSY) && atomic_compare_exchange_weak(&context->user, &user, self)) return;
    if (user & BUSY) sched_yield(), user = atomic_load_explicit(&context->user, memory_order_relaxed);
  }
}

static void push(strew_context *context, struct released *released) {
  released->next = atomic_load_explicit(&context->released, memory_order_relaxed);
  while (!atomic_compare_exchange_weak_explicit(&context->released, &released->next, released, memory_order_release,
                                                memory_order_relaxed))
    ;
}

void context_give_back(strew_context *context, struct released *released) {
  const uintptr_t self = (uintptr_t)pthread_self();
  uintptr_t user = self;
  if (atomic_compare_exchange_strong(&context->user, &user, self | BUSY)) {
    released->give_back(context, released);
    atomic_store_explicit(&context->user, self, memory_order_release);
  } else if (user == (self | BUSY)) { /* in a callback of another release */
    released->give_back(context, released);
  } else {
    push(context, released);
  }
}

void context_drain_slow(strew_context *context) {
  struct released *released = atomic_exchange_explicit(&context->released, NULL, memory_order_acquire);
  while (released) {
    struct released *next = released->next;
    released->give_back(context, released);
    released = next;
  }
}

/* Debug builds check that a context, with all its tensors, is used by one thread at a time. A thread claims the context
   for the duration of a call. A thread that finds it claimed by another one marks it as shared: the calls of both stop
   and fail, and so does every later one, as the context may be corrupt. */
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

void call_use(struct call *call) {
  int i = 0;
  while (i < MAX_OPERANDS && !(call->operands[i].tensor && call->operands[i].tensor->storage)) i++;
  if (i == MAX_OPERANDS) return;
  strew_context *context = call->operands[i].tensor->storage->device->context;
  context_use(context);
  if (IS_DEBUG) context_claim(call->claimed = context);
  call->is_checked = context->deferred != 0 || context->has_others;
  context_drain(context);
}
