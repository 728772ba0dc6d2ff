/* isa.c: which instruction set's loops this process runs, and on what processor. */
#include "isa.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#if defined(__x86_64__)
#include <cpuid.h>
#endif

static const char *const names[ISA_COUNT] = {
#define ROW(ENUM, suffix, name) [ISA_##ENUM] = #suffix,
    INSTRUCTION_SETS(ROW, )
#undef ROW
};

const char *isa_name(enum isa isa) { return names[isa]; }

#if defined(__x86_64__)
/* __builtin_cpu_supports("f16c") is not known to clang 14. */
static bool has_f16c(void) {
  unsigned a, b, c, d;
  return __get_cpuid(1, &a, &b, &c, &d) && (c & bit_F16C);
}
#endif

/* Has the processor what the Makefile lets the compiler use? The operating system has to save the registers, too: that
   is asked with it. */
static bool is_there(enum isa isa) {
#if defined(__x86_64__)
  if (isa == ISA_AVX2) return __builtin_cpu_supports("avx2") && has_f16c();
  if (isa == ISA_AVX512)
    return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
           __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl");
#endif
  return isa == ISA_PLAIN;
}

static int choose_isa(void) {
  const char *word = getenv("STREW_CPU");
  int best = ISA_PLAIN;
  for (int isa = 0; isa < ISA_COUNT; isa++) {
    if (!is_there((enum isa)isa)) continue;
    best = isa;
    if (word && !strcmp(word, names[isa])) break;
  }
  return best;
}

static int choose_processor(void) {
#if defined(__x86_64__)
  enum { ZEN5 = 0x1A }; /* a family as CPUID has it: a field of four bits and, beyond these, one of eight */
  unsigned a, b, c, d;
  if (!__builtin_cpu_is("amd") || !__get_cpuid(1, &a, &b, &c, &d)) return PROCESSOR_OTHER;
  return (a >> 8 & 0xF) + (a >> 20 & 0xFF) < ZEN5 ? PROCESSOR_ZEN4 : PROCESSOR_ZEN5;
#else
  return PROCESSOR_OTHER;
#endif
}

/* What was chosen, plus one; 0: not yet. (CPUID takes a virtual machine longer than a small call.) Two threads that
   choose at once choose the same. */
static int chosen_once(atomic_int *chosen, int (*choose)(void)) {
  int choice = atomic_load_explicit(chosen, memory_order_relaxed);
  if (!choice) {
    choice = choose() + 1;
    atomic_store_explicit(chosen, choice, memory_order_relaxed);
  }
  return choice - 1;
}

enum isa isa_in_use(void) {
  static atomic_int chosen;
  return (enum isa)chosen_once(&chosen, choose_isa);
}

enum processor processor_in_use(void) {
  static atomic_int chosen;
  return (enum processor)chosen_once(&chosen, choose_processor);
}
