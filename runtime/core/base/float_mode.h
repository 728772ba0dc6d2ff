/* float_mode.h: the processor's float mode (rounding, flush to zero, traps), which the host's thread may have changed.
   Results are defined for the default mode: each public call that computes, or starts threads, which inherit the mode,
   sets it at its start and restores the host's at its end. Equal modes are not written: reading costs some nanoseconds.
   (Inline.) */
#ifndef FLOAT_MODE_H
#define FLOAT_MODE_H

#if __FLT_EVAL_METHOD__ == 2 || __FLT_EVAL_METHOD__ < 0
#error "Results would differ: float32 is computed with the bits of long double. On x86: CFLAGS='-msse2 -mfpmath=sse'"
#endif

#ifdef __x86_64__

#include <xmmintrin.h>

/* The control registers of SSE, whose lowest bits are sticky exceptions and no mode, and of x87: long double, and where
   the C library reads the rounding. */
struct float_mode {
  unsigned sse;
  unsigned short x87;
};

enum { SSE_EXCEPTIONS = 0x3f, SSE_DEFAULT = 0x1f80, X87_DEFAULT = 0x37f };

static inline void float_mode_enter(struct float_mode *host) {
  static const unsigned short x87 = X87_DEFAULT;
  host->sse = _mm_getcsr();
  __asm__ volatile("fnstcw %0" : "=m"(host->x87));
  if ((host->sse & ~(unsigned)SSE_EXCEPTIONS) != SSE_DEFAULT) _mm_setcsr(SSE_DEFAULT);
  if (host->x87 != X87_DEFAULT) __asm__ volatile("fldcw %0" : : "m"(x87) : "memory");
}

static inline void float_mode_leave(const struct float_mode *host) {
  if ((host->sse & ~(unsigned)SSE_EXCEPTIONS) != SSE_DEFAULT) _mm_setcsr(host->sse);
  if (host->x87 != X87_DEFAULT) __asm__ volatile("fldcw %0" : : "m"(host->x87) : "memory");
}

#else

#include <fenv.h>

struct float_mode {
  fenv_t environment;
};

static inline void float_mode_enter(struct float_mode *host) {
  fegetenv(&host->environment);
  fesetenv(FE_DFL_ENV);
}

static inline void float_mode_leave(const struct float_mode *host) { fesetenv(&host->environment); }

#endif
#endif
