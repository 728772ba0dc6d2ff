/* session.h: a Lua state with the module open and one file of bodies (harness.lua) loaded. Its events can fail:
   allocations of Lua's and of the context's, OpenCL's functions, the operating system's functions for files. */
#ifndef SESSION_H
#define SESSION_H

#include <lua.h>
#include <stdbool.h>
#include <stddef.h>

/* The events that fail. */
enum origin { OF_LUA, OF_STREW, OF_OPENCL, OF_SYSTEM };

/* From now on the failing-th event fails, and `width` in all (0: all after it), with this code if events have one;
   failing 0: none. (Of the system's functions just one fails; with width 0 all reads and writes of files are also short
   or interrupted by signals.) */
struct fault {
  enum origin origin;
  long failing;
  int width, code;
};
/* From now on `seen` is called at each event while faults are on (NULL: not called). */
void faults_watch(void (*seen)(void));
void faults_begin(const struct fault *fault);
/* Ends the failures; returns their number, and in *events the number of events. */
long faults_end(enum origin origin, long *events);

struct session {
  lua_State *L;
  const char *file;
  int bodies;
  size_t resting_bytes; /* of tensors, while no body runs */
  bool is_spent;        /* Lua has lost tensors, whose memory is freed when it is closed */
};

/* The folder for the bodies' files; one for each process. */
void session_folder(const char *path);
/* false: `trouble` was called. */
bool session_open(struct session *session, const char *file);
/* Accepts the present memory of tensors as what may remain after a run. */
void session_rest(struct session *session);
/* false: memory of Lua's, of the context's or of OpenCL's is left over. */
bool session_close(struct session *session);
/* Returns the name of body i. */
const char *session_body(struct session *session, int i);
/* Runs body i under this fault (NULL: none), then its cleanup without a fault. The message is written to text (empty:
   success). */
long session_run(struct session *session, int i, const struct fault *fault, long *events, char *text, size_t size);
/* After a run: true if everything is released and the next call works, on the default device or on this one. */
bool session_is_sane(struct session *session, const char *device);
/* Reports an error on standard error. */
void trouble(const char *format, ...) __attribute__((format(printf, 1, 2)));

#endif
