/* program.c: kernels from kernel files. A program is a file with the macros that specialise it in front. It is compiled
   at first use and kept until the device is closed. Its binary is stored on disk (cache.c). */
#include "opencl.h"
#include "runtime/core/base/embedded.h"

#include <stdio.h>
#include <string.h>

enum { LONGEST_OPTIONS = 128 };

struct program {
  struct program *next;
  cl_program program;
  bool from_disk; /* loaded from a binary on disk */
  bool is_used;   /* has kernels */
  char key[];     /* of program_kernel */
};

struct kernel {
  struct kernel *next; /* in its hash slot */
  cl_kernel kernel;
  size_t recipe_bytes;
  char recipe[];
};

/* ----------------------------------------------------------------------------------------------------- kernel files */

/* zlib's function. (A build may lack its header.) */
static struct {
  int (*uncompress)(unsigned char *to, unsigned long *to_bytes, const unsigned char *from, unsigned long from_bytes);
} zlib;

/* Inflates the texts of all kernel files. */
static strew_status read_texts(const struct call *call, strew_device *device) {
  static const char *const names[] = {"libz.so.1", NULL}, *const symbols[] = {"uncompress", NULL};
  static struct library library = {.names = names, .symbols = symbols, .table = &zlib};
  unsigned long bytes = kernel_bytes;
  if (library_find(&library) != LIBRARY_FOUND)
    return fail(call, HINTED(STREW_EDEVICE, "device", "on Debian: apt install zlib1g"),
                "%s (%s) needs the library zlib, which is not installed", device->name,
                strew_device_description(device));
  ALLOCATE_NEW(char *, texts, call, device->context, bytes);
  if (!zlib.uncompress((unsigned char *)texts, &bytes, kernel_pack, kernel_pack_bytes))
    return opencl_of(device)->texts = texts, STREW_OK;
  memory_free(device->context, texts, kernel_bytes); /* (nothing but memory can be missing) */
  return fail_memory(call, device->context, kernel_bytes);
}

/* ------------------------------------------------------------------------------------------------------ source text */

/* Growing text; `failed` once out of memory. */
struct source_text {
  strew_context *context;
  const char *files; /* of all kernel files */
  char *bytes;
  size_t length, capacity;
  bool failed;
};

static void text_add(struct source_text *text, const char *bytes, size_t length) {
  if (text->failed) return;
  if (text->length + length + 1 > text->capacity) {
    size_t capacity = 2 * (text->length + length + 1);
    char *more = memory_allocate(text->context, capacity);
    if (!more) {
      text->failed = true;
      return;
    }
    if (text->length) memcpy(more, text->bytes, text->length);
    memory_free(text->context, text->bytes, text->capacity);
    text->bytes = more;
    text->capacity = capacity;
  }
  memcpy(text->bytes + text->length, bytes, length);
  text->length += length;
  text->bytes[text->length] = 0;
}

static void text_add_word(struct source_text *text, const char *word) { text_add(text, word, strlen(word)); }

static const struct packed_file *file_named(const char *name, size_t length) {
  for (int i = 0; i < kernel_file_count; i++)
    if (strlen(kernel_files[i].name) == length && !memcmp(kernel_files[i].name, name, length)) return &kernel_files[i];
  return NULL;
}

/* A #line, so that compiler messages name the kernel file. That of its first line tells that a file is in the text. */
static const char *line_mark(int line, const char *file, char mark[96]) {
  snprintf(mark, 96, "#line %d \"%s\"\n", line, file);
  return mark;
}

/* Adds a file's text. Each `#include "other"` is replaced by the other file: an .inc always, a header the first
   time. */
