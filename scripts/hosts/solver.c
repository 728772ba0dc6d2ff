/* solver.c: a script says where a solver's heat is produced: not called for each point, but once a step, with the
   coordinates of all points as tensors. They are the solver's own arrays, which the script may read, but not write.
   cc solver.c $(pkg-config --cflags --libs strew-lua) -o solver && ./solver */
#include <strew_lua.h>

#include <lauxlib.h>
#include <lualib.h>
#include <stdio.h>
#include <stdlib.h>

enum { SIDE = 20, DOWN = SIDE * SIDE, POINTS = SIDE * DOWN, STEPS = 6 };

static const char script[] =
    "function source(x, y, z, t)              -- in the unit cube: two balls, one after the other\n"
    "  local at = t < 0.5 and 0.25 or 0.75\n"
    "  local distance = ((x - at)^2 + (y - 0.5)^2 + (z - 0.5)^2):sqrt()\n"
    "  return strew.where(distance:lt(0.2), 1 - distance * 5, 0.0)\n"
    "end\n",
                  mistaken[] = "function source(x) x[0] = 7 end";

static double coordinates[3][POINTS], heat[POINTS], power[POINTS]; /* of points in order of x, y, z */

static void must(strew_status status, const strew_error *error) {
  if (status == STREW_OK) return;
  fprintf(stderr, "%s\n", error->message);
  exit(EXIT_FAILURE);
}

/* Copies the result of source(x, y, z, t) into `powers`; x, y and z are at the bottom of the stack. */
static bool produce(lua_State *L, double t, strew_tensor *powers) {
  strew_error error = {.alias = "source"};
  lua_settop(L, 3);
  lua_getglobal(L, "source");
  for (int i = 1; i <= 3; i++) lua_pushvalue(L, i);
  lua_pushnumber(L, t);
  if (lua_pcall(L, 4, 1, 0) != LUA_OK) return printf("%s\n", lua_tostring(L, -1)), false;
  strew_tensor *result = strew_test(L, -1);
  if (!result) return printf("source: the result is a %s, expected a tensor\n", luaL_typename(L, -1)), false;
  return strew_copy(powers, result, &error) == STREW_OK || (printf("%s\n", error.message), false);
}

/* An explicit step of the heat equation; the border stays cold. */
static void diffuse(void) {
  static double next[POINTS];
  for (int p = DOWN; p < POINTS - DOWN; p++) {
    const bool is_border = p % SIDE % (SIDE - 1) == 0 || p / SIDE % SIDE % (SIDE - 1) == 0;
    const double near = heat[p - 1] + heat[p + 1] + heat[p - SIDE] + heat[p + SIDE] + heat[p - DOWN] + heat[p + DOWN];
    next[p] = is_border ? 0 : 0.25 * heat[p] + 0.125 * near + power[p];
  }
  for (int p = 0; p < POINTS; p++) heat[p] = next[p];
}

int main(void) {
  strew_error error = {0};
  strew_context *context = NULL;
  strew_device *cpu = NULL;
  strew_tensor *powers = NULL;
  const int64_t size = POINTS;
  lua_State *L = luaL_newstate();
  must(strew_context_create(NULL, &context, &error), &error); /* the solver's: the script's module opens on it */
  must(strew_device_find(context, "cpu", &cpu, &error), &error);
  must(strew_wrap(cpu, STREW_FLOAT64, 1, &size, NULL, power, sizeof power, NULL, NULL, &powers, &error), &error);
  luaL_openlibs(L);
  strew_open_on(L, context), lua_setglobal(L, "strew");
  if (luaL_dostring(L, script)) return printf("%s\n", lua_tostring(L, -1)), EXIT_FAILURE;
  lua_settop(L, 0);
  for (int d = 0, step = DOWN; d < 3; d++, step /= SIDE) {
    strew_tensor *axis = NULL;
    for (int p = 0; p < POINTS; p++) coordinates[d][p] = (double)(p / step % SIDE) / (SIDE - 1);
    must(strew_wrap_const(cpu, STREW_FLOAT64, 1, &size, NULL, coordinates[d], sizeof power, NULL, NULL, &axis, &error),
         &error);
    strew_push(L, axis), strew_release(axis);
  }
  for (int step = 0; step < STEPS && produce(L, (double)step / STEPS, powers); step++) {
    diffuse();
    printf("step %d: %.4f left, %.4f right\n", step, heat[5 * DOWN + 10 * SIDE + 10], heat[14 * DOWN + 10 * SIDE + 10]);
  }
  if (luaL_dostring(L, mistaken) == LUA_OK && !produce(L, 1, powers)) printf("x[0] is %g\n", coordinates[0][0]);
  strew_release(powers), lua_close(L), strew_context_release(context);
  return EXIT_SUCCESS;
}
