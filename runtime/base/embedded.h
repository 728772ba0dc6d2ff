/* embedded.h: files that the libraries and the program carry as texts. scripts/embed.sh makes the C files. */
#ifndef STREW_EMBEDDED_H
#define STREW_EMBEDDED_H

struct embedded_file {
  const char *name, *text;
};

extern const struct embedded_file kernel_files[]; /* kernels, and the headers that they share with C */
extern const struct embedded_file text_files[];   /* of the bindings: the help, operations written in Lua */
extern const struct embedded_file prompt_files[]; /* of the program: the prompt, in the order of loading */
extern const struct embedded_file mpi_files[];    /* of strew.mpi: distributed.lua */
extern const int kernel_file_count, text_file_count, prompt_file_count, mpi_file_count;

#endif
