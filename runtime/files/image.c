/* image.c: strew_image: a matrix of numbers as an RGB picture, through a colormap. */
#include "runtime/core/base/tensor.h"
#include "runtime/strew.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

enum { POINTS = 17, LEVELS = 256, CHANNELS = 3 };

/* 0xRRGGBB at equal distances from lowest to highest, linearly interpolated. All but grey follow Matplotlib's colormaps
   of the same name (CC0). Comments state the maximum difference of the 256 colours from those, in units of 1/255. */
static const uint32_t points[STREW_COLORMAP_COUNT][POINTS] = {
    [STREW_VIRIDIS] = {0x440154, 0x48186b, 0x472d7c, 0x424086, 0x3b528b, 0x33638e, 0x2c728e, 0x26818e, 0x20908d,
                       0x1e9f89, 0x26ae81, 0x3dbc74, 0x5cc963, 0x81d44d, 0xabdc32, 0xd5e216,
                       0xfde725}, /* off by 5 at most */
    [STREW_MAGMA] = {0x000004, 0x090821, 0x1c1246, 0x350f6c, 0x51117d, 0x691c81, 0x822682, 0x9c2e80, 0xb6367a, 0xd04070,
                     0xe75063, 0xf5695b, 0xfc8760, 0xfea570, 0xfec387, 0xfde0a1, 0xfcfdbf}, /* off by 2 at most */
    [STREW_INFERNO] = {0x000004, 0x090723, 0x210d4b, 0x3d0867, 0x570f6e, 0x70196e, 0x89226a, 0xa32b62, 0xbb3655,
                       0xd14545, 0xe45932, 0xf1711f, 0xfa8d07, 0xfcab0c, 0xfaca31, 0xf0e964,
                       0xfcffa4}, /* off by 4 at most */
    [STREW_COOLWARM] = {0x3b4cc0, 0x4d68d8, 0x6282ea, 0x779af7, 0x8db0fe, 0xa3c2ff, 0xb8d0f9, 0xccd9ee, 0xdddddd,
                        0xecd3c6, 0xf5c5ad, 0xf8b194, 0xf59a7b, 0xec7f63, 0xde604c, 0xcb4138,
                        0xb40426}, /* off by 6 at most */
    [STREW_GREY] = {0x000000, 0x101010, 0x202020, 0x303030, 0x404040, 0x505050, 0x606060, 0x707070, 0x808080, 0x8f8f8f,
                    0x9f9f9f, 0xafafaf, 0xbfbfbf, 0xcfcfcf, 0xdfdfdf, 0xefefef, 0xffffff},
};

struct painting {
  const struct call *call;
  strew_context *context;
  int64_t height, width, scale;
  double lowest, highest;
  unsigned char colors[LEVELS + 1][CHANNELS]; /* the last one is for NaN */
};

static void make_colors(struct painting *painting, strew_colormap colormap, const unsigned char *nan) {
  static const unsigned char magenta[CHANNELS] = {255, 0, 255}; /* in no colormap, so it stands out */
  for (int level = 0; level < LEVELS; level++) {
    int scaled = level * (POINTS - 1), i = scaled / (LEVELS - 1), part = scaled % (LEVELS - 1);
    for (int c = 0; c < CHANNELS; c++) {
      int shift = 8 * (CHANNELS - 1 - c);
      int here = (int)(points[colormap][i] >> shift & 0xff),
          next = (int)(points[colormap][i + (part > 0)] >> shift & 0xff);
      painting->colors[level][c] =
          (unsigned char)((here * (LEVELS - 1 - part) + next * part + (LEVELS - 1) / 2) / (LEVELS - 1));
    }
  }
  memcpy(painting->colors[LEVELS], nan ? nan : magenta, CHANNELS);
}

/* ---------------------------------------------------------------------------------------------------------- range */

/* Checks for interruption every PIXELS pixels. */
static strew_status check_pixel(const struct painting *painting, int64_t i) {
  enum { PIXELS = 1 << 18 };
  return i % PIXELS ? STREW_OK : context_check(painting->call, painting->context);
}

/* Sets the range: given bounds, otherwise the minimum and maximum of the finite numbers. */
static strew_status find_range(struct painting *painting, const double *numbers, const strew_image_options *options) {
  double lowest = INFINITY, highest = -INFINITY;
  for (int64_t i = 0; i < painting->height * painting->width; i++) {
    RETURN_IF_FAILED(check_pixel(painting, i));
    if (!isfinite(numbers[i])) continue;
    if (numbers[i] < lowest) lowest = numbers[i];
    if (numbers[i] > highest) highest = numbers[i];
  }
  if (lowest > highest) lowest = highest = 0; /* no finite numbers */
  painting->lowest = options->min ? *options->min : options->max ? fmin(lowest, *options->max) : lowest;
  painting->highest = options->max ? *options->max : fmax(highest, painting->lowest);
  return STREW_OK;
}

/* Returns the index of a number's colour. Computes with halves, whose difference never overflows. */
static int level_of(const struct painting *painting, double number) {
  double above = number / 2 - painting->lowest / 2, range = painting->highest / 2 - painting->lowest / 2;
  if (isnan(number)) return LEVELS;
  if (above <= 0) return 0;
  if (above >= range) return LEVELS - 1;
  int level = (int)(above / range * LEVELS);
  return level < LEVELS ? level : LEVELS - 1;
}

