/* tensor.h: tensors (tensor.c), their copies (copy.c), and tests for shared elements (overlap.c). */
#ifndef STREW_TENSOR_H
#define STREW_TENSOR_H

#include "context.h"
#include "dtype.h"

/* A new tensor, contiguous and uninitialised. Fails for an invalid shape, or a dtype that the device lacks. */
strew_status tensor_create(const struct call *call, strew_device *device, strew_dtype dtype, int rank,
                           const int64_t *sizes, strew_tensor **out);
/* A new view of base's storage, which is retained. The shape is not checked. */
strew_status tensor_view(const struct call *call, const strew_tensor *base, int rank, const int64_t *sizes,
                         const int64_t *strides, int64_t offset, strew_tensor **out);
/* A new tensor over memory of the host, in which it must fit; `memory` has its address, size and release, and tells if it
   is constant. See strew_wrap. */
strew_status tensor_wrap(const struct call *call, strew_device *device, strew_dtype dtype, int rank,
                         const int64_t *sizes, const int64_t *strides, const struct storage *memory,
                         strew_tensor **out);
/* Elements from the first to the last one of a view with strides of 0 or more; -1: more than can be counted. */
int64_t reach_of_view(int rank, const int64_t *sizes, const int64_t *strides);
/* Releases the tensor that a call has made and failed to fill; returns the call's status. */
strew_status release_if_failed(strew_status status, strew_tensor **out);
/* Reads `count` elements in memory order, from element `offset` of the storage on. */
strew_status tensor_read(const struct call *call, const strew_tensor *tensor, int64_t offset, void *to, int64_t count);
/* The product of sizes; INT64_MAX if it overflows. */
int64_t count_of_sizes(int rank, const int64_t *sizes);
void dense_strides(int rank, const int64_t *sizes, int64_t *strides);
/* Converts *dim to 0..rank-1 (-1 is the last; rank 0 counts as 1), or fails. */
strew_status check_dim(const struct call *call, int rank, int *dim);
strew_status check_named_dim(const struct call *call, const char *name, int rank, int *dim);
/* Reads an entry of a list of dimensions, the argument `name`; fails if it is out of range. */
strew_status read_dim(const struct call *call, const char *name, int rank, int64_t given, int *dim);
/* Marks those listed; all without a list. Fails for one that is out of range, or listed twice. */
strew_status mark_dims(const struct call *call, const char *name, int rank, int count, const int64_t *dims,
                       bool *marked);
/* Fails for position `at`, out of range for dimension dim; `position`: all `rank` coordinates, or NULL. */
strew_status fail_position(const struct call *call, int dim, int64_t size, int rank, const int64_t *position,
                           int64_t at);
/* Fails unless rank and sizes are valid and the elements can be addressed. */
strew_status check_sizes(const struct call *call, strew_dtype dtype, int rank, const int64_t *sizes);
/* Fails if the device lacks the dtype. hint: NULL, or what replaces "float32, or device = "cpu"". */
strew_status check_dtype_of_device(const struct call *call, const strew_device *device, strew_dtype dtype,
                                   const char *hint);
/* Fails with "'ARGUMENT' FACT another context, ..." and a hint. */
strew_status fail_context(const struct call *call, const char *argument, const char *fact) __attribute__((cold));
#define fail_context(...) failed(fail_context(__VA_ARGS__))
/* Fails unless all operands of the call are on one device. */
strew_status check_devices(const struct call *call);
/* Fails unless the tensor, called `name`, is of a float dtype. */
strew_status check_float(const struct call *call, const char *name, const strew_tensor *tensor);
/* Fails unless both dtypes, of arguments `name` and `other`, are equal; the hint converts to the promoted one, integers
   of 32 and 64 bits to float64 alone. */
strew_status check_equal_dtypes(const struct call *call, const char *name, strew_dtype dtype, const char *other,
                                strew_dtype expected);
