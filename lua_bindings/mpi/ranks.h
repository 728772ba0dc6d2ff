/* ranks.h: private to strew.mpi, a module of its own (strew/mpi.so) on strew.h and strew_lua.h.

   MPI runs a script once per rank, in processes of their own. An operation on data of all ranks is a function in
   distributed.lua, its *body*, which runs on every rank under `together` (module.c). A body communicates through the
   functions of exchange.c. Each of them first agrees with the other ranks that all got that far (agree.c); when a body
   has ended, with a result or an error, `together` agrees once more. So a failure anywhere in the body of one rank
   meets the next agreement of the others, and all ranks raise the same error. Until the last agreement nothing is
   written that a script sees. */
#ifndef STREW_RANKS_H
#define STREW_RANKS_H

#include <lauxlib.h>
#include <lua.h>
#include <mpi.h>

#include "strew_lua.h"

enum { CALL_BYTES = 256, NAME_BYTES = 64 };

/* A failure, without pointers into one process. */
struct failure {
  strew_error error;
  char op[NAME_BYTES], argument[NAME_BYTES]; /* argument empty: none */
};

/* The ranks of this job. A process has one MPI, and so one of these. */
struct world {
  MPI_Comm comm;
  int rank, size;         /* size 0: not opened */
  const char *op;         /* the running operation, for messages; NULL: none */
  char call[CALL_BYTES];  /* what this rank does, after "rank N": must be the same on all ranks */
  int64_t call_hash;      /* of all of it, should it be longer */
  bool failed;            /* the ranks have agreed that the operation fails, with `failure` */
  struct failure failure; /* the same on all ranks */
  int64_t sent_bytes;     /* to other ranks, by exchanges */
  int64_t staging_bytes;  /* of a buffer for exchanges that MPI cannot count */
  bool always_staged;     /* for tests: $STREW_MPI_STAGING has staging_bytes */
};
extern struct world world; /* in agree.c */

/* ------------------------------------------------------------------------------------------------------- agree.c */

/* Starts MPI, if that has not happened, and ends it with the process, after all scripts. */
void world_open(void);
/* Sets what this rank does: "calls ...". */
void ranks_say(const char *call);
/* Called by all ranks. True if all of them succeeded so far and do the same; else world.failed is set. `error` has this
   rank's failure; NULL or code STREW_OK: none. With several failures, that of the lowest rank counts. */
bool ranks_agree(const strew_error *error);
/* The same within a body, for a rank without a failure; raises an error, which `together` catches. */
void ranks_agree_or_raise(lua_State *L);
/* Points the error at its op and argument, which are filled. */
void failure_complete(struct failure *failure);

/* ---------------------------------------------------------------------------------------- exchange.c, partition.c */

extern const luaL_Reg exchange_functions[], partition_functions[];

/* The elements of the tensor at i: an error unless it is contiguous, on the CPU, and of this dtype. */
void *ranks_data(lua_State *L, int i, strew_dtype dtype);
/* Pushes an array with the sequence at i, a number per rank, times `factor`; and the sequence of an array. */
int64_t *ranks_counts(lua_State *L, int i, int64_t factor);
int ranks_push(lua_State *L, const int64_t *values);

#endif
