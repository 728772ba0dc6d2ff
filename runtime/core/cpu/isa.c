/* isa.c: the instruction set whose loops this process runs. */
#include "isa.h"

#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifdef X86_LOOPS
#include <cpuid.h>
#endif

static const char *const names[ISA_COUNT] = {
#define ROW(ENUM, suffix, name) [ISA_##ENUM] = #suffix,
    INSTRUCTION_SETS(ROW, )};

const char *isa_name(enum isa isa) { return names[isa]; }

#ifdef X86_LOOPS
/* (clang 14 does not know __builtin_cpu_supports("f16c").) */
static bool has_f16c(void) {
  unsigned a, b, c, d;
  return __get_cpuid(1, &a, &b, &c, &d) && (c & bit_F16C);
}
#endif

/* True if the processor has what the Makefile lets the compiler use, and the operating system saves its registers. */
static bool is_supported(enum isa isa) {
#ifdef X86_LOOPS
  if (isa == ISA_AVX2) return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") && has_f16c();
  if (isa == ISA_AVX512)
    return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
           __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("fma");
#endif
  return isa == ISA_PLAIN;
}

/* NULL: unset or empty. */
static const char *setting(void) {
  const char *word = getenv("STREW_CPU");
  return word && *word ? word : NULL;
}

const char *isa_wrong_setting(char *available) {
  const char *word = setting();
  int length = 0;
  for (int isa = 0; word && isa < ISA_COUNT; isa++) {
    if (!is_supported((enum isa)isa)) continue;
    if (!strcmp(word, names[isa])) return NULL;
    length += snprintf(available + length, ISA_NAMES_BYTES - (size_t)length, "%s%s", length ? ", " : "", names[isa]);
  }
  return word;
}

static int choose_isa(void) {
  const char *word = setting();
  int best = ISA_PLAIN;
  for (int isa = 0; isa < ISA_COUNT; isa++) {
    if (!is_supported((enum isa)isa)) continue;
    best = isa;
    if (word && !strcmp(word, names[isa])) break;
  }
  return best;
}

/* The choice plus one; 0: none yet. (CPUID takes a virtual machine longer than a small call.) Two threads that choose
   at once choose the same. */
enum isa isa_in_use(void) {
  static atomic_int chosen;
  int choice = atomic_load_explicit(&chosen, memory_order_relaxed);
  if (!choice) {
    choice = choose_isa() + 1;
    atomic_store_explicit(&chosen, choice, memory_order_relaxed);
  }
  return (enum isa)(choice - 1);
}
