/* isa.h: instruction sets. The Makefile compiles each file NAME_loops.c once for each set that the architecture may
   have, with ISA as its suffix and leave to use its instructions. The file exports one table, NAME_loops_ISA, and
   shares nothing else. Which table runs is decided once per process, by the processor and the environment. All of them
   compute the same bits. */
#ifndef STREW_ISA_H
#define STREW_ISA_H

#include <stdbool.h>

/* Enumerator; suffix, which is also its word in STREW_CPU. From the least to the most able. (X86_LOOPS: the Makefile's
   ISAS.) */
#ifdef X86_LOOPS
#define INSTRUCTION_SETS(X, name) X(PLAIN, plain, name) X(AVX2, avx2, name) X(AVX512, avx512, name)
#else
#define INSTRUCTION_SETS(X, name) X(PLAIN, plain, name)
#endif

enum isa {
#define ROW(ENUM, suffix, name) ISA_##ENUM,
  INSTRUCTION_SETS(ROW, )
#undef ROW
      ISA_COUNT
};

/* Returns the most able one of this processor, or the one that STREW_CPU names, if the processor has it (for tests). */
enum isa isa_in_use(void);
const char *isa_name(enum isa isa);
/* Returns STREW_CPU's value, with the names of this processor's sets in `available`, if it is none of them; else
   NULL. */
enum { ISA_NAMES_BYTES = 64 };
const char *isa_wrong_setting(char *available);

#ifndef ISA
#define ISA plain
#endif

/* DECLARE_LOOPS(NAME), in a header, declares the tables, of type struct NAME_loops; LOOPS_TABLE(NAME), in the file of
   loops, is the name of the table that it defines; CHOOSE_LOOPS(NAME), behind the declaration, defines NAME_loops(),
   which returns the one in use. */
#define DECLARE_LOOPS(name)                INSTRUCTION_SETS(LOOPS_DECLARATION, name)
#define LOOPS_DECLARATION(ENUM, isa, name) extern const struct name##_loops name##_loops_##isa;
#define LOOPS_TABLE(name)                  LOOPS_EXPAND(name, ISA)
#define LOOPS_EXPAND(name, isa)            LOOPS_PASTE(name, isa)
#define LOOPS_PASTE(name, isa)             name##_loops_##isa
#define CHOOSE_LOOPS(name)                                                                                             \
  static inline const struct name##_loops *name##_loops(void) {                                                        \
    static const struct name##_loops *const tables[ISA_COUNT] = {INSTRUCTION_SETS(LOOPS_ENTRY, name)};                 \
    return tables[isa_in_use()];                                                                                       \
  }
#define LOOPS_ENTRY(ENUM, isa, name) [ISA_##ENUM] = &name##_loops_##isa,

/* Before a loop. INDEPENDENT: its iterations share no memory, so that compilers vectorise it without a test for
   aliases. UNROLLED: its iterations are few and their number is a constant: unroll it. ROLLED: do not, although it is a
   constant: then this loop is vectorised, and not one around it. */
#if defined(__clang__)
#define INDEPENDENT _Pragma("clang loop vectorize(assume_safety)")
#define UNROLLED    _Pragma("unroll")
#define ROLLED      _Pragma("clang loop unroll(disable)")
#else
#define INDEPENDENT _Pragma("GCC ivdep")
#define UNROLLED    _Pragma("GCC unroll 16")
#define ROLLED      _Pragma("GCC unroll 1")
#endif

#endif
