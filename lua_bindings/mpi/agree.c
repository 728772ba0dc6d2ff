/* agree.c: the beginning and the end of MPI in a process; the ranks agree whether an operation fails.

   One reduction tells whether any rank has failed, whether all do the same, and whether all scripts have ended. Only if
   something is wrong do the ranks send texts. Nothing here allocates memory. */
#define _DEFAULT_SOURCE /* on_exit */
#include "ranks.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct world world;

/* Entries of the reduction, a maximum: the lowest failed rank has the largest FAILED; CALL is -MINUS_CALL if all ranks
   have the same one. */
enum { FAILED, CALL, MINUS_CALL, RUNNING, ENTRIES };

/* The hash is FNV-1a, without a sign, of all of the text. */
void ranks_say(const char *call) {
  uint64_t hash = 0xcbf29ce484222325u;
  for (const char *c = call; *c; c++) hash = (hash ^ (unsigned char)*c) * 0x100000001b3u;
  world.call_hash = (int64_t)(hash >> 1);
  strncpy(world.call, call, sizeof world.call - 1);
}

/* Returns the lowest rank for which `holds` is true; size: none. */
static int lowest_rank(bool holds) {
  int mine = holds ? world.rank : world.size, lowest;
  MPI_Allreduce(&mine, &lowest, 1, MPI_INT, MPI_MIN, world.comm);
  return lowest;
}

void failure_complete(struct failure *failure) {
  failure->error.alias = failure->error.op = failure->op;
  failure->error.argument = failure->argument[0] ? failure->argument : NULL;
}

/* Describes two ranks that make different calls: rank 0 and the first that differs from it. */
static void fail_different(void) {
  strew_error *error = &world.failure.error;
  char first[CALL_BYTES], other[CALL_BYTES];
  int64_t hash = world.call_hash;
  memcpy(first, world.call, sizeof first);
  MPI_Bcast(first, sizeof first, MPI_CHAR, 0, world.comm);
  MPI_Bcast(&hash, 1, MPI_INT64_T, 0, world.comm);
  int rank = lowest_rank(hash != world.call_hash);
  memcpy(other, world.call, sizeof other);
  MPI_Bcast(other, sizeof other, MPI_CHAR, rank % world.size, world.comm);
  memset(&world.failure, 0, sizeof world.failure);
  strcpy(world.failure.op, "mpi");
  failure_complete(&world.failure);
  error->code = STREW_EARGUMENT;
  error->position_rank = -1;
  snprintf(error->message, sizeof error->message, "%s: rank %d %s, rank 0 %s; expected the same call on every rank",
           error->op, rank, other, first);
}

/* Sends the failure of one rank to all. */
static void fail_as(int rank, const strew_error *mine) {
  struct failure *failure = &world.failure;
  char message[sizeof failure->error.message];
  if (world.rank == rank) {
    failure->error = *mine;
    snprintf(failure->argument, sizeof failure->argument, "%s", mine->argument ? mine->argument : "");
    snprintf(failure->op, sizeof failure->op, "%s", mine->op ? mine->op : mine->alias ? mine->alias : "mpi");
  }
  if (world.size > 1) {
    MPI_Bcast(failure, sizeof *failure, MPI_BYTE, rank, world.comm);
    memcpy(message, failure->error.message, sizeof message);
    snprintf(failure->error.message, sizeof message, "rank %d: %.*s", rank, (int)sizeof message - 32, message);
  }
  failure_complete(failure);
}

/* Returns true while any script runs. */
static bool agree(const strew_error *error, bool is_running) {
  int64_t all[ENTRIES];
  int64_t mine[ENTRIES] = {[CALL] = world.call_hash, [MINUS_CALL] = -world.call_hash, [RUNNING] = is_running};
  if (error && error->code != STREW_OK) mine[FAILED] = world.size - world.rank;
  MPI_Allreduce(mine, all, ENTRIES, MPI_INT64_T, MPI_MAX, world.comm);
  world.failed = all[FAILED] || all[CALL] != -all[MINUS_CALL];
  if (all[FAILED])
    fail_as(world.size - (int)all[FAILED], error);
  else if (world.failed)
    fail_different();
  return all[RUNNING];
}

bool ranks_agree(const strew_error *error) {
  agree(error, true);
  return !world.failed;
}

void ranks_agree_or_raise(lua_State *L) {
  if (ranks_agree(NULL)) return;
  lua_pushnil(L);
  lua_error(L);
}

/* ------------------------------------------------------------------------------------------------ begin and end */

/* The process ends. A rank that ends with an error does not wait for the others, which may wait for it: MPI ends them,
   with its message. (A child of fork() is not a rank.) */
static void leave(int status, void *process) {
  int is_over;
  MPI_Finalized(&is_over);
  if (is_over || getpid() != (pid_t)(intptr_t)process) return;
  if (status != 0 && world.size > 1) MPI_Abort(MPI_COMM_WORLD, status);
  ranks_say("has reached the end of its script");
  while (agree(NULL, false)) continue; /* answers the others until their scripts have ended, too */
  MPI_Comm_free(&world.comm);
  MPI_Finalize();
}

void world_open(void) {
  enum { STAGING_BYTES = 64 << 20 };
  int is_open, level;
  if (world.size) return;
  const char *staging = getenv("STREW_MPI_STAGING");
  world.always_staged = staging && *staging;
  world.staging_bytes = world.always_staged ? strtoll(staging, NULL, 10) : STAGING_BYTES;
  MPI_Initialized(&is_open);
  if (!is_open) {
    MPI_Init_thread(NULL, NULL, MPI_THREAD_FUNNELED, &level);
    on_exit(leave, (void *)(intptr_t)getpid());
  }
  MPI_Comm_dup(MPI_COMM_WORLD, &world.comm);
  MPI_Comm_rank(world.comm, &world.rank);
  MPI_Comm_size(world.comm, &world.size);
}
