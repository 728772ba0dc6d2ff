/* memory.c: host memory, from the context's allocator.

   A new large block costs a page fault per page: writing 40 MB once takes 3.5 ms with them, 1.4 ms without. So freed
   large blocks are kept and reused by size; sizes are rounded up a little, so that they match. strew.h documents how
   much is kept: one bound counts after much was freed, one limits the process's high-water mark.

   Blocks of a huge page and more are mapped. If none of the same size is kept, the huge pages of other kept blocks move
   into the new one (40 MB: 0.08 ms). New pages are needed only where more is in use than in the last seconds.

   Blocks below KEPT_MIN are malloc's, whose free lists are as fast; they are not aligned to cache lines. Those above
   need posix_memalign, which leaves gaps that it does not reuse (a loop of temporaries of 40 KB, freed 26 at a time,
   reached 120 MB) and takes a sixth of the instructions of an addition of two tensors of 1000 elements. Once MOST_KEPT
   blocks are kept, only blocks of LARGE and more replace one. */
#define _GNU_SOURCE /* MADV_HUGEPAGE, mremap */
#include "device.h"

#include <inttypes.h>
#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#ifdef __EMSCRIPTEN__ /* cannot unmap a part of a mapping: all blocks are malloc's, below 2 GiB */
enum { HUGE_PAGE = 0x7fffffff };
#else
enum { HUGE_PAGE = 2 << 20 };
#endif
enum { KEPT_MIN = 1 << 10, LARGE = 16 << 10 };
enum { KEPT_ABOVE = 32 << 20, KEPT_BESIDE = 256 << 20, UNUSED_SECONDS = 5 };

/* ----------------------------------------------------------------------------------------- default allocator */

/* Aligned to huge pages, and uses them except for a partial last one: fewer page faults (first write of 40 MB: 24 ms ->
   4 ms) and fewer TLB misses in random access. */
