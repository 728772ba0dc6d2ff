/* pixels.c: a program in C lends its image to a Lua script, which filters it in place and gives it back.
   cc pixels.c $(pkg-config --cflags --libs strew-lua) -o pixels && ./pixels */
#include <strew_lua.h>

#include <lauxlib.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { HEIGHT = 10, WIDTH = 40 };

/* The filters: users may replace them without compiling the program. */
static const char script[] =
    "local filters = {}\n"
    "function filters.equalise(image)           -- levels become ranks: each is used about as often\n"
    "  local levels = image:flatten()\n"
    "  local counts = strew.bincount(levels, {minlength = 256})\n"
    "  local rank = ((counts:cumsum(0) - counts) * 255 // (#levels - 1)):clamp(0, 255)\n"
    "  image:copy_(rank[levels]:view(image.shape))\n"
    "end\n"
    "function filters.blur(image)               -- the mean of nine neighbours, clamped at the border\n"
    "  local sum = image:to('int64')\n"
    "  for dim = 0, 1 do\n"
    "    local at, last = strew.arange(sum:size(dim)), sum:size(dim) - 1\n"
    "    sum = sum:index_select(dim, (at - 1):clamp(0)) + sum + sum:index_select(dim, (at + 1):clamp(0, last))\n"
    "  end\n"
    "  image:copy_(sum // 9)\n"
    "end\n"
    "return function(image, filter) filters[filter](image) end\n";

/* A dim picture: a disc before a slope, all between levels 100 and 140. Rows are padded, as those of many images. */
enum { STRIDE = WIDTH + 24 };
static unsigned char image[HEIGHT][STRIDE];

static void paint(void) {
  memset(image, 255, sizeof image);
  for (int y = 0; y < HEIGHT; y++)
    for (int x = 0; x < WIDTH; x++) {
      int dx = x - 28, dy = 2 * (y - 4);
      image[y][x] = (unsigned char)(dx * dx + dy * dy < 64 ? 140 : 100 + x / 2);
    }
}

/* Each character stands for 26 levels. */
static void show(const char *when) {
  printf("%s\n", when);
  for (int y = 0; y < HEIGHT; y++) {
    char line[WIDTH + 1] = {0};
    for (int x = 0; x < WIDTH; x++) line[x] = " .:-=+*#%@"[image[y][x] / 26];
    printf("|%s|\n", line);
  }
}

static int returned;
static void give_back(void *user) { ++*(int *)user; }

/* Calls the function at the bottom of the stack with a tensor uint8[HEIGHT, WIDTH] over the program's own memory. */
static bool run(lua_State *L, const char *filter) {
  strew_error error = {0};
  strew_device *cpu = NULL;
  strew_tensor *tensor = NULL;
  const int64_t sizes[] = {HEIGHT, WIDTH}, strides[] = {STRIDE, 1};
  strew_restart_limits(L);
  if (strew_device_find(strew_context_of(L), "cpu", &cpu, &error) ||
      strew_wrap(cpu, STREW_UINT8, 2, sizes, strides, image, sizeof image, give_back, &returned, &tensor, &error))
    return fprintf(stderr, "%s\n", error.message), false;
  lua_pushvalue(L, 1);
  strew_push(L, tensor), strew_release(tensor); /* the script's reference is left */
  lua_pushstring(L, filter);
  if (lua_pcall(L, 2, 0, 0) != LUA_OK) return fprintf(stderr, "%s\n", lua_tostring(L, -1)), false;
  show(filter);
  return true;
}

int main(void) {
  const strew_options options = {.memory_limit_bytes = 64 << 20, .time_limit_seconds = 10, .sandbox = true};
  strew_error error = {0};
  lua_State *L = strew_new_state(&options, &error);
  if (!L) return fprintf(stderr, "%s\n", error.message), EXIT_FAILURE;
  if (luaL_loadbufferx(L, script, strlen(script), "=filters", "t") != LUA_OK || lua_pcall(L, 0, 1, 0) != LUA_OK)
    return fprintf(stderr, "%s\n", lua_tostring(L, -1)), EXIT_FAILURE;
  paint();
  show("before");
  bool ok = run(L, "equalise") && run(L, "blur");
  int padding = 0;
  for (int y = 0; y < HEIGHT; y++)
    for (int x = WIDTH; x < STRIDE; x++) padding += image[y][x] == 255;
  lua_close(L);
  printf("lent 2 times, given back %d times; %d of %d bytes between the rows as before\n", returned, padding,
         HEIGHT * (STRIDE - WIDTH));
  return ok ? EXIT_SUCCESS : EXIT_FAILURE;
}
