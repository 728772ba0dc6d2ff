/* session.h: a Lua state with the module open and one file of bodies (harness.lua) loaded, whose events can be made to
   fail: allocations of Lua's and of the context's, OpenCL's functions, the operating system's for files. */
#ifndef SESSION_H
#define SESSION_H

#include <lua.h>
#include <stdbool.h>
#include <stddef.h>

/* Whose events fail. */
enum origin { OF_LUA, OF_STREW, OF_OPENCL, OF_SYSTEM };

/* From now on the failing-th event, and `width` in all (0: all after it) fail, with this code where events have one;
   failing 0: none does. (Of the system's just one does; with width 0 all reads and writes of files are short or
   interrupted by signals besides.) */
struct fault {
  enum origin origin;
  long failing;
  int width, code;
};
/* From here on `seen` is called at each event while faults are on (NULL: nothing is). */
void faults_watch(void (*seen)(void));
void faults_begin(const struct fault *fault);
/* No more failures; gives how many there were, and in *events how many events. */
long faults_end(enum origin origin, long *events);

struct session {
  lua_State *L;
  const char *file;
  int bodies;
  size_t resting_bytes; /* of tensors, when no body runs */
  bool is_spent;        /* tensors are held that Lua has lost sight of, until it is closed */
};

/* The folder that bodies write to; each process needs one of its own. */
void session_folder(const char *path);
/* false: `trouble` was told. */
bool session_open(struct session *session, const char *file);
/* What tensors hold now they may hold after a run. */
void session_rest(struct session *session);
/* false: something is left over of Lua's memory, the context's, or OpenCL's. */
bool session_close(struct session *session);
/* Body i; gives its name. */
const char *session_body(struct session *session, int i);
/* Runs body i under this fault (NULL: none), then what it has to clean up without one. The message is put into text
   (empty: it went well). */
long session_run(struct session *session, int i, const struct fault *fault, long *events, char *text, size_t size);
/* After a run: is everything back, and does the next call work, on the default device or on this one? */
bool session_is_sane(struct session *session, const char *device);
/* Tells what is wrong, on standard error. */
void trouble(const char *format, ...) __attribute__((format(printf, 1, 2)));

#endif
