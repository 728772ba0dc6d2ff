/* prelude.h: OpenCL C made to speak as C11 does, for the headers of runtime/ that both compile. Each .cl file includes
   it first. The host defines, in front of a program's text:
     HAS_FLOAT64           the device has double
     SOFT_FLOAT32_...      what the device's float does not do as IEEE 754 asks, so that integers do it: see scalar.h */
#ifndef STREW_PRELUDE_H
#define STREW_PRELUDE_H

/* Which of two languages is it? Drivers say so; a plain compiler that checks a kernel's syntax does not. */
#ifndef __OPENCL_VERSION__
#define __OPENCL_VERSION__ 120
#endif

/* a * b + c is rounded twice: a fused operation would give other bits */
#pragma OPENCL FP_CONTRACT OFF
#ifdef HAS_FLOAT64
#pragma OPENCL EXTENSION cl_khr_fp64 : enable
#endif

typedef char int8_t;
typedef uchar uint8_t;
typedef short int16_t;
typedef ushort uint16_t;
typedef int int32_t;
typedef uint uint32_t;
typedef long int64_t;
typedef ulong uint64_t;

#define INT32_MIN  (-2147483647 - 1)
#define INT32_MAX  2147483647
#define UINT32_MAX 0xffffffffu
#define INT64_MIN  (-9223372036854775807 - 1)
#define INT64_MAX  9223372036854775807
#define UINT64_MAX 0xffffffffffffffffu

/* Put in front of short loops over private arrays: on many small processors these have to become registers; for few
   large ones the compiler knows best, and needs several times as long for loops that are unrolled first. */
#ifdef IS_GPU
#define UNROLL _Pragma("unroll")
#else
#define UNROLL
#endif

/* get_group_id, which counts from 0 in each of the launches that a kernel is cut into, through all of them. */
static inline size_t group_id(void) {
  const size_t before = get_global_offset(0);
  return get_group_id(0) + (before ? before / get_local_size(0) : 0);
}

/* Put in front of loops that carry a sum of floats, whose order is the result's: Intel's compiler for processors
   (2026.22) makes vectors of some, and so several sums of one. */
#ifdef __clang__
#define IN_ORDER _Pragma("clang loop vectorize(disable) interleave(disable)")
#else
#define IN_ORDER
#endif

/* Memory as bytes, which is how strides in bytes go through it. */
typedef __global uchar *bytes;
typedef __global const uchar *const_bytes;

#endif
