#define _POSIX_C_SOURCE 200809L /* strsignal */
#include "program.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

double devices_scale(size_t bytes, const char **unit) {
  static const char *const units[] = {"bytes", "KiB", "MiB", "GiB", "TiB"};
  int i = 0;
  double size = (double)bytes;
  while (size >= 1024 && i < 4) size /= 1024, i++;
  *unit = units[i];
  return size;
}

/* Prints a number of bytes as "1.5 GiB". */
static void print_size(const char *what, size_t bytes) {
  const char *unit;
  const double size = devices_scale(bytes, &unit);
  printf(", %s %.*f %s", what, size < 10 && *unit != 'b' ? 1 : 0, size, unit);
}

static void list_device(strew_device *device) {
  strew_capabilities can;
  strew_error error = {0};
  printf("%-10s  %s\n", strew_device_name(device), strew_device_description(device));
  if (strew_device_capabilities(device, &can, &error) != STREW_OK) {
    printf("            not usable: %s\n", error.message);
    return;
  }
  bool is_cpu = strcmp(strew_device_name(device), "cpu") == 0;
  printf("            %s: %d", is_cpu ? "threads" : "units", can.units);
  if (can.memory_bytes) print_size("memory", can.memory_bytes);
  if (can.largest_block_bytes) print_size("largest tensor", can.largest_block_bytes);
  if (can.work_group_size) printf(", work-group %zu", can.work_group_size);
  if (*can.driver) printf(", driver %s", can.driver);
  if (!is_cpu)
    printf("\n            float64: %s, 64-bit atomics: %s, correctly rounded division: %s, denormals: %s",
           can.float64 ? "yes" : "no", can.int64_atomics ? "yes" : "no", can.exact_division ? "yes" : "in software",
           can.denormals ? "yes" : "in software");
  if (!is_cpu) printf("\n            the same bits as on the cpu: every operation");
  if (*can.promise) printf("\n            %s", can.promise);
  putchar('\n');
}

/* ------------------------------------------------------------------------------------------------------ the trial */

enum { TRIAL_SECONDS = 60, SURVIVED = 42 /* the exit status of a child process that found the devices */ };

/* What the child process of a trial does: it finds the devices of a context of its own, unseen. */
static void find_and_exit(void) {
  strew_context *context = NULL;
  strew_error error = {0};
  const int nowhere = open("/dev/null", O_WRONLY);
  dup2(nowhere, STDOUT_FILENO), dup2(nowhere, STDERR_FILENO);
  for (int number = 1; number < 32; number++) signal(number, SIG_DFL);
  alarm(TRIAL_SECONDS);
  if (strew_context_create(&(strew_options){.threads = 1}, &context, &error) == STREW_OK) strew_device_count(context);
  _exit(SURVIVED);
}

/* Returns the status of a child process that runs the trial; that of one that survived, if there can be none. */
static int status_of_trial(void) {
  struct sigaction before, wait = {.sa_handler = SIG_DFL}; /* where it is ignored, no child has a status */
  int status = SURVIVED << 8;
  sigaction(SIGCHLD, &wait, &before);
  const pid_t child = fork();
  if (child == 0) find_and_exit();
  while (child > 0 && waitpid(child, &status, 0) < 0 && errno == EINTR) continue;
  sigaction(SIGCHLD, &before, NULL);
  return status;
}

bool devices_can_be_found(char *why, size_t size) {
  static char failure[100]; /* of the trial, after which this process has no other */
  if (*failure) return snprintf(why, size, "%s", failure), false;
  void *loaded = dlopen("libOpenCL.so.1", RTLD_LAZY | RTLD_NOLOAD);
  if (loaded) return dlclose(loaded), true;
  const int status = status_of_trial(), number = WIFSIGNALED(status) ? WTERMSIG(status) : 0;
  if (!number && WEXITSTATUS(status) == SURVIVED) return true;
  if (number == SIGINT || number == SIGTERM || number == SIGHUP || number == SIGQUIT)
    return snprintf(why, size, "the search for devices was interrupted"), false;
  if (number == SIGALRM)
    snprintf(why, size, "did not answer within %d seconds", TRIAL_SECONDS);
  else if (number)
    snprintf(why, size, "crashed (%s)", strsignal(number));
  else
    snprintf(why, size, "ended the process (exit status %d)", WEXITSTATUS(status));
  snprintf(failure, sizeof failure, "a driver %.50s while it listed its devices", why);
  return snprintf(why, size, "%s", failure), false;
}

void devices_print(strew_context *context) {
  char why[200];
  if (!devices_can_be_found(why, sizeof why)) {
    list_device(strew_device_at(context, 0)); /* the CPU, without a look at the drivers */
    printf("not usable  OpenCL: %s\n"
           "            $OCL_ICD_VENDORS, a folder of .icd files or one of them, chooses the drivers\n",
           why);
    return;
  }
  for (int i = 0; i < strew_device_count(context); i++) list_device(strew_device_at(context, i));
  for (int i = 0; i < strew_problem_count(context); i++) printf("not usable  %s\n", strew_problem_at(context, i));
  strew_device *opencl;
  strew_error error = {0};
  if (strew_device_count(context) == 1 && strew_device_find(context, "opencl", &opencl, &error) != STREW_OK)
    printf("            %s\n", error.hint);
}
