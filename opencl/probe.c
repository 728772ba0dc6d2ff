/* probe.c: what a device does, as against what it says: chosen operands through chosen operations, when it is opened.
 */
#include "opencl.h"

strew_status opencl_probe(const struct call *call, strew_device *device) {
  (void)call, (void)device;
  return STREW_OK;
}
