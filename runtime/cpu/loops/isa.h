/* isa.h: instruction sets. The Makefile has certain files NAME_loops.c compiled once for each set that the architecture
   may have, with ISA as its suffix and the compiler's leave to use it; the file exports one table, NAME_loops_ISA, and
   shares nothing else. Which of them runs is decided once per process, by the processor and the environment. All of
   them give the same bits. */
#ifndef STREW_ISA_H
#define STREW_ISA_H

#include <stdbool.h>

/* Enumerator; suffix, which is also its word in STREW_CPU. From the least to the most able. Where the Makefile compiles
   more than the first, it goes by the same processor. */
#if defined(__x86_64__)
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

/* The most able one that this processor has, or the one that STREW_CPU names, if it has that: for tests. */
enum isa isa_in_use(void);
const char *isa_name(enum isa isa);

/* Processors by how they wait for memory, so far as loops go by it (scatter_loops.c): AMD's up to Zen 4 look far ahead
   where it is read in order; AMD's since Zen 5 do not, but have so much under way at once that places in a core's own
   caches need not be asked for; an Intel Xeon neither, and others are taken for one. */
enum processor { PROCESSOR_OTHER, PROCESSOR_ZEN4, PROCESSOR_ZEN5, PROCESSOR_COUNT };
enum processor processor_in_use(void);

#ifndef ISA
#define ISA plain
#endif

/* In a header: declares the tables, of type struct NAME_loops. In the file of loops: the name of the one that it makes.
   In a file that uses them: NAME_loops(), which gives the one in use. */
#define DECLARE_LOOPS(name)                INSTRUCTION_SETS(LOOPS_DECLARATION, name)
#define LOOPS_DECLARATION(ENUM, isa, name) extern const struct name##_loops name##_loops_##isa;
#define LOOPS_TABLE(name)                  LOOPS_EXPAND(name, ISA)
#define LOOPS_EXPAND(name, isa)            LOOPS_PASTE(name, isa)
#define LOOPS_PASTE(name, isa)             name##_loops_##isa
#define CHOOSE_LOOPS(name)                                                                                             \
  static const struct name##_loops *name##_loops(void) {                                                               \
    static const struct name##_loops *const tables[ISA_COUNT] = {INSTRUCTION_SETS(LOOPS_ENTRY, name)};                 \
    return tables[isa_in_use()];                                                                                       \
  }
#define LOOPS_ENTRY(ENUM, isa, name) [ISA_##ENUM] = &name##_loops_##isa,

/* Before a loop. INDEPENDENT: its turns do not meet in memory, so compilers need not ask before they make vectors of
   it. UNROLLED: its turns are few and their number is known, so they are to be written one after the other. ROLLED:
   they are not, although it is; so it is this loop that becomes vectors, and not one around it by turning things round.
 */
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
