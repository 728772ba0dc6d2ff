/* fuzz.h: what the fuzz targets share. Each tests/fuzz/fuzz_NAME.c is one target: it makes of any bytes a use of the
   library, and ends the process (so that the bytes are kept) where that breaks a promise: beside what sanitizers see,
   where something is left over, or differs that has to be the same. libFuzzer invents the bytes (make fuzz);
   replay.c feeds those in files (make replay). */
#ifndef FUZZ_H
#define FUZZ_H

#include "strew.h"

/* The target: bytes are borrowed; 0, in whatever way the library refused. */
int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

#define PROMISE(fact)                                                                                                  \
  do {                                                                                                                 \
    if (!(fact)) fuzz_break(__FILE__, __LINE__, #fact);                                                                \
  } while (0)
_Noreturn void fuzz_break(const char *file, int line, const char *fact);
extern const char *fuzz_input; /* what is being replayed */

/* For contexts: knows what it gave. What is held now. */
extern const strew_allocator fuzz_allocator;
size_t fuzz_held_bytes(void);
/* The process's own context, of one thread and 256 MiB, and its CPU. */
strew_device *fuzz_device(void);
/* No tensor is left over. */
void fuzz_expect_nothing(void);

/* An empty folder, for the process's files; gone with it. */
const char *fuzz_folder(void);
/* A file that holds these bytes, of a name with this suffix, valid until the next call. */
const char *fuzz_file(const char *suffix, const uint8_t *bytes, size_t size);
/* One dtype, one shape, the same bits? */
bool fuzz_is_same(const strew_tensor *a, const strew_tensor *b);
/* Loads these bytes as a file of that suffix, in the hope that it fails or works: what it gives can be read, and comes
   back from being saved as it was. Gives whether it worked. */
bool fuzz_load(const char *suffix, const uint8_t *bytes, size_t size, const strew_load_options *options,
               const strew_save_options *save);
/* The same with what `repair` makes of a copy of them, where that differs. */
void fuzz_load_repaired(const char *suffix, const uint8_t *bytes, size_t size,
                        void (*repair)(uint8_t *bytes, size_t size), const strew_save_options *save);

/* CRC-32 of .png and .zip. */
uint32_t fuzz_crc(const uint8_t *bytes, size_t size);

/* A file of Lua, called with the module, a folder and `look`, gives a function; that is called with the bytes as a
   string, in a state of 64 MiB and a second. Its errors are broken promises, but for those by which such limits are
   told. The state is used again for some time. */
void fuzz_script(const char *path, const uint8_t *bytes, size_t size);

/* Takes bytes one after the other; 0 where there are no more. */
struct bytes {
  const uint8_t *at, *end;
};
uint8_t fuzz_byte(struct bytes *bytes);
/* 0..n-1. */
int fuzz_below(struct bytes *bytes, int n);
/* Mostly small, now and then at the ends of what there is. */
int64_t fuzz_integer(struct bytes *bytes);

#endif