static void add_file(struct source_text *text, const struct packed_file *file) {
  static const char include[] = "#include \"";
  char mark[96];
  int line = 1;
  text_add_word(text, line_mark(line, file->name, mark));
  for (const char *at = text->files + file->at, *end; *at; at = end, line++) {
    end = strchr(at, '\n');
    end = end ? end + 1 : at + strlen(at);
    const char *name = at + sizeof include - 1;
    const struct packed_file *other = NULL;
    if (!strncmp(at, include, sizeof include - 1)) {
      for (const char *slash = name; slash < end; slash++)
        if (*slash == '/') name = slash + 1;
      other = file_named(name, strcspn(name, "\""));
    }
    if (!other) {
      text_add(text, at, (size_t)(end - at));
      continue;
    }
    if (!strcmp(strrchr(other->name, '.'), ".inc") || !text->bytes ||
        !strstr(text->bytes, line_mark(1, other->name, mark)))
      add_file(text, other);
    text_add_word(text, line_mark(line + 1, file->name, mark));
  }
}

/* Adds "NAME=value NAME=value" as #define lines. */
static void add_settings(struct source_text *text, const char *settings) {
  while (*settings) {
    size_t length = strcspn(settings, " "), name = strcspn(settings, "= ");
    text_add_word(text, "#define ");
    text_add(text, settings, name);
    text_add_word(text, " ");
    if (name < length) text_add(text, settings + name + 1, length - name - 1);
    text_add_word(text, "\n");
    settings += length + strspn(settings + length, " ");
  }
}

/* -------------------------------------------------------------------------------------------------------- compiling */

/* The compiler options of the program with this key. */
static void options_of(const struct opencl *on, const char *key, char *options, size_t size) {
  static const char sort[] = "sort.cl\n";
  const bool is_plain = on->plain_sorts && !strncmp(key, sort, sizeof sort - 1);
  snprintf(options, size, "%s%s", on->options, is_plain ? " -cl-opt-disable" : "");
}

static cl_int build(struct opencl *on, cl_program program, const char *key) {
  char options[LONGEST_OPTIONS];
  options_of(on, key, options, sizeof options);
  return cl.clBuildProgram(program, 1, &on->device, options, NULL, NULL);
}

/* Fails with the compiler's log, truncated to what a message holds. */
static strew_status fail_build(const struct call *call, strew_device *device, cl_program program, const char *key,
                               cl_int error) {
  struct opencl *on = opencl_of(device);
  char log[1200] = "";
  size_t size = 0;
  cl.clGetProgramBuildInfo(program, on->device, CL_PROGRAM_BUILD_LOG, 0, NULL, &size);
  char *whole = size ? memory_allocate(device->context, size + 1) : NULL;
  if (whole && cl.clGetProgramBuildInfo(program, on->device, CL_PROGRAM_BUILD_LOG, size, whole, NULL) == CL_SUCCESS) {
    whole[size] = 0;
    snprintf(log, sizeof log, "%s", whole);
  }
  memory_free(device->context, whole, size + 1);
  return fail(call,
              (struct fault){.code = STREW_EDEVICE,
                             .argument = "device",
                             .hint = "the CPU still works: device = \"cpu\"",
                             .has_lines = true},
              "%s (%s) cannot build %.*s: clBuildProgram returned %s (%d); compiler log:\n%s", device->name,
              strew_device_description(device), (int)strcspn(key, "\n"), key, opencl_error_name(error), error, log);
}

static cl_program from_binary(strew_device *device, const char *key, const char *source) {
  struct opencl *on = opencl_of(device);
  size_t size_bytes;
  unsigned char *binary = cache_find(device->context, source, &size_bytes);
  if (!binary) return NULL;
  cl_int error = CL_SUCCESS;
  cl_program program = cl.clCreateProgramWithBinary(on->context, 1, &on->device, &size_bytes,
                                                    (const unsigned char **)&binary, NULL, &error);
  memory_free(device->context, binary, size_bytes);
  if (program && error == CL_SUCCESS && build(on, program, key) == CL_SUCCESS) return program;
  if (program) cl.clReleaseProgram(program);
  return NULL;
}

