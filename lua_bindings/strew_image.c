/* strew_image.c: converts numbers to colours. */
#include "strew_bind.h"

#include <inttypes.h>

/* The runtime chooses numbers that are not given. */
struct bound {
  double value;
  const double *given;
};

static bool bind_bound(lua_State *L, struct script_call *call, int i, const char *name, void *out) {
  struct bound *bound = out;
  bound->given = &bound->value;
  return bind_float(L, call, i, name, &bound->value);
}

struct color {
  unsigned char channels[3];
  const unsigned char *given;
};

static bool bind_color(lua_State *L, struct script_call *call, int i, const char *name, void *out) {
  struct color *color = out;
  struct list list = {0};
  int ignored;
  if (!bind_table(L, call, i, name, &ignored) || !bind_list(L, call, i, name, &list)) return false;
  if (list.count != 3)
    return bind_fail(call, STREW_EARGUMENT, name, "has %d entries, expected red, green and blue", list.count), false;
  for (int c = 0; c < 3; c++) {
    if (list.at[c] < 0 || list.at[c] > 255)
      return bind_fail(call, STREW_EVALUE, name, "has %" PRId64 ", expected 0..255", list.at[c]), false;
    color->channels[c] = (unsigned char)list.at[c];
  }
  color->given = color->channels;
  return true;
}

/* image(self [, {colormap, scale, min, max, nan}]) */
static int image(lua_State *L, struct script_call *call) {
  strew_tensor **out = bind_result(L, call), *self;
  strew_colormap colormap = STREW_VIRIDIS;
  int64_t scale = 1;
  struct bound min = {0}, max = {0};
  struct color nan = {0};
  const struct parameter parameters[] = {{"self", REQUIRED, bind_tensor, &self},
                                         {"colormap", KEYED, bind_colormap, &colormap},
                                         {"scale", KEYED, bind_integer, &scale},
                                         {"min", KEYED, bind_bound, &min},
                                         {"max", KEYED, bind_bound, &max},
                                         {"nan", KEYED, bind_color, &nan},
                                         LAST_PARAMETER};
  if (!bind_arguments(L, call, parameters)) return -1;
  if (scale < 1) /* the runtime takes 0 for "not given" */
    return bind_fail(call, STREW_EVALUE, "scale", "is %" PRId64 ", expected 1 or more", scale);
  strew_image_options options = {
      .colormap = colormap, .scale = scale, .min = min.given, .max = max.given, .nan = nan.given};
  return bind_end(strew_image(self, &options, out, &call->error), 1);
}

const struct script_function bind_image_rows[] = {{"image", image, 0, ALWAYS | OUTSIDE | CONSTANT}, {NULL, NULL, 0, 0}};
