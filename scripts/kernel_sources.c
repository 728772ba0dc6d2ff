/* kernel_sources.c: an OpenCL layer between a program and the drivers. It writes the text of each program that is built
   to the folder $STREW_KERNEL_SOURCES, in a file named after its hash. scripts/compile_kernels.sh thus sees kernels as
   drivers do, with all that specialises them:
     OPENCL_LAYERS=build/sources.so STREW_KERNEL_SOURCES=FOLDER build/strew -d opencl SCRIPT */
#define CL_TARGET_OPENCL_VERSION 300
#include <CL/cl_layer.h>

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define EXPORTED __attribute__((visibility("default")))

static struct _cl_icd_dispatch ours;
static const struct _cl_icd_dispatch *next;

static void keep(cl_uint count, const char **texts) {
  const char *folder = getenv("STREW_KERNEL_SOURCES");
  char path[512];
  uint64_t hash = 0xcbf29ce484222325u;
  for (cl_uint i = 0; i < count; i++)
    for (const char *at = texts[i]; *at; at++) hash = (hash ^ (unsigned char)*at) * 0x100000001b3u;
  snprintf(path, sizeof path, "%s/%016llx.cl", folder ? folder : ".", (unsigned long long)hash);
  FILE *file = fopen(path, "w");
  if (!file) return;
  for (cl_uint i = 0; i < count; i++) fputs(texts[i], file);
  fclose(file);
}

/* strew passes NUL-terminated texts without lengths. */
static cl_program CL_API_CALL create_program(cl_context context, cl_uint count, const char **texts,
                                             const size_t *lengths, cl_int *error) {
  if (!lengths) keep(count, texts);
  return next->clCreateProgramWithSource(context, count, texts, lengths, error);
}

EXPORTED cl_int CL_API_CALL clGetLayerInfo(cl_layer_info name, size_t size, void *value, size_t *size_ret) {
  const cl_layer_api_version version = CL_LAYER_API_VERSION_100;
  static const char title[] = "sources of kernels";
  const void *from = name == CL_LAYER_API_VERSION ? (const void *)&version : title;
  const size_t bytes = name == CL_LAYER_API_VERSION ? sizeof version : sizeof title;
  if (name != CL_LAYER_API_VERSION && name != CL_LAYER_NAME) return CL_INVALID_VALUE;
  if (value && size < bytes) return CL_INVALID_VALUE;
  if (value) memcpy(value, from, bytes);
  if (size_ret) *size_ret = bytes;
  return CL_SUCCESS;
}

EXPORTED cl_int CL_API_CALL clInitLayer(cl_uint count, const struct _cl_icd_dispatch *target, cl_uint *count_ret,
                                        const struct _cl_icd_dispatch **dispatch) {
  if (!target || !dispatch || count < sizeof ours / sizeof(void *)) return CL_INVALID_VALUE;
  next = target;
  ours.clCreateProgramWithSource = create_program;
  *dispatch = &ours;
  *count_ret = sizeof ours / sizeof(void *);
  return CL_SUCCESS;
}
