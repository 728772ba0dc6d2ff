/* copy.c: conversion and filling on the CPU. Between equal dtypes bits are copied as they are, NaNs included. */
#include "copy_loops.h"

CHOOSE_LOOPS(copy)

convert_row *converter(strew_dtype to, strew_dtype from) {
  if (to != from) return copy_loops()->convert_from[from][to];
  switch (strew_dtype_size_bytes(to)) {
  case 1: return copy_loops()->copy8;
  case 2: return copy_loops()->copy16;
  case 4: return copy_loops()->copy32;
  default: return copy_loops()->copy64;
  }
}

static void copy_visit(void *convert, const struct row *row) {
  (*(convert_row **)convert)(row->count, row->address[0], row->step_bytes[0], row->address[1], row->step_bytes[1]);
}

strew_status cpu_copy(const struct call *call, strew_device *device, const struct plan *plan) {
  (void)call;
  convert_row *convert = converter(plan->operands[0].dtype, plan->operands[1].dtype);
  walk_rows_parallel(device->context, plan, INT64_MAX, copy_visit, &convert);
  return STREW_OK;
}
