/* wrap.c: a program in C lets strew work on arrays of its own, without a copy.
   cc wrap.c $(pkg-config --cflags --libs strew) -o wrap && ./wrap */
#include <strew.h>

#include <stdio.h>
#include <stdlib.h>

enum { PARTICLES = 6, CELLS = 4 };

/* The program's own data: an array of structures, and a grid in which they are summed. */
static struct particle {
  int32_t cell;
  float mass;
} particles[PARTICLES] = {{2, 1.5f}, {0, 0.25f}, {2, 3}, {3, 4}, {0, 2.5f}, {2, 0.5f}};
static float grid[CELLS];

static int released;
static void count_release(void *user) { ++*(int *)user; }

static void must(strew_status status, const strew_error *error) {
  if (status == STREW_OK) return;
  fprintf(stderr, "%s\n", error->message);
  exit(EXIT_FAILURE);
}

/* A member of each structure: one dimension, whose stride is the length of a structure. */
static strew_tensor *wrap(strew_device *cpu, strew_dtype dtype, void *first, int64_t size, int64_t stride) {
  strew_error error = {0};
  strew_tensor *tensor = NULL;
  size_t size_bytes = (size_t)((size - 1) * stride + 1) * strew_dtype_size_bytes(dtype);
  must(strew_wrap(cpu, dtype, 1, &size, &stride, first, size_bytes, count_release, &released, &tensor, &error), &error);
  return tensor;
}

static void print_grid(const char *when) {
  printf("%-8s", when);
  for (int i = 0; i < CELLS; i++) printf(" %g", (double)grid[i]);
  printf("\n");
}

int main(void) {
  strew_error error = {0};
  strew_context *context = NULL;
  strew_device *cpu = NULL;
  must(strew_context_create(NULL, &context, &error), &error);
  must(strew_device_find(context, "cpu", &cpu, &error), &error);

  const int64_t step = sizeof(struct particle) / sizeof(float);
  strew_tensor *cells = wrap(cpu, STREW_INT32, &particles[0].cell, PARTICLES, step);
  strew_tensor *masses = wrap(cpu, STREW_FLOAT32, &particles[0].mass, PARTICLES, step);
  strew_tensor *sums = wrap(cpu, STREW_FLOAT32, grid, CELLS, 1);

  /* *out is the destination: the grid itself. */
  const strew_scatter_options add = {.reduction = STREW_SUM};
  strew_tensor *out = sums;
  print_grid("before");
  must(strew_scatter(sums, 0, cells, strew_of(masses), &add, &out, &error), &error);
  print_grid("added");

  /* An invalid index is found before anything is written. */
  particles[4].cell = 7;
  if (strew_scatter(sums, 0, cells, strew_of(masses), &add, &out, &error) != STREW_OK) printf("%s\n", error.message);
  print_grid("still");

  strew_release(cells);
  strew_release(masses);
  strew_release(sums);
  strew_context_release(context);
  printf("%d arrays given back\n", released);
  return EXIT_SUCCESS;
}
