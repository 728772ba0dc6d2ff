/* format.h: the file formats, each in a source file of its own. format.c chooses one by the file name's suffix. */
#ifndef FORMAT_H
#define FORMAT_H

#include "runtime/core/base/context.h"
#include "runtime/strew.h"

struct file;
struct stream;

/* A file that is read in chunks of rows. */
struct chunk_source {
  strew_device *device;
  struct file *file;
  struct stream *stream; /* its contents; not for formats that TAKE_MEMBER */
  const strew_load_options *options;
  const char *member; /* NULL: none given */
  int64_t rows;       /* of a chunk */
};
/* How a format reads chunks; `state` is its own, of state_bytes, which are zeros at first. What open gets lives until
   close, which is called after a failed open, too. next makes a table or a tensor of at
   most `rows` rows, or leaves both NULL at the end. A failed next can be repeated, unless bytes of the file are lost:
   *is_lost. */
struct chunk_functions {
  size_t state_bytes;
  strew_status (*open)(const struct call *call, const struct chunk_source *source, void *state);
  strew_status (*next)(const struct call *call, void *state, int64_t rows, strew_tensor **tensor, strew_table **table,
                       bool *is_lost);
  void (*close)(void *state);
};
extern const struct chunk_functions csv_chunks, jsonl_chunks, npy_chunks; /* csv_chunks.c, jsonl.c, npy_chunks.c */

typedef strew_status tensor_loader(const struct call *call, strew_device *device, struct file *file,
                                   const strew_load_options *options, strew_tensor **out);
typedef strew_status table_loader(const struct call *call, strew_device *device, struct file *file,
                                  const strew_load_options *options, strew_table **out);
typedef strew_status tensor_saver(const struct call *call, const strew_tensor *tensor, const char *path,
                                  const strew_save_options *options);
typedef strew_status table_saver(const struct call *call, const strew_table *table, const char *path,
                                 const strew_save_options *options);

/* A format's functions; NULL: not supported. Loading gets an open file, which is held in memory if it is compressed or
   not regular (file_hold). Saving compresses all of a file of a format that IS_GZIP: options->compress is true. */
struct format {
  const char *suffix; /* behind its point it is the word for `format` */
  tensor_loader *load;
  table_loader *load_table;
  tensor_saver *save;
  table_saver *save_table;
  unsigned options; /* supported ones: TAKES_...; IS_GZIP */
  char separator;   /* of TAKES_CSV: the default */
  const struct chunk_functions *chunks;
};
enum {
  TAKES_MAP = 1,
  TAKES_COMPRESS = 2,
  TAKES_CSV = 4,
  IS_GZIP = 8,
  TAKES_MEMBER = 16 /* of chunks */,
  TAKES_COLUMNS = 32,
  TAKES_VALUES = 2048 /* options of single values and columns, as TAKES_CSV, but none of lines and cells */
};

/* Finds the format that `word` names, or else the suffix of the path. */
strew_status format_find(const struct call *call, const char *path, const char *word, const struct format **out);
/* Fails for an unknown enumerator, a negative count, or reserved bytes. */
strew_status check_load_options(const struct call *call, const strew_load_options *options);
/* Fails if the format does not take the options. */
strew_status format_check_load(const struct call *call, const struct format *format, const strew_load_options *options);
/* Fails unless the format, which the word named if there is one, has functions for chunks. */
strew_status format_check_chunks(const struct call *call, const struct format *format, const char *word);

tensor_loader npy_load, png_load;
table_loader npz_load, csv_load, jsonl_load, safetensors_load;
tensor_saver npy_save, csv_save, png_save;
table_saver npz_save, csv_save_table, jsonl_save_table, safetensors_save;
/* Loads as csv_load does, but only the first options->csv->rows rows, and reads only their part of the file. */
strew_status csv_load_first(const struct call *call, strew_device *device, struct file *file, bool is_gzip,
                            const strew_load_options *options, strew_table **out);
/* Check the separator of cells, and the decimal point. */
strew_status csv_point(const struct call *call, char point);
strew_status csv_separator(const struct call *call, char separator);

#endif
