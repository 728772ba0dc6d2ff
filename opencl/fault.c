/* fault.c: messages for failed OpenCL functions, and the test switches of STREW_OPENCL_ASSUME. */
#include "opencl.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* --------------------------------------------------------------------------------------------------------- failures */

static bool is_memory_error(cl_int error) {
  return error == CL_MEM_OBJECT_ALLOCATION_FAILURE || error == CL_OUT_OF_RESOURCES || error == CL_OUT_OF_HOST_MEMORY;
}

/* True if nothing that the OpenCL context holds can be trusted after this error. */
static bool is_loss(cl_int error) {
  return error == CL_DEVICE_NOT_AVAILABLE || error == CL_INVALID_CONTEXT || error == CL_INVALID_COMMAND_QUEUE ||
         error == CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST || error < -1100;
}

const char *opencl_memory_hint(const strew_device *device, char *text) {
  char used[AMOUNT_BYTES], most[AMOUNT_BYTES];
  snprintf(text, TEXT_BYTES, "%s in use by tensors, the device has %s; free tensors or work in smaller chunks",
           text_of_amount(device->context->bytes, used), text_of_amount(opencl_of(device)->memory_bytes, most));
  return text;
}

strew_status opencl_fail(const struct call *call, strew_device *device, const char *function, cl_int error) {
  struct opencl *on = opencl_of(device);
  const char *name = opencl_error_name(error);
  if (is_memory_error(error)) {
    char text[TEXT_BYTES];
    struct fault fault = {.code = STREW_EMEMORY, .argument = "device", .hint = opencl_memory_hint(device, text)};
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
     cuts                                      launches so short that small calls take several
     way=walk, way=alone, way=partition,       a scatter method (scatter/scatter.c)
     way=sort, way=group, way=atomics
     order                                     ... which first tests whether the index is sorted
     tiny                                      ... with blocks of a few elements */
bool opencl_assumed(const char *word) {
  const char *words = getenv("STREW_OPENCL_ASSUME");
  return words && strstr(words, word);
}
