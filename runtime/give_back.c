/* give_back.c: what any thread may release: tensors, groupings and tables, as finalisers of garbage collectors do.

   Memory is given back by the context's user, the thread that has used it last: allocators, drivers and callbacks are not
   called by two threads at once. A thread becomes the user where it first touches the context's memory. Its own releases
   act at once, those of others wait in a list until its next call. While the user releases, between calls, its mark has
   BUSY set, and a thread that is to take over waits for it. Where there is no reference left, no thread can make a call,
   and the last one to release gives everything back. */
#include "tensor.h"

#include <inttypes.h>
#include <sched.h>

enum { BUSY = 1 }; /* threads are addresses of structs */

void context_take_over(strew_context *context) {
  const uintptr_t self = (uintptr_t)pthread_self();
  uintptr_t user = atomic_load_explicit(&context->user, memory_order_relaxed);
  while (user != (self | BUSY)) { /* this thread is releasing */
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

void context_drain(strew_context *context) {
  struct released *released = atomic_exchange_explicit(&context->released, NULL, memory_order_acquire);
  while (released) {
    struct released *next = released->next;
    released->give_back(context, released);
    released = next;
  }
}

void call_use(struct call *call) {
  int i = 0;
  while (i < MAX_OPERANDS && !(call->operands[i].tensor && call->operands[i].tensor->storage)) i++;
  if (i == MAX_OPERANDS) return;
  strew_context *context = tensor_context(call->operands[i].tensor);
  context_use(context);
  if (IS_DEBUG) context_claim(call->claimed = context);
  if (atomic_load_explicit(&context->released, memory_order_relaxed)) context_drain(context);
}

/* --------------------------------------------------------------------------------------------------- debug builds */

/* The memory no longer counts. */
void context_keep_released(strew_context *context, void *block, size_t size_bytes) {
  struct graveyard *graveyard = &context->graveyard;
  void **place = &graveyard->blocks[graveyard->at];
  graveyard->size_bytes = size_bytes;
  if (*place) context->allocator.deallocate(context->allocator.user, *place, size_bytes);
  *place = block;
  graveyard->at = (graveyard->at + 1) % MOST_RELEASED;
  strew_context_discharge(context, size_bytes);
}

void context_bury(strew_context *context) {
  struct graveyard *graveyard = &context->graveyard;
  for (int i = 0; i < MOST_RELEASED; i++)
    if (graveyard->blocks[i])
      context->allocator.deallocate(context->allocator.user, graveyard->blocks[i], graveyard->size_bytes);
}

#define HINT "a tensor is used after its last strew_release: retain it to keep it"
bool call_is_alive(const struct call *call) {
  for (int i = 0; i < MAX_OPERANDS && call->operands[i].name; i++) {
    const strew_tensor *tensor = call->operands[i].tensor;
    if (!tensor || tensor->storage) continue;
    return fail(call, (struct fault){.code = STREW_EFREED, .argument = call->operands[i].name, .hint = HINT},
                "was released"),
           false;
  }
  return true;
}

strew_status check_alive(const struct call *call, const char *name, int64_t i, const strew_tensor *tensor) {
  if (!IS_DEBUG || tensor->storage) return STREW_OK;
  return fail(call, (struct fault){.code = STREW_EFREED, .argument = name, .hint = HINT},
              "has a tensor at [%" PRId64 "] that was released", i + 1);
}
