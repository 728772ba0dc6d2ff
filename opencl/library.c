/* library.c: the OpenCL loader, loaded at run time: strew starts without it and reports what is missing when a script
   names a device. */
#define _GNU_SOURCE /* RTLD_DEFAULT */
#include "opencl.h"

#include <dlfcn.h>
#include <pthread.h>

struct opencl_library cl;

/* Prefers functions that are already loaded: a host, or a tool that traces OpenCL calls, may provide them. */
static bool look_up(void *library) {
  bool complete = true;
#define LOOK_UP(name)                                                                                                  \
  *(void **)&cl.name = dlsym(library, #name);                                                                          \
  complete = complete && cl.name;
  OPENCL_CALLS(LOOK_UP)
#undef LOOK_UP
  return complete;
}

/* Once per process for all contexts: the functions hold no state. */
static pthread_once_t looked_up = PTHREAD_ONCE_INIT;
static const char *trouble;

static void look_up_once(void) {
  static const char *const names[] = {"libOpenCL.so.1", "libOpenCL.so"};
  if (look_up(RTLD_DEFAULT)) return;
  void *library = NULL;
  for (size_t i = 0; !library && i < sizeof names / sizeof *names; i++) library = dlopen(names[i], RTLD_NOW);
  if (!library)
    trouble = "the loader libOpenCL.so.1 is not installed";
  else if (!look_up(library)) /* it stays loaded either way: drivers do not unload cleanly */
    trouble = "the loader lacks functions of OpenCL 1.2";
}

const char *opencl_library(void) {
  pthread_once(&looked_up, look_up_once);
  return trouble;
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
#undef NAME
  };
  for (size_t i = 0; i < sizeof names / sizeof *names; i++)
    if (names[i].code == error) return names[i].name;
  return "an unknown error";
}
