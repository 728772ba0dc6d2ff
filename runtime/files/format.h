/* format.h: the file formats, each in a source file of its own. format.c chooses one by the file name's suffix. */
#ifndef FORMAT_H
#define FORMAT_H

#include "runtime/context.h"

struct file;

/* A format's functions; NULL: not supported. Loading gets an open file, which is held in memory if it is compressed or
   not regular (file_hold). Saving compresses all of a file of a format that IS_GZIP: options->compress is true. */
struct format {
  const char *suffix; /* behind its point it is the word for `format` */
  strew_status (*load)(const struct call *call, strew_device *device, struct file *file,
                       const strew_load_options *options, strew_tensor **out);
  strew_status (*load_table)(const struct call *call, strew_device *device, struct file *file,
                             const strew_load_options *options, strew_table **out);
  strew_status (*save)(const struct call *call, const strew_tensor *tensor, const char *path,
                       const strew_save_options *options);
  strew_status (*save_table)(const struct call *call, const strew_table *table, const char *path,
                             const strew_save_options *options);
  unsigned options; /* supported ones: TAKES_...; IS_GZIP */
  char separator;   /* of TAKES_CSV: the default */
};
enum { TAKES_MAP = 1, TAKES_COMPRESS = 2, TAKES_CSV = 4, IS_GZIP = 8 };

strew_status npy_load(const struct call *call, strew_device *device, struct file *file,
                      const strew_load_options *options, strew_tensor **out);
strew_status npy_save(const struct call *call, const strew_tensor *tensor, const char *path,
                      const strew_save_options *options);
strew_status npz_load(const struct call *call, strew_device *device, struct file *file,
                      const strew_load_options *options, strew_table **out);
strew_status npz_save(const struct call *call, const strew_table *table, const char *path,
                      const strew_save_options *options);

strew_status csv_load(const struct call *call, strew_device *device, struct file *file,
                      const strew_load_options *options, strew_table **out);
strew_status csv_save(const struct call *call, const strew_tensor *tensor, const char *path,
                      const strew_save_options *options);
strew_status csv_save_table(const struct call *call, const strew_table *table, const char *path,
                            const strew_save_options *options);
/* Checks the separator of cells. */
strew_status csv_separator(const struct call *call, char separator);

strew_status png_load(const struct call *call, strew_device *device, struct file *file,
                      const strew_load_options *options, strew_tensor **out);
strew_status png_save(const struct call *call, const strew_tensor *tensor, const char *path,
                      const strew_save_options *options);

#endif