/* Reads the binary only if it can be stored: to return it, PoCL compiles each kernel again. */
static void store_binary(strew_device *device, cl_program program, const char *source) {
  size_t size_bytes = 0;
  if (!cache_is_usable()) return;
  if (cl.clGetProgramInfo(program, CL_PROGRAM_BINARY_SIZES, sizeof size_bytes, &size_bytes, NULL) != CL_SUCCESS) return;
  unsigned char *binary = size_bytes ? memory_allocate(device->context, size_bytes) : NULL;
  if (!binary) return;
  if (cl.clGetProgramInfo(program, CL_PROGRAM_BINARIES, sizeof binary, &binary, NULL) == CL_SUCCESS)
    cache_store(source, binary, size_bytes);
  memory_free(device->context, binary, size_bytes);
}

/* Compiles, if need be twice: processes that compile the same program at once may fail in the driver's own cache (PoCL
   3.1, once in some hundred runs). */
static strew_status from_source(const struct call *call, strew_device *device, const char *key, const char *source,
                                cl_program *out) {
  struct opencl *on = opencl_of(device);
  cl_int error = CL_SUCCESS;
  cl_program program = cl.clCreateProgramWithSource(on->context, 1, &source, NULL, &error);
  if (!program) return opencl_fail(call, device, "clCreateProgramWithSource", error);
  error = build(on, program, key);
  if (error == CL_BUILD_PROGRAM_FAILURE) error = build(on, program, key);
  if (error == CL_SUCCESS) return *out = program, STREW_OK;
  strew_status status = error == CL_BUILD_PROGRAM_FAILURE ? fail_build(call, device, program, key, error)
                                                          : opencl_fail(call, device, "clBuildProgram", error);
  cl.clReleaseProgram(program);
  return status;
}

/* Loads the binary from disk if *from_disk allows it and there is one; else compiles the source and stores the binary.
   *from_disk returns which. Some drivers compile once more to return a binary. */
static strew_status make_program(const struct call *call, strew_device *device, const char *key, const char *source,
                                 bool *from_disk, cl_program *out) {
  sigset_t before;
  opencl_block_signals(&before);
  *out = *from_disk ? from_binary(device, key, source) : NULL;
  *from_disk = *out != NULL;
  strew_status status = STREW_OK;
  if (!*out) {
    strew_context_progress(device->context, "compiling kernels", -1);
    status = from_source(call, device, key, source, out);
    if (status == STREW_OK) store_binary(device, *out, source);
    strew_context_progress(device->context, NULL, 0);
  }
  opencl_restore_signals(&before);
  return status;
}

/* The key on disk is the program's text, with all that determines the binary in front: device, driver and options as a
   comment, then macros and source. For *from_disk see make_program. */
static strew_status build_program(const struct call *call, strew_device *device, const char *key, bool *from_disk,
                                  cl_program *out) {
  struct opencl *on = opencl_of(device);
  struct source_text text = {.context = device->context};
  char options[LONGEST_OPTIONS];
  const size_t name = strcspn(key, "\n");
  const struct packed_file *found = file_named(key, name);
  if (!found) return fail(call, (struct fault){.code = STREW_EDEVICE}, "no such kernel file: %.*s", (int)name, key);
  if (!on->texts) RETURN_IF_FAILED(read_texts(call, device));
  options_of(on, key, options, sizeof options);
  const char *const front[] = {"// ",      strew_device_description(device), " | ", on->driver, " | ", options, "\n",
                               on->prelude};
  for (size_t i = 0; i < sizeof front / sizeof *front; i++) text_add_word(&text, front[i]);
  add_settings(&text, key + name + 1);
  text.files = on->texts;
  add_file(&text, found);
  *out = NULL;
  strew_status status = text.failed ? fail_memory(call, device->context, text.capacity)
                                    : make_program(call, device, key, text.bytes, from_disk, out);
  memory_free(device->context, text.bytes, text.capacity);
  return status;
}

/* ----------------------------------------------------------------------------------------------- programs in memory */

static size_t size_of_program(const char *key) { return sizeof(struct program) + strlen(key) + 1; }

