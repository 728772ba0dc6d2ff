/* mode.h: index values. The mode says what becomes of those that are not 0 .. size - 1; what is still outside then is
   nobody's. It is known at run time only, for each kernel of its own would have to be compiled. */
#define LIMITS const long size, const int mode

#define MODE_WRAP 1 /* twin of index.h */
#define MODE_CLIP 2
static inline long in_mode(long value, long size, int mode) {
  if (mode == MODE_WRAP) return value < 0 ? value + size : value;
  if (mode == MODE_CLIP) return value < 0 ? 0 : value >= size ? size - 1 : value;
  return value;
}
#define IN_MODE(value, size) in_mode(value, size, mode)

/* A value of either index type as a long. Mesa's rusticl fills the upper half with zeros where an int that was just
   loaded is converted, so the sign is put there by hand. */
static inline long wide_long(long value) { return value; }
static inline long wide_int(int value) { return upsample(value >> 31, (uint)value); }
#define WIDE_(type)  wide_##type
#define WIDE__(type) WIDE_(type)
#define WIDE(value)  WIDE__(I)(value)
