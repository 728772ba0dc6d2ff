/* npz.c: NumPy's archives: a member NAME.npy for each tensor. */
#include "archive.h"
#include "file.h"
#include "format.h"
#include "npy.h"
#include "runtime/text_time/table.h"
#include "stream.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

static const char suffix[] = ".npy";
enum { SUFFIX_BYTES = sizeof suffix - 1, MAX_MEMBER_BYTES = 65535 /* bytes of a name in an archive */ };

/* -------------------------------------------------------------------------------------------------------- loading */

struct loading {
  const struct call *call;
  strew_device *device;
  const char *path;
  const strew_load_options *options;
  struct archive *archive;
  strew_table *table;
};

/* Length of a member's name without its suffix; -1: it is no .npy. */
static int64_t stem_of(const struct archive_member *member) {
  size_t length = strlen(member->name);
  bool is_npy = length >= SUFFIX_BYTES && strcmp(member->name + length - SUFFIX_BYTES, suffix) == 0;
  return is_npy ? (int64_t)(length - SUFFIX_BYTES) : -1;
}

/* True if a member is an empty folder. Some programs add folders for names with a slash. */
static bool is_folder(const struct archive_member *member) {
  size_t length = strlen(member->name);
  return length && member->name[length - 1] == '/' && member->size_bytes == 0;
}

static int64_t chosen_count(const struct loading *loading) {
  return loading->options->column_count ? loading->options->column_count : archive_count(loading->archive);
}

/* The k-th member to load: of those that the caller names, or of all. */
static strew_status chosen_at(const struct loading *loading, int64_t k, int64_t *i, struct archive_member *out) {
  const strew_load_options *options = loading->options;
  *i = k;
  return options->column_count
             ? npz_find(loading->call, loading->archive, loading->path, "columns", options->columns[k], i, out)
             : archive_member_at(loading->call, loading->archive, k, out);
}

/* Checks the total size of the members before the first one is read. */
static strew_status check_total_size(const struct loading *loading) {
  uint64_t bytes = 0;
  for (int64_t k = 0, i; k < chosen_count(loading); k++) {
    struct archive_member member;
    RETURN_IF_FAILED(chosen_at(loading, k, &i, &member));
    if (__builtin_add_overflow(bytes, member.size_bytes, &bytes)) bytes = UINT64_MAX;
  }
  progress_resize(loading->device->context, bytes);
  return check_machine_memory(loading->call, loading->device, bytes, NULL);
}

/* Adds a tensor under the member's name without its suffix. */
static strew_status add_member(const struct loading *loading, const struct archive_member *member,
                               strew_tensor *tensor) {
  strew_context *context = loading->device->context;
  size_t length = (size_t)stem_of(member);
  char *name = memory_allocate(context, length + 1), text[TEXT_BYTES];
  if (!name) return fail_memory(loading->call, context, length + 1);
  memcpy(name, member->name, length);
  name[length] = '\0';
  bool is_twice = strew_table_find(loading->table, name);
  strew_status status;
  if (is_twice && loading->options->column_count)
    status = fail(loading->call, FAULT(STREW_EARGUMENT, "columns"), "has \"%s\" twice", text_of_name(name, text));
  else if (is_twice)
    status =
        fail_file(loading->call, loading->path, NULL, "has two members named \"%s\"", text_of_name(member->name, text));
  else
    status = table_add(loading->call, loading->table, name, tensor);
  memory_free(context, name, length + 1);
  return status;
}

static strew_status load_member(const struct loading *loading, int64_t k) {
  static const char hint[] = "{.columns = {...}} reads the members that it names, without .npy";
  const struct call *call = loading->call;
  struct archive_member member;
  int64_t i;
  strew_status status = chosen_at(loading, k, &i, &member);
  if (status != STREW_OK || is_folder(&member)) return status;
  if (stem_of(&member) < 0) return fail_member(call, loading->path, member.name, hint, "is not a .npy file");
  strew_tensor *tensor = NULL;
  struct npy_source source = {loading->path,
                              member.name,
                              member.size_bytes,
                              archive_read,
                              loading->archive,
                              loading->options->column_count ? NULL : hint,
                              0};
  status = archive_open_member(call, loading->archive, i);
  TRY(status, npy_read(call, &source, loading->device, &tensor));
  TRY(status, archive_end_member(call, loading->archive));
  TRY(status, add_member(loading, &member, tensor));
  strew_release(tensor);
  return status;
}

