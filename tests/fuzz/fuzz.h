/* fuzz.h: shared by the fuzz targets. Each tests/fuzz/fuzz_NAME.c is one target: it turns any bytes into calls of the
   library, and ends the process, so that the bytes are kept, if a promise is broken: beside the sanitizers' findings,
   leaks, or differences between results that must agree. libFuzzer invents the bytes (make fuzz); replay.c feeds those
   in files (make replay). */
#ifndef FUZZ_H
#define FUZZ_H

#include "strew.h"

/* The target: bytes are borrowed; 0: the library refused them. */
int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

#define PROMISE(fact)                                                                                                  \
  do {                                                                                                                 \
    if (!(fact)) fuzz_break(__FILE__, __LINE__, #fact);                                                                \
  } while (0)
_Noreturn void fuzz_break(const char *file, int line, const char *fact);
extern const char *fuzz_input; /* the file being replayed */

/* For contexts: an allocator that knows its blocks. Bytes in use. */
extern const strew_allocator fuzz_allocator;
size_t fuzz_held_bytes(void);
/* The process's own context, of one thread and 256 MiB, and its CPU. */
strew_device *fuzz_device(void);
/* No tensor is left over. */
void fuzz_expect_nothing(void);

/* An empty folder for the process's files; removed at exit. */
const char *fuzz_folder(void);
/* Creates a file of these bytes with this suffix; the name is valid until the next call. */
const char *fuzz_file(const char *suffix, const uint8_t *bytes, size_t size);
/* True if dtype, shape and bits are the same. */
bool fuzz_is_same(const strew_tensor *a, const strew_tensor *b);
/* The same for columns i of tables; texts also have the same words, with the same codes. */
bool fuzz_is_same_column(const strew_table *a, const strew_table *b, int64_t i);
/* Loads these bytes as a file of that suffix. If it works, the result can be read, saved and loaded again with the same
   elements. Returns true if it works. */
bool fuzz_load(const char *suffix, const uint8_t *bytes, size_t size, const strew_load_options *options,
               const strew_save_options *save);
/* The same for a copy changed by `repair`, if that differs. */
void fuzz_load_repaired(const char *suffix, const uint8_t *bytes, size_t size,
                        void (*repair)(uint8_t *bytes, size_t size), const strew_save_options *save);

/* CRC-32 of .png, .zip and .gz. */
uint32_t fuzz_crc(const uint8_t *bytes, size_t size);
/* Writes a member of a .gz: `size` bytes, below 64 KiB, in one or two stored blocks. Returns its end, at most
   FUZZ_MEMBER_BYTES after the bytes. */
enum { FUZZ_MEMBER_BYTES = 28 };
uint8_t *fuzz_put_member(uint8_t *to, const uint8_t *text, size_t size);

/* A Lua file, called with the module, a folder and `look`, returns a function. That function is called with the bytes
   as a string, in a state with limits of 64 MiB and a second. Its errors are broken promises, except errors of these
   limits. The state is reused for some time. */
void fuzz_script(const char *path, const uint8_t *bytes, size_t size);

/* Takes the next byte; 0 at the end. */
struct bytes {
  const uint8_t *at, *end;
};
uint8_t fuzz_byte(struct bytes *bytes);
/* 0..n-1. */
int fuzz_below(struct bytes *bytes, int n);
/* Mostly small, sometimes at the ends of the range. */
int64_t fuzz_integer(struct bytes *bytes);

#endif
