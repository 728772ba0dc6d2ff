/* kernels.h: the kernel files, and the headers that they share with the C side, as texts in the library. */
#ifndef STREW_KERNELS_H
#define STREW_KERNELS_H

struct kernel_file {
  const char *name, *text;
};
extern const struct kernel_file kernel_files[]; /* made by scripts/embed.sh */
extern const int kernel_file_count;

#endif
