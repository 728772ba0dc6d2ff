#include "program.h"

#include <stdio.h>
#include <string.h>

/* Prints a number of bytes as "1.5 GiB". */
static void print_size(const char *what, size_t bytes) {
  static const char *const units[] = {"bytes", "KiB", "MiB", "GiB", "TiB"};
  int unit = 0;
  double size = (double)bytes;
  while (size >= 1024 && unit < 4) size /= 1024, unit++;
  printf(", %s %.*f %s", what, size < 10 && unit ? 1 : 0, size, units[unit]);
}

static void list_device(strew_device *device) {
  strew_capabilities can;
  strew_error error = {0};
  printf("%-10s  %s\n", strew_device_name(device), strew_device_description(device));
  if (strew_device_capabilities(device, &can, &error) != STREW_OK) {
    printf("            not usable: %s\n", error.message);
    return;
  }
  bool is_cpu = strcmp(strew_device_name(device), "cpu") == 0;
  printf("            %s: %d", is_cpu ? "threads" : "units", can.units);
  if (can.memory_bytes) print_size("memory", can.memory_bytes);
  if (can.largest_block_bytes) print_size("largest tensor", can.largest_block_bytes);
  if (can.work_group_size) printf(", work-group %zu", can.work_group_size);
  if (*can.driver) printf(", driver %s", can.driver);
  if (!is_cpu)
    printf("\n            float64: %s, 64-bit atomics: %s, correctly rounded division: %s, denormals: %s",
           can.float64 ? "yes" : "no", can.int64_atomics ? "yes" : "no", can.exact_division ? "yes" : "in software",
           can.denormals ? "yes" : "in software");
  if (!is_cpu) printf("\n            the same bits as on the cpu: every operation");
  if (*can.promise) printf("\n            %s", can.promise);
  putchar('\n');
}

void devices_print(strew_context *context) {
  for (int i = 0; i < strew_device_count(context); i++) list_device(strew_device_at(context, i));
  for (int i = 0; i < strew_problem_count(context); i++) printf("not usable  %s\n", strew_problem_at(context, i));
  strew_device *opencl;
  strew_error error = {0};
  if (strew_device_count(context) == 1 && strew_device_find(context, "opencl", &opencl, &error) != STREW_OK)
    printf("            %s\n", error.hint);
}