static APART void *map_block(size_t size_bytes) {
  const size_t most_bytes = size_bytes + HUGE_PAGE;
  if (most_bytes < size_bytes) return NULL;
  char *start = mmap(NULL, most_bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (start == MAP_FAILED) return NULL;
  const size_t before = -(uintptr_t)start % HUGE_PAGE;
  if (before) munmap(start, before);
  munmap(start + before + size_bytes, HUGE_PAGE - before);
#ifdef MADV_HUGEPAGE
  madvise(start + before, size_bytes / HUGE_PAGE * HUGE_PAGE, MADV_HUGEPAGE); /* advice: failure is harmless */
#endif
  return start + before;
}

static APART void *aligned_block(size_t size_bytes, size_t alignment) {
  void *block = NULL;
  return posix_memalign(&block, alignment, size_bytes) ? NULL : block;
}

static void *default_allocate(void *user, size_t size_bytes, size_t alignment) {
  (void)user;
  if (size_bytes >= HUGE_PAGE) return map_block(size_bytes);
  return alignment <= _Alignof(max_align_t) ? malloc(size_bytes) : aligned_block(size_bytes, alignment);
}

static void default_deallocate(void *user, void *block, size_t size_bytes) {
  (void)user;
  if (size_bytes >= HUGE_PAGE)
    munmap(block, size_bytes);
  else
    free(block);
}

const strew_allocator default_allocator = {default_allocate, default_deallocate, NULL};

/* ----------------------------------------------------------------------------------------------- kept blocks */

static void deallocate(strew_context *context, void *block, size_t size_bytes) {
  context->allocator.deallocate(context->allocator.user, block, size_bytes);
  strew_context_discharge(context, size_bytes);
}

/* The size requested from the allocator for a block that may be kept: rounded up by at most a sixteenth. */
static size_t rounded(size_t size_bytes) {
  size_t step = size_bytes < LARGE ? 64 : 1024;
  while (step < size_bytes / 32) step *= 2;
  return size_bytes <= SIZE_MAX - step ? (size_bytes + step - 1) / step * step : size_bytes;
}

/* The most bytes to keep while used_bytes are in use. */
static size_t most_to_keep(const struct kept *kept, size_t used_bytes) {
  const size_t most_used = used_bytes > kept->most_used_bytes ? used_bytes : kept->most_used_bytes;
  const size_t above = most_used - used_bytes + KEPT_ABOVE, beside = KEPT_BESIDE + kept->missed_bytes;
  return above < beside ? above : beside;
}

static void count_taken(strew_context *context, size_t size_bytes) {
  struct kept *kept = &context->kept;
  kept->bytes -= size_bytes;
  if (kept->bytes < kept->least_bytes) kept->least_bytes = kept->bytes;
}

static struct kept_block remove_kept(strew_context *context, int i) {
  struct kept *kept = &context->kept;
  const struct kept_block removed = kept->blocks[i];
  count_taken(context, removed.size_bytes);
  kept->count--;
  memmove(&kept->blocks[i], &kept->blocks[i + 1], (size_t)(kept->count - i) * sizeof removed);
  return removed;
}

/* The number of the oldest block of huge pages, or of the oldest without one; kept->count: there is none. */
static int oldest(const struct kept *kept, bool has_huge_pages) {
  int i = 0;
  while (i < kept->count && (kept->blocks[i].size_bytes >= HUGE_PAGE) != has_huge_pages) i++;
  return i;
}

static void drop(strew_context *context, int i) {
  const struct kept_block dropped = remove_kept(context, i);
  deallocate(context, dropped.block, dropped.size_bytes);
}

/* Frees the oldest kept blocks until at most most_bytes are kept; returns the number of bytes freed. */
static size_t trim(strew_context *context, size_t most_bytes) {
  const size_t before = context->kept.bytes;
  while (context->kept.bytes > most_bytes) drop(context, 0);
  return before - context->kept.bytes;
}

void memory_drop_kept(strew_context *context) { trim(context, 0); }

/* The newest kept block of that size, as the likeliest to be in a cache; NULL if there is none. */
static void *reuse_kept(strew_context *context, size_t size_bytes) {
  for (int i = context->kept.count - 1; i >= 0; i--)
    if (context->kept.blocks[i].size_bytes == size_bytes) return remove_kept(context, i).block;
  return NULL;
}

/* Frees what was not used for some seconds. */
static void trim_unused(strew_context *context) {
  struct kept *kept = &context->kept;
  const int64_t now_ns = context->now_ns();
  if (now_ns - kept->since_ns < UNUSED_SECONDS * (int64_t)1000000000) return;
  const size_t unused = kept->least_bytes, bytes = kept->bytes - unused;
  trim(context, bytes > KEPT_ABOVE ? bytes : KEPT_ABOVE);
  kept->missed_bytes -= unused < kept->missed_bytes ? unused : kept->missed_bytes;
  kept->trimmed_bytes = 0;
  kept->least_bytes = kept->bytes;
  kept->since_ns = now_ns;
}

/* Moves huge pages of kept blocks to the start of a new block: one by one, as mremap may refuse those of two mappings.
   Returns the block, with *moved bytes in it; NULL, and the block is freed: out of memory. */
static char *move_kept(strew_context *context, char *block, size_t size_bytes, size_t *moved) {
  struct kept *kept = &context->kept;
  for (int i; size_bytes - *moved >= HUGE_PAGE && (i = oldest(kept, true)) < kept->count; *moved += HUGE_PAGE) {
    struct kept_block *from = &kept->blocks[i];
    char *to = block + *moved;
    if (mremap(from->block, HUGE_PAGE, HUGE_PAGE, MREMAP_MAYMOVE | MREMAP_FIXED, to) == MAP_FAILED) {
      munmap(block, *moved); /* but not `to`, which may be a gap, or another thread's by now */
      munmap(to + HUGE_PAGE, size_bytes - *moved - HUGE_PAGE);
      strew_context_discharge(context, size_bytes);
      return NULL;
    }
    from->block = (char *)from->block + HUGE_PAGE;
    from->size_bytes -= HUGE_PAGE;
    count_taken(context, HUGE_PAGE);
    size_t freed = HUGE_PAGE;
    if (from->size_bytes < HUGE_PAGE) {
      const struct kept_block rest = remove_kept(context, i);
      munmap(rest.block, rest.size_bytes);
      freed += rest.size_bytes;
    }
    strew_context_discharge(context, freed);
  }
  return block;
}

/* ------------------------------------------------------------------------------------------------- the limit */

static bool is_within(const strew_context *context, size_t size_bytes) {
  size_t limit = context->memory_limit_bytes, charged = context->charged_bytes;
  return !limit || (charged <= limit && size_bytes <= limit - charged);
}

bool strew_context_charge(strew_context *context, size_t size_bytes) {
  context_use(context);
  if (!is_within(context, size_bytes)) {
    memory_drop_kept(context);
    if (context->found.drop_kept) context->found.drop_kept(context);
  }
  if (!is_within(context, size_bytes)) return false;
  context->charged_bytes += size_bytes;
  return true;
}

void strew_context_discharge(strew_context *context, size_t size_bytes) {
  context_use(context);
  context->charged_bytes -= size_bytes;
}

/* ----------------------------------------------------------------------------------------- allocate and free */

static void *allocate(strew_context *context, size_t size_bytes) {
  const strew_allocator *allocator = &context->allocator;
  size_t alignment = size_bytes < KEPT_MIN ? _Alignof(max_align_t) : MEMORY_ALIGNMENT;
  if (!strew_context_charge(context, size_bytes)) return NULL;
  void *block = allocator->allocate(allocator->user, size_bytes, alignment);
  if (!block && context->kept.count) {
    memory_drop_kept(context);
    block = allocator->allocate(allocator->user, size_bytes, alignment);
  }
  if (!block && IS_DEBUG) context_bury(context);
  if (!block) strew_context_discharge(context, size_bytes);
  return block;
}

static void *allocate_new(strew_context *context, size_t size_bytes, size_t used_bytes) {
  struct kept *kept = &context->kept;
  const bool is_mapped = size_bytes >= HUGE_PAGE && context->allocator.allocate == default_allocate;
  size_t moved = 0;
  if (!is_mapped) trim(context, most_to_keep(kept, used_bytes));
  void *block = allocate(context, size_bytes);
  if (block && is_mapped) block = move_kept(context, block, size_bytes, &moved);
  trim(context, most_to_keep(kept, used_bytes));
  const size_t fresh = size_bytes - moved, missed = fresh < kept->trimmed_bytes ? fresh : kept->trimmed_bytes;
  kept->trimmed_bytes -= missed;
  kept->missed_bytes += missed;
  return block;
}

static APART void *allocate_kept(strew_context *context, size_t size_bytes) {
  struct kept *kept = &context->kept;
  size_t used_bytes = kept->used_bytes + size_bytes;
  void *block = reuse_kept(context, size_bytes);
  if (!block) block = allocate_new(context, size_bytes, used_bytes);
  if (!block) return NULL;
  kept->used_bytes = used_bytes;
  if (used_bytes > kept->most_used_bytes) kept->most_used_bytes = used_bytes;
  return block;
}

void *memory_allocate(strew_context *context, uint64_t asked_bytes) {
  const size_t size_bytes = (size_t)asked_bytes;
  context_use(context);
  if (!is_addressable(asked_bytes)) return NULL;
  if (IS_DEBUG) context_claim(context);
  void *block = size_bytes >= KEPT_MIN ? allocate_kept(context, rounded(size_bytes))
                                       : allocate(context, size_bytes ? size_bytes : 1);
  if (IS_DEBUG) context_unclaim(context);
  return block;
}

static APART void free_kept(strew_context *context, void *block, size_t size_bytes) {
  struct kept *kept = &context->kept;
  kept->used_bytes -= size_bytes;
  const size_t most = most_to_keep(kept, kept->used_bytes);
  const bool fits = size_bytes <= most && (kept->count < MOST_KEPT || size_bytes >= LARGE);
  kept->trimmed_bytes += trim(context, fits ? most - size_bytes : most);
  if (!fits) {
    if (size_bytes > most) kept->trimmed_bytes += size_bytes;
    deallocate(context, block, size_bytes);
    return;
  }
  if (kept->count == MOST_KEPT) drop(context, oldest(kept, false) % MOST_KEPT); /* small ones cost less when new */
  kept->blocks[kept->count++] = (struct kept_block){block, size_bytes};
  kept->bytes += size_bytes;
  if (kept->bytes > KEPT_ABOVE) trim_unused(context);
}

void memory_free(strew_context *context, void *block, size_t size_bytes) {
  if (!block) return;
  context_use(context);
  if (IS_DEBUG) context_claim(context);
  if (size_bytes >= KEPT_MIN)
    free_kept(context, block, rounded(size_bytes));
  else
    deallocate(context, block, size_bytes ? size_bytes : 1);
  if (IS_DEBUG) context_unclaim(context);
}

/* ------------------------------------------------------------------------------------ released, of debug builds */

/* The memory no longer counts. */
void context_keep_released(strew_context *context, void *block, size_t size_bytes) {
  struct graveyard *graveyard = &context->graveyard;
  void **place = &graveyard->blocks[graveyard->at];
  graveyard->size_bytes = size_bytes;
  if (*place) context->allocator.deallocate(context->allocator.user, *place, size_bytes);
  *place = block;
  graveyard->at = (graveyard->at + 1) % MOST_RELEASED;
  strew_context_discharge(context, size_bytes);
}

void context_bury(strew_context *context) {
  struct graveyard *graveyard = &context->graveyard;
  for (int i = 0; i < MOST_RELEASED; i++) {
    if (graveyard->blocks[i])
      context->allocator.deallocate(context->allocator.user, graveyard->blocks[i], graveyard->size_bytes);
    graveyard->blocks[i] = NULL;
  }
}

/* The machine's physical memory in bytes; 0: unknown. */
static uint64_t machine_bytes(void) {
  long pages = sysconf(_SC_PHYS_PAGES), page_bytes = sysconf(_SC_PAGESIZE);
  return pages > 0 && page_bytes > 0 ? (uint64_t)pages * (uint64_t)page_bytes : 0;
}

const char *text_of_amount(uint64_t size_bytes, char *text) {
  enum { MOST_IN_BYTES = 9999 };
  static const char *const units[] = {"KiB", "MiB", "GiB"};
  char number[24];
  const int unit = size_bytes >> 30 ? 2 : size_bytes >> 20 ? 1 : 0;
  const double amount = (double)size_bytes / (1 << 10 * (unit + 1));
  const bool is_whole = amount == floor(amount) || amount >= 1000;
  strew_format_float(number, sizeof number, "%.*f", is_whole ? 0 : unit == 2 ? 2 : 1, amount);
  if (size_bytes > MOST_IN_BYTES)
    snprintf(text, AMOUNT_BYTES, "%s %s", number, units[unit]);
  else
    snprintf(text, AMOUNT_BYTES, "%" PRIu64 " bytes", size_bytes);
  return text;
}

strew_status(fail_memory)(const struct call *call, strew_context *context, uint64_t size_bytes) {
  char asked[AMOUNT_BYTES], used[AMOUNT_BYTES], tensors[AMOUNT_BYTES], most[AMOUNT_BYTES];
  text_of_amount(context->charged_bytes, used);
  text_of_amount(context->bytes, tensors);
  text_of_amount(context->memory_limit_bytes ? context->memory_limit_bytes : machine_bytes(), most);
  const char *hint =
      context->memory_limit_bytes
          ? hint_of(call, "%s in use, %s by tensors, limit %s; free tensors or work in smaller chunks", used, tensors,
                    most)
          : hint_of(call, "%s in use by tensors, the machine has %s; free tensors or work in smaller chunks", tensors,
                    most);
  return fail(call, (struct fault){.code = STREW_EMEMORY, .hint = hint}, "out of memory: %s",
              text_of_amount(size_bytes, asked));
}

strew_status check_machine_memory(const struct call *call, const strew_device *device, uint64_t size_bytes,
                                  const char *hint) {
  uint64_t most = machine_bytes();
  bool is_malloc = device->ops->host_memory && device->context->allocator.allocate == default_allocate;
  if (!is_malloc || !most || size_bytes <= most) return STREW_OK;
  char asked[AMOUNT_BYTES], machine[AMOUNT_BYTES];
  return fail(call, (struct fault){.code = STREW_EMEMORY, .hint = hint}, "out of memory: %s, the machine has %s",
              text_of_amount(size_bytes, asked), text_of_amount(most, machine));
}
