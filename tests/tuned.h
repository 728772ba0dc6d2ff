/* tuned.h: which row of cpu/tuning.c a test runs, with caches so small that small operands go every way. */
#ifndef TUNED_H
#define TUNED_H

#include "runtime/core/cpu/tuning.h"

#include <stdlib.h>
#include <string.h>

/* Forces `row`, or if that is NULL the one that STREW_TEST_TUNING names (zen4, zen5, default), or else the machine's
   own, as on a processor with caches of that size. */
static inline void use_tuning(const struct tuning *row, int64_t l2_bytes) {
  static struct tuning forced;
  const char *name = getenv("STREW_TEST_TUNING");
  for (int i = 0; !row && name && i < PROCESSOR_COUNT; i++)
    if (!strcmp(name, tuning_rows[i].name)) row = &tuning_rows[i];
  tuning_force(NULL);
  forced = row ? *row : *tuning_in_use();
  forced.l1_bytes = l2_bytes / 16;
  forced.l2_bytes = l2_bytes;
  forced.llc_bytes = l2_bytes * 64;
  tuning_force(&forced);
}

#endif
