/* strew_histogram.c: histograms of a tensor: counted on its device by a scatter, chunk by chunk, to need little memory;
   drawn as bars. */
#include "strew_show.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

enum { CHUNK = 1 << 18 };

/* --------------------------------------------------------------------------------------------------------- counting */

/* Calls `visit` with all elements, as one-dimensional chunks of the histogram's dtype. */
static strew_status each_piece(const struct histogram *histogram,
                               strew_status (*visit)(strew_tensor *chunk, void *user, strew_error *error), void *user,
                               strew_error *error) {
  strew_tensor *flat = NULL, *part = NULL, *chunk = NULL;
  strew_device *device = strew_tensor_device(histogram->tensor);
  int64_t count = strew_tensor_numel(histogram->tensor);
  strew_status status = strew_reshape(histogram->tensor, 1, (int64_t[]){-1}, &flat, error);
  for (int64_t start = 0; start < count && status == STREW_OK; start += CHUNK) {
    status = strew_narrow(flat, 0, start, count - start < CHUNK ? count - start : CHUNK, &part, error);
    if (status == STREW_OK) status = strew_to(part, device, histogram->dtype, &chunk, error);
    if (status == STREW_OK) status = visit(chunk, user, error);
    strew_release(part);
    strew_release(chunk);
    part = chunk = NULL;
  }
  strew_release(flat);
  return status;
}

static strew_operand number(double value) { return strew_number(strew_float(value)); }

/* Returns the smallest (or largest) element; non-finite elements count as `other`. */
static strew_status extreme(strew_fold fold, strew_tensor *chunk, strew_tensor *is_finite, double other, double *out,
                            strew_error *error) {
  strew_tensor *values = NULL, *value = NULL;
  strew_scalar scalar = strew_float(other);
  strew_status status = strew_where(is_finite, strew_of(chunk), number(other), &values, error);
  if (status == STREW_OK) status = strew_reduce_with(fold, values, NULL, &value, error);
  if (status == STREW_OK) status = strew_item(value, &scalar, error);
  strew_release(values);
  strew_release(value);
  *out = scalar.as.f;
  return status;
}

static strew_status widen(strew_tensor *chunk, void *user, strew_error *error) {
  struct range *range = user;
  double ends[] = {0, 0};
  strew_tensor *sizes = NULL, *is_finite = NULL;
  strew_status status = strew_unary(STREW_ABS, chunk, &sizes, error);
  if (status == STREW_OK) status = strew_binary(STREW_LT, strew_of(sizes), number(INFINITY), &is_finite, error);
  if (status == STREW_OK) status = extreme(STREW_FOLD_AMIN, chunk, is_finite, INFINITY, &ends[0], error);
  if (status == STREW_OK) status = extreme(STREW_FOLD_AMAX, chunk, is_finite, -INFINITY, &ends[1], error);
  strew_release(sizes);
  strew_release(is_finite);
  if (status == STREW_OK) range_include(range, ends, 2);
  return status;
}

/* Missing bounds are those of the elements. An empty range is widened, as NumPy does. */
static strew_status find_range(struct histogram *histogram, strew_error *error) {
  struct range found = {INFINITY, -INFINITY}, *range = &histogram->range;
  bool is_given = !isnan(range->low) && !isnan(range->high);
  strew_status status = is_given ? STREW_OK : each_piece(histogram, widen, &found, error);
  if (found.low > found.high) found = (struct range){0, 0};
  if (isnan(range->low)) range->low = found.low;
  if (isnan(range->high)) range->high = found.high;
  if (range->low >= range->high) *range = (struct range){range->low - 0.5, range->low + 0.5};
  return status;
}

struct counting {
  const struct histogram *histogram;
  strew_tensor *counts; /* int64[bins] on the tensor's device */
};

/* Returns the bin numbers of a chunk's elements; -1: outside. */
static strew_status number_bins(const struct histogram *histogram, strew_tensor *chunk, strew_tensor **out,
                                strew_error *error) {
  struct range range = histogram->range;
  double part = isfinite(range.high - range.low) ? 1 : 0.25; /* the extent may overflow a double */
  double low = range.low * part, scale = (double)histogram->bins / (range.high * part - low);
  strew_tensor *bin = NULL, *above = NULL, *inside = NULL;
  strew_status status = strew_binary(STREW_MUL, strew_of(chunk), number(part), &bin, error);
  if (status == STREW_OK) status = strew_binary(STREW_SUB, strew_of(bin), number(low), &bin, error);
  if (status == STREW_OK) status = strew_binary(STREW_MUL, strew_of(bin), number(scale), &bin, error);
  if (status == STREW_OK) status = strew_unary(STREW_FLOOR, bin, &bin, error);
  if (status == STREW_OK)
    status = strew_binary(STREW_MINIMUM, strew_of(bin), number((double)(histogram->bins - 1)), &bin, error);
  if (status == STREW_OK) status = strew_binary(STREW_GE, strew_of(chunk), number(range.low), &above, error);
  if (status == STREW_OK) status = strew_binary(STREW_LE, strew_of(chunk), number(range.high), &inside, error);
  if (status == STREW_OK) status = strew_binary(STREW_LOGICAL_AND, strew_of(inside), strew_of(above), &inside, error);
  if (status == STREW_OK) status = strew_where(inside, strew_of(bin), number(-1), out, error);
  strew_release(bin);
  strew_release(above);
  strew_release(inside);
  return status;
}

