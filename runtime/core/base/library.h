/* library.h: shared libraries, loaded at first use (library.c). */
#ifndef STREW_LIBRARY_H
#define STREW_LIBRARY_H

#include <stdatomic.h>
#include <stdbool.h>

/* A library and the functions used of it. One static object per library serves all contexts. The library is looked up
   once per process, and never unloaded: its threads may be running. */
struct library {
  const char *const *names;   /* of its files, in the order of preference; ends with NULL */
  const char *const *symbols; /* ends with NULL */
  void *table;                /* pointers to functions, in the order of `symbols` */
  bool may_be_loaded;         /* functions that the process has already are preferred */
  atomic_int state;           /* enum library_state */
};
enum library_state {
  LIBRARY_UNKNOWN,
  LIBRARY_FOUND,
  LIBRARY_ABSENT,    /* no file of these names can be loaded */
  LIBRARY_INCOMPLETE /* the file lacks a symbol */
};

/* Fills library->table at the first call. Returns any state but LIBRARY_UNKNOWN. Thread-safe. */
enum library_state library_find(struct library *library);

/* Columns of a list of functions, LIST(X) with X(name): the members of the table, and the symbols. */
#define LIBRARY_MEMBER(name) __typeof__(name) *name;
#define LIBRARY_SYMBOL(name) #name,

#endif