/* The same of `name`, which is stored in self; the hint converts integers to self's dtype, if that is a float one. */
strew_status check_stored_dtype(const struct call *call, const char *name, strew_dtype dtype, strew_dtype self);
/* Replaces a 0-d tensor of another dtype, a value that is stored as `dtype`, by its number. */
strew_status operand_settle(const struct call *call, const char *name, strew_dtype dtype, strew_operand *value);
static inline bool is_string(strew_operand x) { return !x.tensor && x.number.dtype == STREW_STRING; }
static inline bool is_text(strew_operand x) { return x.tensor && x.tensor->dtype == STREW_TEXT; }
/* The offset of the element at a position; negative coordinates count from the end. */
strew_status tensor_locate(const struct call *call, const strew_tensor *tensor, int rank, const int64_t *position,
                           int64_t *offset);
/* Before CALL, of the call `op`: declares `word`, NULL, which ends with the block. If the operand, `x`, is a string that is to
   be text beside a tensor, it becomes that word, without dimensions; so texts meet in one list. */
#define TAKE_WORD(word, op, err, is_text, beside, x)                                                                   \
  strew_tensor *word __attribute__((cleanup(word_release))) = NULL;                                                    \
  if (is_string(x) && (is_text)) RETURN_IF_FAILED(operand_word(op, err, beside, &(x), &word))
strew_status operand_word(const char *op, strew_error *error, const strew_tensor *beside, strew_operand *x,
                          strew_tensor **word);
void word_release(strew_tensor **word);
/* Fails if the tensor, called `name`, belongs to a grouping or is read-only. */
strew_status check_writable(const struct call *call, const strew_tensor *self, const char *name);
/* Creates *out, uninitialised, if it is NULL (*made: true); else checks its dtype, sizes and device. */
strew_status out_prepare(const struct call *call, strew_device *device, strew_dtype dtype, int rank,
                         const int64_t *sizes, strew_tensor **out, bool *made);

/* ---------------------------------------------------------------------------------------------------------- copy.c */

/* Copies from into `to`: broadcast, converted by STREW_SATURATE. Both are on one device. */
strew_status copy_tensor(const struct call *call, strew_tensor *to, const strew_tensor *from);
/* Copies operand `name`, which broadcasts, to the tensor, after all checks; self is the tensor that it belongs to. */
strew_status copy_operand(const struct call *call, strew_tensor *tensor, const strew_tensor *src, const char *name);
/* Sets all elements to value, which has the tensor's dtype. */
strew_status fill_tensor(const struct call *call, strew_tensor *to, union element value);
/* The tensor itself if it is on the device; else a dense copy there, through host memory. */
strew_status transfer(const struct call *call, const strew_tensor *from, strew_device *device, strew_tensor **out);
/* The same with another dtype of numbers: converted on the target device, unless it lacks the source dtype. */
strew_status transfer_as(const struct call *call, const strew_tensor *from, strew_device *device, strew_dtype dtype,
                         strew_tensor **out);
/* A new dense tensor of equal elements. */
strew_status tensor_full(const struct call *call, strew_device *device, strew_dtype dtype, int rank,
                         const int64_t *sizes, union element value, strew_tensor **out);
/* A new dense tensor: `from`, converted to dtype, on its device. */
strew_status copy_as(const struct call *call, const strew_tensor *from, strew_dtype dtype, strew_tensor **out);
/* Fails unless tensors[i], of the argument `name`, is on the device of tensors[first]. */
strew_status check_listed_device(const struct call *call, const char *name, strew_tensor *const *tensors, int64_t i,
                                 int64_t first);

/* ------------------------------------------------------------------------------------------------------- overlap.c */

/* True if two coordinates of one tensor, or two tensors, may share an element. Exact if a bounded search ends; else
   true if their spans of memory overlap. */
bool tensor_overlaps_itself(const strew_tensor *tensor);
bool tensors_overlap(const strew_tensor *a, const strew_tensor *b);
bool tensors_are_same_view(const strew_tensor *a, const strew_tensor *b);
/* Before `self` is written in place: fails if it overlaps itself or may not be written (operand NULL, `name` is
   self's), or overlaps operand `name`. same_is_fine: an identical view passes (elementwise calls read an element before
   they write it). */
