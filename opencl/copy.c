/* copy.c: filling, moving and converting. Elements that keep their dtype are moved as words of their size. */
#include "opencl.h"

static const char *word_of_size(size_t size_bytes) {
  return size_bytes == 8 ? "ulong" : size_bytes == 4 ? "uint" : size_bytes == 2 ? "ushort" : "uchar";
}

strew_status opencl_copy(const struct call *call, strew_device *device, const struct plan *plan) {
  struct space space = space_of(plan);
  size_t size_bytes = strew_dtype_size_bytes(plan->operands[0].dtype);
  struct launch launch;
  const char *word = word_of_size(size_bytes);
  if (plan->operands[1].storage) {
    launch_start(&launch, call, device, "copy.cl", "move", "WORD=%s OUTER=%d", word, space.outer);
  } else {
    launch_start(&launch, call, device, "copy.cl", "fill", "WORD=%s OUTER=%d", word, space.outer);
  }
  launch_space(&launch, &space);
  launch_operand(&launch, &space, 0);
  if (plan->operands[1].storage)
    launch_operand(&launch, &space, 1);
  else
    launch_value(&launch, plan->operands[1].number.bytes, size_bytes);
  return launch_rows(&launch, &space);
}
