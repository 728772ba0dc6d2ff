/* faults.c: fault injection: the Lua suite and the demonstrations run with everything that can fail failing in turn.

   usage: faults [-n MOST] [-m MODE] [-b BODY] [-v] FILE...

   Each body (an `it`, or a whole demonstration) runs in a process of its own: first without failures, then again and
   again with its first, second, third ... event failing. Events are allocations of Lua's, allocations of the context's,
   and, if $STREW_DEVICE names an OpenCL device, calls of OpenCL. Each time the body has succeeded, or has failed for
   that reason, or has found a wrong result (it catches errors itself). No tensor and no draft of a file is left over,
   and the next call works. When the Lua state is closed, both heaps and OpenCL are empty.
   Of the events of each place in a body (places.h) the first MOST fail. MODE is a word of the table below; BODY, a
   number, runs alone and in this process, for debuggers. */
#define _POSIX_C_SOURCE 200809L
#include "places.h"
#include "session.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

enum { DEVICE_NOT_AVAILABLE = -2, UNKNOWN_ERROR = -4711 };

/* The ways in which events fail. */
static const struct mode {
  const char *name, *events;
  struct fault fault;
  bool is_harmless; /* the body must succeed, unless an allocation that is not retried has failed */
  bool is_loss;     /* the device is lost afterwards */
} modes[] = {
    {"collect", "Lua's allocations, until Lua has collected", {OF_LUA, 0, 1, 0}, true, false},
    {"lua", "Lua's allocations", {OF_LUA, 0, 2, 0}, false, false}, /* the second is after that collection */
    {"lua-on", "Lua's allocations, with all later ones", {OF_LUA, 0, 0, 0}, false, false},
    {"strew", "strew's allocations", {OF_STREW, 0, 1, 0}, false, false},
    {"strew-on", "strew's allocations, with all later ones", {OF_STREW, 0, 0, 0}, false, false},
    {"full", "the system's functions for files, as of a full disk", {OF_SYSTEM, 0, 1, ENOSPC}, false, false},
    {"broken", "the system's functions for files, with short reads and writes", {OF_SYSTEM, 0, 0, EIO}, false, false},
    {"opencl", "OpenCL's functions", {OF_OPENCL, 0, 1, 0}, false, false},
    {"opencl-on", "OpenCL's functions, with all later ones", {OF_OPENCL, 0, 0, 0}, false, false},
    {"lost", "OpenCL's functions, by the loss of the device", {OF_OPENCL, 0, 0, DEVICE_NOT_AVAILABLE}, false, true},
    {"unknown", "OpenCL's functions, with an unknown error", {OF_OPENCL, 0, 1, UNKNOWN_ERROR}, false, true},
};
enum { MODES = sizeof modes / sizeof *modes };

/* Results of one body's process, for each mode and in all. */
struct counts {
  long bodies, events, trials, failed, well, reasons, results, others, unfinalized;
};
struct report {
  struct counts counts[MODES];
  long troubles;
};

static long most = 1;
static const char *only_mode;
static int only_body;
static bool is_verbose;

static bool is_on_device(void) {
  const char *device = getenv("STREW_DEVICE");
  return device && !strncmp(device, "opencl", 6);
}

static bool is_wanted(const struct mode *mode) {
  if (only_mode) return !strcmp(only_mode, mode->name);
  return (mode->fault.origin == OF_OPENCL) == is_on_device();
}

/* ---------------------------------------------------------------------------------------------------- one body */

static bool has(const char *text, const char *part) { return strstr(text, part) != NULL; }

/* Classifies the outcome of a run. */
static void judge(const char *text, struct counts *counts) {
  if (!*text)
    counts->well++;
  else if (has(text, "not enough memory") || has(text, "out of memory") || has(text, " returned CL_") ||
           has(text, " returned an unknown error") || has(text, " was lost to") || has(text, "stack overflow (") ||
           has(text, ": No space left on device") || has(text, ": Input/output error"))
    counts->reasons++;
  else if (has(text, "expected: ") || has(text, "\n  gives ") || has(text, "\n  fails with"))
    counts->results++;
  else {
    counts->others++;
    if (is_verbose) trouble("  otherwise: %s", text);
  }
}

enum { TEXT = 400 }; /* space for a message */