strew_status npz_find(const struct call *call, struct archive *archive, const char *path, const char *argument,
                      const char *name, int64_t *index, struct archive_member *out) {
  enum { SHOWN_BYTES = 200 };
  char text[TEXT_BYTES], known[TEXT_BYTES] = "";
  int64_t count = 0;
  for (int64_t i = 0; i < archive_count(archive); i++) {
    struct archive_member member;
    RETURN_IF_FAILED(archive_member_at(call, archive, i, &member));
    size_t used = strlen(known);
    int64_t length = stem_of(&member);
    if (length < 0) continue;
    count++;
    if (used < SHOWN_BYTES)
      snprintf(known + used, sizeof known - used, "%s\"%.*s\"", used ? ", " : "", (int)(length < 60 ? length : 60),
               member.name);
    if (name && (strlen(name) != (size_t)length || memcmp(member.name, name, (size_t)length) != 0)) continue;
    *index = i;
    *out = member;
    if (name) return STREW_OK;
  }
  if (!name && count == 1) return STREW_OK;
  char shown[TEXT_BYTES];
  return fail(call, FAULT(STREW_EARGUMENT, argument),
              name ? "is \"%s\", expected one of %s" : "is missing: \"%s\" has the members %s",
              text_of_name(name ? name : path, text), text_of_name(known, shown));
}

strew_status npz_load(const struct call *call, strew_device *device, struct file *file,
                      const strew_load_options *options, strew_table **out) {
  struct loading loading = {.call = call, .device = device, .path = file->path, .options = options};
  RETURN_IF_FAILED(archive_open(call, device->context, file, &loading.archive));
  strew_status status = check_total_size(&loading);
  TRY(status, table_create(call, device->context, &loading.table));
  for (int64_t k = 0; status == STREW_OK && k < chosen_count(&loading); k++) status = load_member(&loading, k);
  archive_close(loading.archive);
  if (status != STREW_OK) return strew_table_release(loading.table), status;
  *out = loading.table;
  return STREW_OK;
}

/* --------------------------------------------------------------------------------------------------------- saving */

static strew_status add_tensor(const struct call *call, struct archive *archive, const char *name,
                               const strew_tensor *tensor, bool is_deflated) {
  strew_context *context = tensor_context(tensor);
  size_t length = strlen(name);
  struct npy_image image;
  char text[TEXT_BYTES];
  char label[TEXT_BYTES + 8];
  snprintf(label, sizeof label, "x[\"%s\"]", text_of_name(name, text));
  struct call named = *call; /* its messages name this tensor */
  named.operands[0].name = label;
  named.operands[0].tensor = tensor;
  RETURN_IF_FAILED(npy_describe(&named, tensor, &image));
  if (length > MAX_MEMBER_BYTES - SUFFIX_BYTES)
    return fail(call, FAULT(STREW_EVALUE, "x"), "has a name of %zu bytes, \"%s\", expected at most %d", length,
                text_of_name(name, text), MAX_MEMBER_BYTES - SUFFIX_BYTES);
  ALLOCATE_NEW(char *, member, call, context, length + sizeof suffix);
  memcpy(member, name, length);
  memcpy(member + length, suffix, sizeof suffix);
  strew_status status = archive_add(archive, member, tensor, image.size_bytes, is_deflated);
  memory_free(context, member, length + sizeof suffix);
  return status;
}

strew_status npz_save(const struct call *call, const strew_table *table, const char *path,
                      const strew_save_options *options) {
  struct archive *archive;
  strew_status status = archive_create(call, table_context(table), path, &archive);
  if (status != STREW_OK) return status;
  for (int64_t i = 0; status == STREW_OK && i < strew_table_count(table); i++)
    status = add_tensor(call, archive, strew_table_name(table, i), strew_table_tensor(table, i), options->compress);
  return archive_end(archive, status);
}
