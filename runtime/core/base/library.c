/* library.c: shared libraries, loaded at first use: see library.h. */
#define _GNU_SOURCE /* RTLD_DEFAULT */
#include "library.h"

#include <dlfcn.h>
#include <pthread.h>
#include <string.h>

/* Fills the table; false if a symbol is missing. ISO C cannot convert dlsym's result to a function pointer: its bytes
   are copied. */
static bool fill_table(const struct library *library, void *handle) {
  char *to = library->table;
  for (const char *const *symbol = library->symbols; *symbol; symbol++, to += sizeof(void *)) {
    void *address = dlsym(handle, *symbol);
    memcpy(to, &address, sizeof address);
    if (!address) return false;
  }
  return true;
}

static enum library_state look_up(const struct library *library) {
  enum library_state state = LIBRARY_ABSENT;
  if (library->may_be_loaded && fill_table(library, RTLD_DEFAULT)) return LIBRARY_FOUND;
  for (const char *const *name = library->names; *name; name++) {
    void *handle = dlopen(*name, RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
    if (handle && fill_table(library, handle)) return LIBRARY_FOUND;
    if (handle) state = LIBRARY_INCOMPLETE;
    if (handle) dlclose(handle);
  }
  return state;
}

enum library_state library_find(struct library *library) {
  static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
  if (!atomic_load_explicit(&library->state, memory_order_acquire)) {
    pthread_mutex_lock(&lock);
    if (!atomic_load_explicit(&library->state, memory_order_relaxed))
      atomic_store_explicit(&library->state, look_up(library), memory_order_release);
    pthread_mutex_unlock(&lock);
  }
  return atomic_load_explicit(&library->state, memory_order_relaxed);
}