static bool run_well(struct session *session, int body, const struct fault *fault, long *events) {
  char text[TEXT];
  session_run(session, body, fault, events, text, sizeof text);
  if (*text) trouble("%s: %s, with nothing failing: %s", session->file, session_body(session, body), text);
  session_rest(session);
  return !*text;
}

/* A session in which the body has run once, because some objects are created at first use; the body must succeed. */
static bool prepare(struct session *session, const char *file, int body, bool is_single) {
  return session_open(session, file) && (is_single || run_well(session, body, NULL, NULL));
}

/* Records the events of a body without failures, as in the trials; returns their number, or -1 if the body fails. */
static long rehearse(struct session *session, int body, const struct fault *fault, bool *is_single) {
  const char *file = session->file;
  char text[TEXT];
  long events;
  places_begin(session->L);
  faults_watch(places_note);
  session_run(session, body, fault, &events, text, sizeof text);
  *is_single = *text != '\0';
  if (*is_single) {
    bool is_open = session_close(session) && session_open(session, file);
    places_begin(session->L);
    if (!is_open || !run_well(session, body, fault, &events)) events = -1;
    is_open = session_close(session) && session_open(session, file);
    if (!is_open) events = -1;
  }
  faults_watch(NULL);
  session_rest(session);
  return events;
}

/* True if an allocation that is not retried failed: lauxlib's buffers, and with Lua 5.4.7 stack space. */
static bool asked_once(const char *text) { return has(text, "not enough memory") || has(text, "stack overflow ("); }

/* One trial; counts its outcome. Returns true if all is as it should be. */
static bool try_event(struct session *session, int body, const struct mode *mode, const struct fault *fault,
                      struct counts *counts, bool *is_lost) {
  char text[TEXT];
  long seen, failed = session_run(session, body, fault, &seen, text, sizeof text);
  *is_lost = mode->is_loss && failed;
  counts->trials++;
  counts->failed += failed > 0;
  if (failed) judge(text, counts);
  bool is_sane =
      session_is_sane(session, *is_lost ? "cpu" : NULL) && !(mode->is_harmless && *text && !asked_once(text));
  if (!is_sane)
    trouble("%s: %s: after %s %ld of %ld: %s", session->file, session_body(session, body), mode->name, fault->failing,
            seen, *text ? text : "it went well");
  counts->unfinalized += session->is_spent;
  return is_sane;
}

static long try_mode(const struct mode *mode, const char *file, int body, struct counts *counts) {
  enum { RENEWAL = 64, PATIENCE_SECONDS = 300 };
  struct session session;
  struct fault fault = mode->fault;
  long troubles = 0;
  const long *failing;
  bool is_single, is_lost;
  if (!prepare(&session, file, body, false)) return 1;
  long events = rehearse(&session, body, &fault, &is_single), trials = places_end(events, most, &failing);
  if (events < 0) return 1;
  counts->bodies += events > 0;
  counts->events += events;
  for (long trial = 0; trial < trials; trial++) {
    alarm(PATIENCE_SECONDS);
    fault.failing = failing[trial];
    bool is_sane = try_event(&session, body, mode, &fault, counts, &is_lost);
    troubles += !is_sane;
    if (is_sane && !is_lost && !is_single && !session.is_spent && (trial + 1) % RENEWAL) continue;
    if (!session_close(&session)) {
      troubles++;
      trouble("%s: after %s %ld of %ld", file, mode->name, fault.failing, events);
    }
    if (!prepare(&session, file, body, is_single)) return troubles + 1;
  }
  return troubles + !session_close(&session);
}

static struct report try_body(const char *file, int body) {
  struct report report = {0};
  for (int i = 0; i < MODES; i++)
    if (is_wanted(&modes[i])) report.troubles += try_mode(&modes[i], file, body, &report.counts[i]);
  return report;
}

/* ------------------------------------------------------------------------------------------------------- processes */

static char folder[] = "/tmp/strew-faults-XXXXXX";

