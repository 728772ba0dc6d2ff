/* world.c: the beginning and the end of MPI in a process. */
#define _DEFAULT_SOURCE /* on_exit */
#include "ranks.h"

#include <stdlib.h>
#include <unistd.h>

/* The process ends. A rank that ends with an error does not wait for the others, which may wait for it: MPI ends them,
   with its message. (A child of fork() is not a rank.) */
static void leave(int status, void *process) {
  int is_over;
  MPI_Finalized(&is_over);
  if (is_over || getpid() != (pid_t)(intptr_t)process) return;
  if (status != 0 && world.size > 1) MPI_Abort(MPI_COMM_WORLD, status);
  ranks_await_end();
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
