/* prelude.h: C11 names for OpenCL C, for the headers in shared/ that both compile. Each .cl file includes it
   first. The host defines, in front of a program's text:
     HAS_FLOAT64           the device has double
     SOFT_FLOAT32_...      float32 operations to emulate with integers: see scalar.h */
#ifndef STREW_PRELUDE_H
#define STREW_PRELUDE_H

/* Drivers define this; a plain compiler that checks a kernel's syntax does not. */
#ifndef __OPENCL_VERSION__
#define __OPENCL_VERSION__ 120
#endif

/* a * b + c rounds twice: a fused operation would give other bits */
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

/* Goes in front of short loops over private arrays. On a GPU these arrays must become registers. CPU compilers unroll
   by themselves, and need several times as long for loops unrolled first. */
#ifdef IS_GPU
#define UNROLL _Pragma("unroll")
#else
#define UNROLL
#endif

/* get_group_id, counted through all launches into which the host splits a kernel. */
static inline size_t group_id(void) {
  const size_t before = get_global_offset(0);
  return get_group_id(0) + (before ? before / get_local_size(0) : 0);
}

/* Goes in front of loops with a running float sum, whose order defines the result. Intel's CPU compiler (2026.22)
   vectorises some of them, and so splits the sum. */
#ifdef __clang__
#define IN_ORDER _Pragma("clang loop vectorize(disable) interleave(disable)")
#else
#define IN_ORDER
#endif

/* For kernels by groups of GROUP_SIZE work-items. */
#ifdef GROUP_SIZE
#define GROUP_KERNEL __kernel __attribute__((reqd_work_group_size(GROUP_SIZE, 1, 1))) void

/* The sum of `value` over the work-items before this one; *total is that over all. `sums` holds GROUP_SUMS numbers and
   may be reused at once. All work-items of the group must call it. Values stand in rows of SUMS_ROW, each with its total
   behind it, so that rows begin in different banks of local memory: one work-item sums a row, then each the totals. */
enum { SUMS_ROW = 16, SUMS_ROWS = GROUP_SIZE / SUMS_ROW, GROUP_SUMS = GROUP_SIZE + SUMS_ROWS };
static inline ulong group_prefix_sum(ulong value, __local ulong *sums, ulong *total) {
  const uint me = (uint)get_local_id(0), at = me + me / SUMS_ROW;
  sums[at] = value;
  barrier(CLK_LOCAL_MEM_FENCE);
  if (me < SUMS_ROWS) {
    __local ulong *row = sums + me * (SUMS_ROW + 1);
    ulong sum = 0;
    _Pragma("unroll 4") for (int i = 0; i < SUMS_ROW; i++) {
      const ulong next = row[i];
      row[i] = sum;
      sum += next;
    }
    row[SUMS_ROW] = sum;
  }
  barrier(CLK_LOCAL_MEM_FENCE);
  ulong before = sums[at], all = 0;
  _Pragma("unroll 4") for (uint r = 0; r < SUMS_ROWS; r++) {
    if (r == me / SUMS_ROW) before += all;
    all += sums[r * (SUMS_ROW + 1) + SUMS_ROW];
  }
  *total = all;
  barrier(CLK_LOCAL_MEM_FENCE);
  return before;
}
#endif

/* Memory as bytes, for strides in bytes. */
typedef __global uchar *bytes;
typedef __global const uchar *const_bytes;

#endif