static strew_status program_find(const struct call *call, strew_device *device, const char *key, struct program **out) {
  struct opencl *on = opencl_of(device);
  for (*out = on->programs; *out; *out = (*out)->next)
    if (!strcmp((*out)->key, key)) return STREW_OK;
  strew_status status = context_check(call, device->context); /* a compiler cannot be stopped */
  if (status != STREW_OK) return status;
  ALLOCATE_NEW(struct program *, made, call, device->context, size_of_program(key));
  made->is_used = false;
  made->from_disk = true;
  strcpy(made->key, key);
  status = build_program(call, device, key, &made->from_disk, &made->program);
  if (status != STREW_OK) return memory_free(device->context, made, size_of_program(key)), status;
  made->next = on->programs;
  on->programs = *out = made;
  return STREW_OK;
}

/* Creates the kernel. A binary from disk may load without containing it: then the source is compiled after all. */
static strew_status kernel_make(const struct call *call, strew_device *device, const char *name,
                                struct program *program, cl_kernel *out) {
  cl_int error = CL_SUCCESS;
  *out = cl.clCreateKernel(program->program, name, &error);
  if (!*out && program->from_disk && !program->is_used && !opencl_of(device)->lost) {
    cl_program fresh;
    program->from_disk = false;
    RETURN_IF_FAILED(build_program(call, device, program->key, &program->from_disk, &fresh));
    cl.clReleaseProgram(program->program);
    program->program = fresh;
    *out = cl.clCreateKernel(program->program, name, &error);
  }
  return *out ? STREW_OK : opencl_fail(call, device, "clCreateKernel", error);
}

static size_t size_of_kernel(const struct recipe *recipe) { return sizeof(struct kernel) + recipe->size_bytes; }

static struct kernel **slot_of(struct opencl *on, const struct recipe *recipe) {
  uint64_t hash = 0, word;
  for (size_t at = 0; at < recipe->size_bytes; at += sizeof word) {
    memcpy(&word, recipe->bytes + at, sizeof word);
    hash = (hash ^ word) * 0x9e3779b97f4a7c15u;
    hash ^= hash >> 32;
  }
  return &on->kernels[hash % KERNEL_SLOTS];
}

cl_kernel kernel_find(strew_device *device, const struct recipe *recipe) {
  for (struct kernel *kernel = *slot_of(opencl_of(device), recipe); kernel; kernel = kernel->next)
    if (kernel->recipe_bytes == recipe->size_bytes && !memcmp(kernel->recipe, recipe->bytes, recipe->size_bytes))
      return kernel->kernel;
  return NULL;
}

strew_status program_kernel(const struct call *call, strew_device *device, const char *key, const char *name,
                            const struct recipe *recipe, cl_kernel *out) {
  struct program *program;
  struct kernel **slot = slot_of(opencl_of(device), recipe);
  RETURN_IF_FAILED(program_find(call, device, key, &program));
  ALLOCATE_NEW(struct kernel *, made, call, device->context, size_of_kernel(recipe));
  strew_status status = kernel_make(call, device, name, program, &made->kernel);
  if (status != STREW_OK) return memory_free(device->context, made, size_of_kernel(recipe)), status;
  program->is_used = true;
  made->recipe_bytes = recipe->size_bytes;
  memcpy(made->recipe, recipe->bytes, recipe->size_bytes);
  made->next = *slot;
  *slot = made;
  *out = made->kernel;
  return STREW_OK;
}

void program_release_all(strew_device *device) {
  struct opencl *on = opencl_of(device);
  for (int slot = 0; slot < KERNEL_SLOTS; slot++)
    for (struct kernel *kernel; (kernel = on->kernels[slot]);) {
      on->kernels[slot] = kernel->next;
      cl.clReleaseKernel(kernel->kernel);
      memory_free(device->context, kernel, sizeof *kernel + kernel->recipe_bytes);
    }
  for (struct program *program; (program = on->programs);) {
    on->programs = program->next;
    cl.clReleaseProgram(program->program);
    memory_free(device->context, program, size_of_program(program->key));
  }
  memory_free(device->context, on->texts, kernel_bytes);
  on->texts = NULL;
}
