/* formula.c: a program in C offers formulas to its users, without Lua. Reads a picture, computes a formula of its
   channels r, g, b and of the coordinates x, y (all from 0 to 1), and writes the picture: grey for one formula, colours
   for three.
   cc formula.c $(pkg-config --cflags --libs strew) -o formula
   ./formula in.png out.png "(r + g + b) / 3 * (1 - (x - 0.5)^2)" */
#include <strew.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { R, G, B, X, Y, INPUTS };
static const char *const names[INPUTS] = {"r", "g", "b", "x", "y"};

static void must(strew_status status, const strew_error *error) {
  if (status == STREW_OK) return;
  fprintf(stderr, "%s\n", error->message);
  exit(EXIT_FAILURE);
}

/* A new tensor: the formula of those inputs that it names. */
static strew_tensor *compute(strew_context *context, const char *text, strew_tensor *const *inputs) {
  strew_error error = {.alias = "formula"};
  strew_expr *formula = NULL;
  strew_operand given[INPUTS];
  strew_tensor *out = NULL;
  must(strew_expr_parse(context, text, strlen(text), &formula, &error), &error);
  for (int i = 0; i < strew_expr_input_count(formula); i++) {
    const char *name = strew_expr_input(formula, i);
    int k = 0;
    while (k < INPUTS && strcmp(names[k], name) != 0) k++;
    if (k == INPUTS) fprintf(stderr, "formula: '%s' is unknown, expected r, g, b, x or y\n", name), exit(EXIT_FAILURE);
    given[i] = strew_of(inputs[k]);
  }
  const strew_expr_values values = {.inputs = given};
  must(strew_expr_evaluate(formula, &values, &out, &error), &error);
  strew_expr_release(formula);
  return out;
}

/* The channels as planes [height, width]; a grey picture has one for all three. */
static void read_picture(strew_device *device, const char *path, strew_tensor **inputs) {
  strew_error error = {0};
  strew_tensor *picture = NULL, *plane = NULL, *row = NULL;
  must(strew_load(device, path, NULL, &picture, NULL, &error), &error);
  const int rank = strew_tensor_rank(picture);
  const int64_t *sizes = strew_tensor_sizes(picture);
  const char *scaled = strew_tensor_dtype(picture) == STREW_UINT8 ? "float32(r) / 255" : "float32(r) / 65535";
  for (int c = R; c <= B; c++) {
    if (rank == 2)
      plane = strew_retain(picture);
    else
      must(strew_select(picture, 2, sizes[2] < 3 ? 0 : c, &plane, &error), &error);
    inputs[c] = compute(strew_device_context(device), scaled, &plane);
    strew_release(plane);
  }
  must(strew_linspace(device, STREW_FLOAT32, 0, 1, sizes[1], &inputs[X], &error), &error);
  must(strew_linspace(device, STREW_FLOAT32, 0, 1, sizes[0], &row, &error), &error);
  must(strew_unsqueeze(row, 1, &inputs[Y], &error), &error);
  strew_release(row), strew_release(picture);
}

/* The formula's values as bytes, one for each point; it may depend on x or y alone. */
static strew_tensor *channel(strew_context *context, const char *text, strew_tensor *const *inputs) {
  strew_error error = {0};
  strew_tensor *bytes = NULL, *value = compute(context, text, inputs);
  strew_tensor *rounded = compute(context, "uint8(round(255 * clamp(r, 0, 1)))", &value);
  must(strew_expand(rounded, 2, strew_tensor_sizes(inputs[R]), &bytes, &error), &error);
  strew_release(value), strew_release(rounded);
  return bytes;
}

int main(int count, char **arguments) {
  strew_error error = {0};
  strew_context *context = NULL;
  strew_device *cpu = NULL;
  strew_tensor *inputs[INPUTS] = {NULL}, *channels[3], *picture = NULL;
  const int formulas = count - 3;
  if (formulas != 1 && formulas != 3) fprintf(stderr, "usage: formula IN.png OUT.png GREY | R G B\n"), exit(2);
  must(strew_context_create(NULL, &context, &error), &error);
  must(strew_device_find(context, "cpu", &cpu, &error), &error);
  read_picture(cpu, arguments[1], inputs);
  for (int c = 0; c < formulas; c++) channels[c] = channel(context, arguments[3 + c], inputs);
  must(strew_stack(formulas, channels, 2, &picture, &error), &error);
  must(strew_save(picture, arguments[2], NULL, &error), &error);
  for (int c = 0; c < formulas; c++) strew_release(channels[c]);
  for (int i = 0; i < INPUTS; i++) strew_release(inputs[i]);
  strew_release(picture), strew_context_release(context);
  return EXIT_SUCCESS;
}
