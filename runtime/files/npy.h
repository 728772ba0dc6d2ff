/* npy.h: NumPy's format for one tensor, as a file or as a member of an archive. */
#ifndef NPY_H
#define NPY_H

#include "runtime/core/base/device.h"

struct file;

/* ------------------------------------------------------------------------------------------------ npy_header.c */

/* A file begins with a magic string, its version and the length of the header: a Python dictionary as text. */
enum { NPY_PREFIX_BYTES = 12, NPY_HEADER_LIMIT = 1 << 16, NPY_HEADER_BYTES = 512 /* maximum of a written one */ };

struct npy_header {
  strew_dtype dtype;
  const char *file_dtype; /* NumPy's name of the elements in the file, "uint16" */
  size_t file_bytes;      /* of an element in the file; the dtype may be wider */
  size_t text_unit;       /* of texts, the bytes of a character: 4, or 1; else 0 */
  int64_t unit;    /* of times, in microseconds; below 0: of which a microsecond has as many; 0, 1: as they are */
  bool is_swapped; /* the byte order is not this machine's */
  bool is_fortran; /* column-major: the first dimension has unit stride */
  int rank;
  int64_t sizes[MAX_RANK];
};

/* Why a header is refused: the end of a sentence that begins with "which", and a hint or NULL. */
struct npy_refusal {
  char fact[256];
  const char *hint;
};

/* Finds the begin and length of the header, from the first NPY_PREFIX_BYTES. False: *refusal says why. */
bool npy_parse_prefix(const unsigned char *prefix, size_t *begin, size_t *length, struct npy_refusal *refusal);
bool npy_parse_header(const char *text, size_t length, struct npy_header *out, struct npy_refusal *refusal);
/* Writes magic string, version and header; returns the number of bytes, at most NPY_HEADER_BYTES. */
size_t npy_write_header(const struct npy_header *header, char *to);
/* True if NumPy has this dtype. */
bool npy_has_dtype(strew_dtype dtype);

/* ------------------------------------------------------------------------------------------------------- npy.c */

/* Source of the bytes of a .npy, read in order. */
struct npy_source {
  const char *path, *member; /* member: NULL, or its name in the archive `path` */
  uint64_t size_bytes;       /* total */
  strew_status (*read)(const struct call *call, void *user, void *to, size_t size_bytes); /* the next ones, exactly */
  void *user;
  const char *hint; /* about a dtype that strew does not have, instead of NumPy's way; NULL: none */
  int64_t done;     /* elements that were read before */
};
/* That function for a regular or held file; user: the place of the next byte. */
struct npy_position {
  const struct file *file;
  uint64_t at;
};
strew_status npy_read_next(const struct call *call, void *user, void *to, size_t size_bytes);
#define NPY_UNKNOWN_BYTES UINT64_MAX /* size_bytes of a source that is read in order, to its end */
/* Creates the tensor that a header describes, of these sizes in memory. */
strew_status npy_create(const struct call *call, strew_device *device, const struct npy_header *header,
                        const int64_t *sizes, strew_tensor **out);
strew_status npy_read(const struct call *call, const struct npy_source *source, strew_device *device,
                      strew_tensor **out);
/* Its steps: the header, whose tensor the source can hold, if its size is known; the next elements, as many as take
   size_bytes in the file, to a new tensor of the dtype as which they are stored, which becomes one of the header's. */
strew_status npy_read_header(const struct call *call, const struct npy_source *source, strew_context *context,
                             struct npy_header *header, uint64_t *data_at, uint64_t *data_bytes);
strew_status npy_read_elements(const struct call *call, const struct npy_source *source,
                               const struct npy_header *header, strew_tensor *to, size_t size_bytes);

/* Reverses the bytes of each element. */
void swap_bytes(unsigned char *bytes, size_t size_bytes, size_t element_bytes);

/* The bytes of a tensor as a .npy. */
struct npy_image {
  char header[NPY_HEADER_BYTES];
  size_t header_bytes;
  uint64_t size_bytes; /* total */
  size_t text_bytes;   /* of an element of text in the file */
  strew_tensor *dense; /* NULL until npy_open; its memory holds the image's elements */
};
/* Fills in the header and sizes; fails, naming "x", if NumPy lacks the dtype. */
strew_status npy_describe(const struct call *call, const strew_tensor *tensor, struct npy_image *out);
strew_status npy_open(const struct call *call, const strew_tensor *tensor, struct npy_image *image);
void npy_close(struct npy_image *image);
strew_status npy_image_read(const struct call *call, const struct npy_image *image, uint64_t at, void *to,
                            size_t size_bytes);

/* -------------------------------------------------------------------------------------------------- npy_text.c */

/* npy_read_elements of texts. */
strew_status npy_read_texts(const struct call *call, const struct npy_source *source, const struct npy_header *header,
                            strew_tensor *to, size_t size_bytes);
/* The bytes of an element that holds each word as NumPy's <U; fails, naming "x", for a word that is not UTF-8. */
strew_status npy_text_bytes(const struct call *call, const strew_tensor *text, size_t *element_bytes);
/* A tensor on the CPU of the characters, filled up with zeros. */
strew_status npy_text_characters(const struct call *call, const strew_tensor *text, size_t element_bytes,
                                 strew_tensor **out);

#endif