/* Each process has a folder of its own, and writes to standard error only. */
static pid_t start(const char *file, int body, int to) {
  pid_t child = fork();
  if (child) return child;
  char own[64];
  snprintf(own, sizeof own, "%s/%ld", folder, (long)getpid());
  mkdir(own, 0700);
  session_folder(own);
  if (!freopen("/dev/null", "w", stdout)) exit(EXIT_FAILURE);
  if (body) {
    struct report report = try_body(file, body);
    if (write(to, &report, sizeof report) != sizeof report) exit(EXIT_FAILURE);
  } else {
    struct session session;
    if (!session_open(&session, file) || write(to, &session.bodies, sizeof session.bodies) < 0) exit(EXIT_FAILURE);
    session_close(&session);
  }
  fflush(NULL);
  if (is_on_device()) _exit(EXIT_SUCCESS); /* drivers do not exit cleanly */
  exit(EXIT_SUCCESS);
}

static int wait_for(pid_t child, const char *file, int body) {
  int status;
  waitpid(child, &status, 0);
  if (!status) return 0;
  trouble("%s: body %d: the process ended with %s %d", file, body, WIFSIGNALED(status) ? "signal" : "status",
          WIFSIGNALED(status) ? WTERMSIG(status) : WEXITSTATUS(status));
  return 1;
}

static int count_bodies(const char *file) {
  int ends[2], bodies = 0;
  if (pipe(ends)) return 0;
  pid_t child = start(file, 0, ends[1]);
  close(ends[1]);
  if (read(ends[0], &bodies, sizeof bodies) != sizeof bodies) bodies = -1;
  close(ends[0]);
  return wait_for(child, file, 0) ? -1 : bodies;
}

/* Adds the results of bodies so far. */
static void collect(int from, struct report *total) {
  for (struct report one; read(from, &one, sizeof one) == sizeof one;) {
    total->troubles += one.troubles;
    for (int i = 0; i < MODES; i++)
      for (size_t k = 0; k < sizeof one.counts[i] / sizeof(long); k++)
        ((long *)&total->counts[i])[k] += ((long *)&one.counts[i])[k];
  }
}

/* Runs all bodies of a file, several at a time. */
static long try_file(const char *file, struct report *total) {
  enum { MOST_AT_ONCE = 64 };
  pid_t children[MOST_AT_ONCE];
  long at_once = sysconf(_SC_NPROCESSORS_ONLN), crashes = 0;
  if (only_body) {
    session_folder(folder);
    return *total = try_body(file, only_body), 0;
  }
  int bodies = count_bodies(file), ends[2];
  if (at_once > MOST_AT_ONCE) at_once = MOST_AT_ONCE;
  if (bodies < 0 || pipe(ends) || fcntl(ends[0], F_SETFL, O_NONBLOCK)) return 1;
  for (int i = 1; i <= bodies + at_once; i++) {
    if (i > at_once && i - at_once <= bodies) crashes += wait_for(children[i % at_once], file, i - (int)at_once);
    if (i <= bodies) children[i % at_once] = start(file, i, ends[1]);
    collect(ends[0], total);
  }
  close(ends[1]);
  close(ends[0]);
  return crashes;
}

int main(int count, char **words) {
  struct report total = {0};
  long crashes = 0;
  for (int option; (option = getopt(count, words, "n:m:b:v")) != -1;)
    if (option == 'n')
      most = atol(optarg);
    else if (option == 'm')
      only_mode = optarg;
    else if (option == 'b')
      only_body = atoi(optarg);
    else if (option == 'v')
      is_verbose = true;
    else
      return EXIT_FAILURE;
  if (!mkdtemp(folder)) return EXIT_FAILURE;
  for (int i = optind; i < count; i++) crashes += try_file(words[i], &total);
  char command[64];
  snprintf(command, sizeof command, "rm -rf %s", folder);
  if (system(command)) crashes++;
  for (int i = 0; i < MODES; i++) {
    const struct counts *counts = &total.counts[i];
    if (counts->events)
      printf("%s: %ld in %ld bodies; of those %ld were tried, %ld failed: %ld went well, %ld told why, %ld noticed it, "
             "%ld ended otherwise; %ld left tensors for the end\n",
             modes[i].events, counts->events, counts->bodies, counts->trials, counts->failed, counts->well,
             counts->reasons, counts->results, counts->others, counts->unfinalized);
  }
  printf("faults: %ld crashes, %ld troubles: %d passed, %ld failed\n", crashes, total.troubles, count - optind,
         crashes + total.troubles);
  return crashes || total.troubles ? EXIT_FAILURE : EXIT_SUCCESS;
}
