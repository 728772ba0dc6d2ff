/* npy.h: NumPy's format of one tensor, as a file or as a member of an archive. */
#ifndef NPY_H
#define NPY_H

#include "runtime/device.h"

/* ------------------------------------------------------------------------------------------------ npy_header.c */

/* A file begins with a magic word, its version and the length of the header: a Python dictionary as text. */
enum { NPY_PREFIX_BYTES = 12, NPY_LONGEST_HEADER = 1 << 16, NPY_HEADER_BYTES = 512 /* of one that is written */ };

struct npy_header {
  strew_dtype dtype;
  bool is_swapped; /* elements have their bytes in the other order than here */
  bool is_fortran; /* the first dimension is the one whose elements are neighbours */
  int rank;
  int64_t sizes[MAX_RANK];
};

/* Why a header is not taken: the end of a sentence that begins with "which", and a hint, or NULL. */
struct npy_refusal {
  char fact[256];
  const char *hint;
};

/* From the first NPY_PREFIX_BYTES: where the header begins and how long it is. */
bool npy_parse_prefix(const unsigned char *prefix, size_t *begin, size_t *length, struct npy_refusal *refusal);
bool npy_parse_header(const char *text, size_t length, struct npy_header *out, struct npy_refusal *refusal);
/* Writes magic word, version and header, at most NPY_HEADER_BYTES in all; returns how many. */
size_t npy_write_header(const struct npy_header *header, char *to);
/* Has NumPy a dtype for this one? */
bool npy_has_dtype(strew_dtype dtype);

/* ------------------------------------------------------------------------------------------------------- npy.c */

/* Where the bytes of a .npy come from, one after the other. */
struct npy_source {
  const char *path, *member; /* member: NULL, or its name in the archive `path` */
  uint64_t size_bytes;       /* of all */
  strew_status (*read)(const struct call *call, void *user, void *to, size_t size_bytes); /* the next ones, exactly */
  void *user;
};
strew_status npy_read(const struct call *call, const struct npy_source *source, strew_device *device,
                      strew_tensor **out);

/* A tensor as the bytes of a .npy. */
struct npy_image {
  char header[NPY_HEADER_BYTES];
  size_t header_bytes;
  uint64_t size_bytes; /* of all */
  strew_tensor *dense; /* NULL until it is opened; its elements in memory are the image's */
};
/* How many bytes a tensor takes; fails where NumPy has no such dtype, blaming "x". */
strew_status npy_describe(const struct call *call, const strew_tensor *tensor, struct npy_image *out);
strew_status npy_open(const struct call *call, const strew_tensor *tensor, struct npy_image *image);
void npy_close(struct npy_image *image);
strew_status npy_image_read(const struct call *call, const struct npy_image *image, uint64_t at, void *to,
                            size_t size_bytes);

#endif