strew_status check_overlap(const struct call *call, const strew_tensor *self, const char *name,
                           const strew_tensor *operand, bool same_is_fine);
/* Before the given result `name` is written: fails if it may not be, or overlaps itself or another operand of the
   call. */
strew_status check_result(const struct call *call, const char *name, const strew_tensor *out);

/* The address of element i of a dense tensor; NULL if it has none. */
static inline void *dense_at(const strew_tensor *tensor, int64_t i) {
  char *data = tensor->storage->data;
  return data ? data + (tensor->offset + i) * (int64_t)dtype_bytes(tensor->dtype) : NULL;
}

/* ------------------------------------------------------------------------------------------------------- text_time/ */

/* A table of another room, whose address is NULL in a build of some rooms (PARTS=) without it. */
#ifdef STREW_PARTS
#define TABLE_OF_ROOM __attribute__((weak, visibility("hidden")))
#define HAS_TEXT      (&text_ops != NULL)
#else
#define TABLE_OF_ROOM
#define HAS_TEXT true
#endif

/* Integers in the order of elements that are no numbers, which loops compare in their place. Of words their numbers in the
   order of bytes; of times their microseconds, in which NaT is the least. */
enum order_key {
  KEY_EQUAL,  /* of words their codes: equal ones are equal */
  KEY_LEAST,  /* NaT first: it wins in a minimum */
  KEY_SORTED, /* NaT last: microseconds - 1, which wrap */
  KEY_MISSING /* no order: NaT, and of words the empty one, is 0 */
};

/* What calls need of texts and times. Without them no storage has words. */
struct text_ops {
  /* A new tensor, maybe a view of x: the keys of an operand of the call. */
  strew_status (*key)(const struct call *call, const strew_tensor *x, enum order_key kind, strew_tensor **out);
  /* Makes of keys, which have their storage for themselves, the elements of dtype text or time; not of KEY_EQUAL. */
  strew_status (*from_key)(const struct call *call, strew_tensor *keys, strew_dtype dtype, enum order_key kind);
  /* Fails unless an operand, called `name`, is of that dtype, text or time; makes a string beside times a time. */
  strew_status (*comparable)(const struct call *call, const char *name, strew_dtype dtype, strew_operand *x);
  /* The code of a word in the call's list, -1: none; ordered: how many words are below it. */
  strew_status (*find_word)(const struct call *call, const char *word, bool ordered, int64_t *code, int64_t *below);
  /* Gives the texts of a call one list. */
  strew_status (*meet)(struct call *call);
  /* The same texts with codes of one list, though theirs may end sooner. The caller releases them and the list. */
  strew_status (*align)(const struct call *call, int64_t count, strew_tensor *const *texts, strew_tensor **out,
                        struct word_list **list);
  void (*release)(struct word_list *list); /* NULL is fine */
  int64_t (*count)(const struct word_list *list);
  /* The list in a context: itself, retained, or a copy. */
  strew_status (*in)(const struct call *call, strew_context *context, struct word_list *list, struct word_list **out);
  /* True if all words of `part` have the same codes in what the call writes. */
  bool (*begins)(const struct call *call, const struct word_list *part);
  /* Replaces the words of a storage by these, which it retains. */
  void (*set)(struct storage *storage, struct word_list *list);
  /* Makes a text of an int32 tensor that has its storage for itself, and codes of the list. */
  void (*mark)(strew_tensor *codes, struct word_list *list);
  /* A new text of the same word. */
  strew_status (*full)(const struct call *call, strew_device *device, const char *word, int rank, const int64_t *sizes,
                       strew_tensor **out);
  /* A new tensor: text of other elements, or the reverse. */
  strew_status (*convert)(const struct call *call, const strew_tensor *from, strew_device *device, strew_dtype dtype,
                          strew_tensor **out);
  const char *(*show_time)(int64_t time, char *text); /* text_of_time */
};
extern const struct text_ops text_ops TABLE_OF_ROOM;

#endif
