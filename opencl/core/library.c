/* library.c: the OpenCL loader, loaded at run time: strew starts without it and reports what is missing when a script
   names a device. And messages for failed functions of it, and the test switches of STREW_OPENCL_ASSUME. */
#define _POSIX_C_SOURCE 200809L
#include "opencl.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct opencl_library cl;

/* Functions that are loaded already are preferred: a host, or a tool that traces OpenCL calls, may provide them. */
const char *opencl_library(void) {
  static const char *const names[] = {"libOpenCL.so.1", "libOpenCL.so", NULL}, *const symbols[] = {
                                                                                   OPENCL_CALLS(LIBRARY_SYMBOL) NULL};
  static struct library library = {.names = names, .symbols = symbols, .table = &cl, .may_be_loaded = true};
  enum library_state state = library_find(&library);
  if (state == LIBRARY_FOUND) return NULL;
  return state == LIBRARY_ABSENT ? "the loader libOpenCL.so.1 is not installed"
                                 : "the loader lacks functions of OpenCL 1.2";
}

const char *opencl_error_name(cl_int error) {
  static const struct {
    cl_int code;
    const char *name;
  } names[] = {
#define NAME(code) {code, #code}
      NAME(CL_DEVICE_NOT_FOUND),
      NAME(CL_DEVICE_NOT_AVAILABLE),
      NAME(CL_COMPILER_NOT_AVAILABLE),
      NAME(CL_MEM_OBJECT_ALLOCATION_FAILURE),
      NAME(CL_OUT_OF_RESOURCES),
      NAME(CL_OUT_OF_HOST_MEMORY),
      NAME(CL_BUILD_PROGRAM_FAILURE),
      NAME(CL_MAP_FAILURE),
      NAME(CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST),
      NAME(CL_INVALID_VALUE),
      NAME(CL_INVALID_PLATFORM),
      NAME(CL_INVALID_DEVICE),
      NAME(CL_INVALID_CONTEXT),
      NAME(CL_INVALID_QUEUE_PROPERTIES),
      NAME(CL_INVALID_COMMAND_QUEUE),
      NAME(CL_INVALID_MEM_OBJECT),
      NAME(CL_INVALID_BINARY),
      NAME(CL_INVALID_BUILD_OPTIONS),
      NAME(CL_INVALID_PROGRAM),
      NAME(CL_INVALID_PROGRAM_EXECUTABLE),
      NAME(CL_INVALID_KERNEL_NAME),
      NAME(CL_INVALID_KERNEL),
      NAME(CL_INVALID_ARG_INDEX),
      NAME(CL_INVALID_ARG_VALUE),
      NAME(CL_INVALID_ARG_SIZE),
      NAME(CL_INVALID_KERNEL_ARGS),
      NAME(CL_INVALID_WORK_GROUP_SIZE),
      NAME(CL_INVALID_GLOBAL_WORK_SIZE),
      NAME(CL_INVALID_OPERATION),
      NAME(CL_INVALID_BUFFER_SIZE),
      {-1001, "CL_PLATFORM_NOT_FOUND_KHR"},
  };
  for (size_t i = 0; i < sizeof names / sizeof *names; i++)
    if (names[i].code == error) return names[i].name;
  return "an unknown error";
}

/* --------------------------------------------------------------------------------------------------------- failures */

static bool is_memory_error(cl_int error) {
  return error == CL_MEM_OBJECT_ALLOCATION_FAILURE || error == CL_OUT_OF_RESOURCES || error == CL_OUT_OF_HOST_MEMORY;
}

/* True if nothing that the OpenCL context holds can be trusted after this error. */
static bool is_loss(cl_int error) {
  return error == CL_DEVICE_NOT_AVAILABLE || error == CL_INVALID_CONTEXT || error == CL_INVALID_COMMAND_QUEUE ||
         error == CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST || error < -1100;
}

const char *opencl_memory_hint(const struct call *call, const strew_device *device) {
  char used[AMOUNT_BYTES], most[AMOUNT_BYTES];
  return hint_of(call, "%s in use by tensors, the device has %s; free tensors or work in smaller chunks",
                 text_of_amount(device->context->bytes, used), text_of_amount(opencl_of(device)->memory_bytes, most));
}

strew_status opencl_fail(const struct call *call, strew_device *device, const char *function, cl_int error) {
  struct opencl *on = opencl_of(device);
  const char *name = opencl_error_name(error);
  if (is_memory_error(error)) {
    struct fault fault = {.code = STREW_EMEMORY, .argument = "device", .hint = opencl_memory_hint(call, device)};
    return fail(call, fault, "%s (%s) ran out of memory: %s returned %s (%d)", device->name,
                strew_device_description(device), function, name, error);
  }
  on->lost = on->lost || (on->open && is_loss(error));
  return fail(call,
              HINTED(STREW_EDEVICE, "device", "the CPU still works: device = \"cpu\"; updating the driver may help"),
              "%s (%s) failed: %s returned %s (%d)%s", device->name, strew_device_description(device), function, name,
              error, on->lost ? ", the device is lost to this process" : "");
}

strew_status opencl_fail_lost(const struct call *call, strew_device *device) {
  return fail(call,
              HINTED(STREW_EDEVICE, "device", "device = \"cpu\" still works; a new process may find the device again"),
              "%s (%s) was lost to this process by an earlier failure", device->name, strew_device_description(device));
}

/* Words of STREW_OPENCL_ASSUME, which let tests run code for devices that the machine lacks:
     gpu, cpu                                  the kind of device
     software, nofloat64, noatomics64          features are missing
     noexchange                                scatters go without atomics
     shortloops                                the device stops long loops
     large                                     small calls use the kernels for large ones
     packed                                    kernels of programs take few arguments
     cuts                                      launches so short that small calls take several
     way=walk, way=alone, way=partition,       a scatter method (core/scatter/scatter.c)
     way=sort, way=group, way=atomics
     order                                     ... which first tests whether the index is sorted
     tiny                                      ... with blocks of a few elements */
bool opencl_assumed(const char *word) {
  const char *words = getenv("STREW_OPENCL_ASSUME");
  return words && strstr(words, word);
}

/* --------------------------------------------------------------------------------------------------------- signals */

/* A terminal sends Ctrl-C to all processes in the foreground, among them compilers and linkers that a driver
   starts. PoCL aborts the whole process if one of them is killed. Threads and processes inherit the signal mask of the
   thread that creates them. */
void opencl_block_signals(sigset_t *before) {
  sigset_t from_terminal;
  sigemptyset(&from_terminal);
  sigaddset(&from_terminal, SIGINT);
  sigaddset(&from_terminal, SIGQUIT);
  pthread_sigmask(SIG_BLOCK, &from_terminal, before);
}

void opencl_restore_signals(const sigset_t *before) { pthread_sigmask(SIG_SETMASK, before, NULL); }

void opencl_hold_signals(struct opencl *on) {
  if (!on->holds_signals) opencl_block_signals(&on->signals);
  on->holds_signals = true;
}

void opencl_let_signals(struct opencl *on) {
  if (on->holds_signals) opencl_restore_signals(&on->signals);
  on->holds_signals = false;
}