/* ------------------------------------------------------------------------------------------------------- painting */

/* Paints one line of pixels, `scale` pixels per number. */
static strew_status paint_line(const struct painting *painting, const double *numbers, unsigned char *to) {
  for (int64_t x = 0, pixel = 0; x < painting->width; x++) {
    const unsigned char *color = painting->colors[level_of(painting, numbers[x])];
    for (int64_t i = 0; i < painting->scale; i++, to += CHANNELS) {
      RETURN_IF_FAILED(check_pixel(painting, pixel++));
      memcpy(to, color, CHANNELS);
    }
  }
  return STREW_OK;
}

/* Each number becomes scale * scale equal pixels. */
static strew_status paint(const struct painting *painting, const double *numbers, unsigned char *pixels) {
  size_t row_bytes = (size_t)painting->width * (size_t)painting->scale * CHANNELS;
  for (int64_t y = 0; y < painting->height; y++, numbers += painting->width) {
    const unsigned char *row = pixels;
    for (int64_t i = 0; i < painting->scale; i++, pixels += row_bytes) {
      strew_status status =
          i ? context_check(painting->call, painting->context) : paint_line(painting, numbers, pixels);
      if (status != STREW_OK) return status;
      if (i) memcpy(pixels, row, row_bytes);
    }
  }
  return STREW_OK;
}

static strew_status check_image(const struct call *call, const strew_tensor *tensor,
                                const strew_image_options *options) {
  struct fault fault = {.code = STREW_ESHAPE, .argument = "self"};
  char text[TEXT_BYTES];
  if (tensor->rank == 1) fault.hint = "strew_unsqueeze(self, 0) is a single line";
  if (tensor->rank != 2)
    return fail(call, fault, "has %d dimension%s, expected 2", tensor->rank, tensor->rank == 1 ? "" : "s");
  fault = FAULT(STREW_EARGUMENT, "colormap");
  if ((unsigned)options->colormap >= STREW_COLORMAP_COUNT)
    return fail_unknown(call, fault.argument, (int)options->colormap, STREW_COLORMAP_COUNT - 1);
  fault = FAULT(STREW_EVALUE, "scale");
  if (options->scale < 0) return fail(call, fault, "is %" PRId64 ", expected 1 or more", options->scale);
  const double *bounds[] = {options->min, options->max};
  for (int i = 0; i < 2; i++) {
    fault.argument = i ? "max" : "min";
    if (bounds[i] && !isfinite(*bounds[i]))
      return fail(call, fault, "is %s, expected a finite number", text_of_scalar(strew_float(*bounds[i]), text));
  }
  if (options->min && options->max && *options->min > *options->max)
    return fail(call, fault, "is %s, less than min", text_of_scalar(strew_float(*options->max), text));
  return STREW_OK;
}

/* Computes the picture's sizes; fails if they overflow or exceed the memory. */
static strew_status check_scale(const struct painting *painting, const strew_device *device, int64_t *sizes) {
  struct fault fault = {.code = STREW_EVALUE, .argument = "scale"};
  if (__builtin_mul_overflow(painting->height, painting->scale, &sizes[0]) ||
      __builtin_mul_overflow(painting->width, painting->scale, &sizes[1]))
    return fail(painting->call, fault, "is %" PRId64 ", more pixels than can be addressed", painting->scale);
  sizes[2] = CHANNELS;
  strew_status status = check_sizes(painting->call, STREW_UINT8, 3, sizes);
  return TRY(status, check_machine_memory(painting->call, device, (uint64_t)count_of_sizes(3, sizes), NULL));
}

/* Paints height * width numbers; *out is a new tensor on the device. */
static strew_status paint_on(struct painting *painting, strew_device *device, const double *numbers,
                             strew_tensor **out) {
  int64_t sizes[3];
  strew_tensor *made = NULL;
  strew_status status = check_scale(painting, device, sizes);
  TRY(status, tensor_create(painting->call, &device->context->cpu, STREW_UINT8, 3, sizes, &made));
  TRY(status, strew_tensor_numel(made) ? paint(painting, numbers, made->storage->data) : STREW_OK);
  TRY(status, transfer(painting->call, made, device, out));
  strew_release(made);
  return status;
}

strew_status strew_image(strew_tensor *tensor, const strew_image_options *options, strew_tensor **out,
                         strew_error *error) {
  CALL(call, "image", error, {"self", tensor});
  strew_device *device = tensor->storage->device;
  options = options ? options : &(const strew_image_options){0};
  strew_status status = check_options(&call, options);
  TRY(status, check_image(&call, tensor, options));
  strew_tensor *on_cpu = NULL, *dense = NULL;
  TRY(status, strew_to(tensor, &device->context->cpu, STREW_FLOAT64, &on_cpu, error));
  TRY(status, strew_contiguous(on_cpu, &dense, error));
  if (status == STREW_OK) {
    struct painting painting = {
        &call, device->context, tensor->sizes[0], tensor->sizes[1], options->scale ? options->scale : 1, 0, 0, {{0}}};
    const double *numbers = dense_at(dense, 0);
    status = find_range(&painting, numbers, options);
    make_colors(&painting, options->colormap, options->nan);
    TRY(status, paint_on(&painting, device, numbers, out));
  }
  strew_release(dense);
  strew_release(on_cpu);
  return status;
}