static strew_status count_chunk(strew_tensor *chunk, void *user, strew_error *error) {
  struct counting *counting = user;
  strew_tensor *bin_numbers = NULL, *index = NULL;
  strew_status status = number_bins(counting->histogram, chunk, &bin_numbers, error);
  if (status == STREW_OK) status = strew_to(bin_numbers, strew_tensor_device(chunk), STREW_INT64, &index, error);
  if (status == STREW_OK)
    status =
        strew_scatter(counting->counts, 0, index, strew_number(strew_int(1)),
                      &(strew_scatter_options){.reduction = STREW_SUM, .mode = STREW_DROP}, &counting->counts, error);
  strew_release(bin_numbers);
  strew_release(index);
  return status;
}

strew_status histogram_count(struct histogram *histogram, strew_tensor **counts, strew_error *error) {
  strew_device *device = strew_tensor_device(histogram->tensor);
  strew_device *cpu = strew_device_at(strew_device_context(device), 0);
  struct counting counting = {.histogram = histogram};
  strew_status status = find_range(histogram, error);
  if (status == STREW_OK)
    status = strew_full(device, STREW_INT64, 1, &histogram->bins, strew_int(0), &counting.counts, error);
  if (status == STREW_OK) status = each_piece(histogram, count_chunk, &counting, error);
  if (status == STREW_OK) status = strew_to(counting.counts, cpu, STREW_INT64, counts, error);
  strew_release(counting.counts);
  return status;
}

/* ---------------------------------------------------------------------------------------------------------- drawing */

static void text_of_edge(const struct histogram *histogram, int64_t i, char *text) {
  double part = (double)i / (double)histogram->bins;
  double edge =
      i == histogram->bins ? histogram->range.high : histogram->range.low * (1 - part) + histogram->range.high * part;
  draw_number(text, edge);
}

/* The columns that edges and counts take, and the largest count. */
struct widths {
  int edge, count;
  int64_t most, sum;
};

static struct widths measure(const struct histogram *histogram, const int64_t *counts) {
  struct widths widths = {0};
  char text[DRAWN_BYTES];
  for (int64_t i = 0; i <= histogram->bins; i++) {
    text_of_edge(histogram, i, text);
    if ((int)strlen(text) > widths.edge) widths.edge = (int)strlen(text);
    if (i == histogram->bins) break;
    if (counts[i] > widths.most) widths.most = counts[i];
    widths.sum += counts[i];
  }
  widths.count = snprintf(text, sizeof text, "%" PRId64, widths.most);
  return widths;
}

/* "[ 0.5,   1)  count bar" */
static void add_bin(luaL_Buffer *out, const struct histogram *histogram, int64_t i, int64_t count,
                    const struct widths *widths, int64_t width, enum terminal_style style) {
  char low[DRAWN_BYTES], high[DRAWN_BYTES], text[4 * DRAWN_BYTES];
  text_of_edge(histogram, i, low);
  text_of_edge(histogram, i + 1, high);
  int length = snprintf(text, sizeof text, "[%*s, %*s%c  %*" PRId64 "  ", widths->edge, low, widths->edge, high,
                        i + 1 < histogram->bins ? ')' : ']', widths->count, count);
  luaL_addlstring(out, text, (size_t)(count ? length : length - 2));
  int64_t room = width - length > 1 ? width - length : 1;
  if (count) draw_bar(out, (double)count / (double)widths->most, room, style);
}

void histogram_push(lua_State *L, const struct histogram *histogram, strew_tensor *counts, int64_t width,
                    enum terminal_style style) {
  char text[2 * DRAWN_BYTES];
  void *data = NULL;
  strew_data(counts, &data, NULL); /* contiguous, on the CPU, from histogram_count */
  const int64_t *count = data;
  struct widths widths = measure(histogram, count);
  int64_t others = strew_tensor_numel(histogram->tensor) - widths.sum;
  luaL_Buffer out;
  luaL_buffinit(L, &out);
  for (int64_t i = 0; i < histogram->bins; i++) {
    if (i) luaL_addchar(&out, '\n');
    add_bin(&out, histogram, i, count[i], &widths, width, style);
  }
  if (others) {
    snprintf(text, sizeof text, "\n%" PRId64 " outside, or not finite", others);
    luaL_addstring(&out, text);
  }
  luaL_pushresult(&out);
}
