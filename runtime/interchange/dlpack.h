/* dlpack.h: the binary interface of DLPack 1.x, which array libraries exchange: a description of memory, and a function
   that its owner wants called once at the end of its use. */
#ifndef DLPACK_H
#define DLPACK_H

#include "runtime/strew.h"
#include <stdint.h>

enum { DLPACK_MAJOR = 1, DLPACK_CPU = 1 /* a type of devices */ };
enum { DLPACK_INT, DLPACK_UINT, DLPACK_FLOAT, DLPACK_BFLOAT = 4, DLPACK_COMPLEX, DLPACK_BOOL }; /* codes of types */
enum { DLPACK_READ_ONLY = 1 };                                                                  /* a flag */

struct dlpack_type {
  uint8_t code, bits; /* of one lane */
  uint16_t lanes;
};

struct dlpack_tensor {
  void *data;
  int32_t device_type, device_id;
  int32_t rank;
  struct dlpack_type type;
  int64_t *sizes, *strides; /* strides: in elements; NULL: row-major */
  uint64_t offset_bytes;    /* of the first element, from `data` */
};

/* Before 1.0. */
struct DLManagedTensor {
  struct dlpack_tensor tensor;
  void *owner;
  void (*deleter)(struct DLManagedTensor *self); /* may be NULL */
};

struct DLManagedTensorVersioned {
  uint32_t major, minor;
  void *owner;
  void (*deleter)(struct DLManagedTensorVersioned *self); /* may be NULL */
  uint64_t flags;
  struct dlpack_tensor tensor;
};

#endif
