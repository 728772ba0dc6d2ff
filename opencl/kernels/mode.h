/* mode.h: what becomes of an index value in each mode (a mode that drops is as one that fails); what is not 0 .. size - 1 then is nobody's. */
static inline long in_mode_error(long value, long size) { return value; }
static inline long in_mode_wrap(long value, long size) { return value < 0 ? value + size : value; }
static inline long in_mode_clip(long value, long size) {
  return value < 0 ? 0 : value >= size ? size - 1 : value;
}
#define IN_MODE_(mode)       in_mode_##mode
#define IN_MODE__(mode)      IN_MODE_(mode)
#define IN_MODE(value, size) IN_MODE__(MODE)(value, size)

/* A value of either index type as a long. Mesa's rusticl fills the upper half with zeros where an int that was just
   loaded is converted, so the sign is put there by hand. */
static inline long wide_long(long value) { return value; }
static inline long wide_int(int value) { return upsample(value >> 31, (uint)value); }
#define WIDE_(type)  wide_##type
#define WIDE__(type) WIDE_(type)
#define WIDE(value)  WIDE__(I)(value)
