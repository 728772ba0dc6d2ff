/* embedded.h: files that the libraries and the program carry as texts. scripts/embed.sh makes the C files. */
#ifndef STREW_EMBEDDED_H
#define STREW_EMBEDDED_H

struct embedded_file {
  const char *name;
  const unsigned char *data;   /* the text, or in zlib's format */
  unsigned long bytes, packed; /* of the text; of zlib's format, 0: none */
};

extern const struct embedded_file text_files[];   /* of the bindings: the help, operations written in Lua */
extern const struct embedded_file prompt_files[]; /* of the program: the prompt, in the order of loading */
extern const struct embedded_file digest_files[]; /* of the program: the random calls of --digest, and their digest */
extern const struct embedded_file mpi_files[];    /* of strew.mpi: distributed.lua */
extern const int text_file_count, prompt_file_count, digest_file_count, mpi_file_count;

/* Kernels, and the headers that they share with C: their texts, each ended by 0, are compressed in zlib's format. */
struct packed_file {
  const char *name;
  unsigned long at; /* where its text begins among all, of kernel_bytes */
};
extern const struct packed_file kernel_files[];
extern const int kernel_file_count;
extern const unsigned char kernel_pack[];
extern const unsigned long kernel_pack_bytes, kernel_bytes;

#endif
