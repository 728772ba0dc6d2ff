/* elements.h: elements to and from the dtype of the computation, by STREW_SATURATE. The host defines
     S          suffix of the dtype of values; a 16-bit float only if values are moved or their bits computed with
     R          suffix of the dtype of results: S, or b8
     VIA        the 16-bit float that inputs are first rounded to, if they are; S is then f32
     OUT        the result's dtype, if it is known when the kernel is compiled */
#define VALUE  CAT(T_, S)
#define RESULT CAT(T_, R)
#ifdef VIA
static inline float via_from_f32(float x) { return CAT(exact_, VIA)(CAT(VIA, _from_f32)(x)); }
static inline float via_from_i64(int64_t x) { return CAT(exact_, VIA)(CAT(VIA, _from_i64)(x)); }
static inline float via_from_u64(uint64_t x) { return CAT(exact_, VIA)(CAT(VIA, _from_u64)(x)); }
#ifdef HAS_FLOAT64
static inline float via_from_f64(double x) { return CAT(exact_, VIA)(CAT(VIA, _from_f64)(x)); }
#endif
#define VALUE_OF(s) CAT(via_from_, CAT(EXACT_, s))
#else
#define VALUE_OF(s) CAT(S, CAT(_from_, CAT(EXACT_, s)))
#endif
#define STORED(s) CAT(s, CAT(_from_, CAT(EXACT_, R)))

#ifdef OUT
static inline CAT(T_, OUT) stored(RESULT x) { return STORED(OUT)(CAT(exact_, R)(x)); }
#endif

/* Element `at` of memory whose dtype is a kernel argument. */
static inline VALUE value_at(int dtype, __global const uchar *memory, long at) {
  switch (dtype) {
#define ROW(ENUM, s, name, type, bits, computed, carrier, kind, digits, highest, lowest)                               \
  case CODE_##s: return VALUE_OF(s)(exact_##s(((__global const T_##s *)memory)[at]));
    STREW_DTYPES(ROW)
#undef ROW
  }
  return 0;
}
static inline void store_at(int dtype, __global uchar *memory, long at, RESULT x) {
  switch (dtype) {
#define ROW(ENUM, s, name, type, bits, computed, carrier, kind, digits, highest, lowest)                               \
  case CODE_##s: ((__global T_##s *)memory)[at] = STORED(s)(CAT(exact_, R)(x)); break;
    STREW_DTYPES(ROW)
#undef ROW
  }
}
