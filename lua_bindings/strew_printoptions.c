/* strew_printoptions.c: print options, set by scripts; the host, too, sets the width. */
#include "strew_bind.h"

#include <math.h>
#include <string.h>

enum { MOST_DIGITS = 30, LARGEST = 1 << 30 };

/* PyTorch's profiles and names. A linewidth of 0 is the host's. */
static const struct profile {
  const char *name;
  int precision;
  int64_t threshold, edgeitems;
} profiles[] = {{"default", 4, 1000, 3}, {"short", 2, 1000, 2}, {"full", 4, INT64_MAX, 3}};

static void use_profile(struct print_options *options, const struct profile *profile) {
  options->precision = profile->precision;
  options->threshold = profile->threshold;
  options->edgeitems = profile->edgeitems;
  options->linewidth = 0;
}

void bind_print_defaults(struct print_options *options) {
  *options = (struct print_options){0};
  use_profile(options, &profiles[0]);
}

/* ---------------------------------------------------------------------------------------------------- by scripts */

static bool read_profile(lua_State *L, struct script_call *call, int i, const char *name, void *out) {
  const char *word;
  if (!bind_string(L, call, i, name, &word)) return false;
  strew_guess guess = {.wanted = word};
  for (size_t k = 0; k < sizeof profiles / sizeof *profiles; k++) {
    if (strcmp(word, profiles[k].name) == 0) return *(const struct profile **)out = &profiles[k], true;
    strew_guess_name(&guess, profiles[k].name);
  }
  bind_fail(call, STREW_EARGUMENT, name, "is \"%.60s\", expected default, short or full", word);
  bind_hint_guess(call, &guess);
  return false;
}

static bool read_count(lua_State *L, struct script_call *call, int i, const char *name, int64_t least, int64_t most,
                       int64_t *out) {
  int64_t value;
  if (!bind_integer(L, call, i, name, &value)) return false;
  if (value >= least && value <= most) return *out = value, true;
  bind_fail(call, STREW_EVALUE, name, "is %lld, expected %lld..%lld", (long long)value, (long long)least,
            (long long)most);
  call->error.has_value = true;
  call->error.value = strew_int(value);
  return false;
}

static bool read_precision(lua_State *L, struct script_call *call, int i, const char *name, void *out) {
  return read_count(L, call, i, name, 0, MOST_DIGITS, out);
}

/* math.huge: no limit. */
static bool read_threshold(lua_State *L, struct script_call *call, int i, const char *name, void *out) {
  bool is_endless = lua_type(L, i) == LUA_TNUMBER && lua_tonumber(L, i) == (lua_Number)INFINITY;
  if (is_endless) return *(int64_t *)out = INT64_MAX, true;
  return read_count(L, call, i, name, 0, INT64_MAX, out);
}

static bool read_edgeitems(lua_State *L, struct script_call *call, int i, const char *name, void *out) {
  return read_count(L, call, i, name, 1, LARGEST, out);
}

static bool read_linewidth(lua_State *L, struct script_call *call, int i, const char *name, void *out) {
  if (lua_type(L, i) != LUA_TSTRING) return read_count(L, call, i, name, 1, LARGEST, out);
  if (strcmp(lua_tostring(L, i), "auto") == 0) return *(int64_t *)out = 0, true;
  char text[TEXT_BYTES];
  bind_fail(call, STREW_EARGUMENT, name, "is %s, expected an integer or \"auto\"", bind_text(L, call, i, text));
  return false;
}

/* set_printoptions{precision =, threshold =, edgeitems =, linewidth =, profile =}: the profile applies first, whatever
   the order. */
static int set_printoptions(lua_State *L, struct script_call *call) {
  struct print_options *options = &call->binding->print;
  const struct profile *profile = NULL;
  int64_t precision = -1, threshold = -1, edgeitems = -1, linewidth = -1; /* not given */
  const struct parameter parameters[] = {
      {"precision", KEYED, read_precision, &precision}, {"threshold", KEYED, read_threshold, &threshold},
      {"edgeitems", KEYED, read_edgeitems, &edgeitems}, {"linewidth", KEYED, read_linewidth, &linewidth},
      {"profile", KEYED, read_profile, &profile},       LAST_PARAMETER};
  if (!bind_arguments(L, call, parameters)) return -1;
  if (profile) use_profile(options, profile);
  if (precision >= 0) options->precision = (int)precision;
  if (threshold >= 0) options->threshold = threshold;
  if (edgeitems >= 0) options->edgeitems = edgeitems;
  if (linewidth >= 0) options->linewidth = (int)linewidth;
  return 0;
}

/* get_printoptions() -> the table with which set_printoptions restores the current settings. */
static int get_printoptions(lua_State *L, struct script_call *call) {
  const struct print_options *options = &call->binding->print;
  struct arguments a;
  if (!bind_read(L, call, &a)) return -1;
  lua_createtable(L, 0, 4);
  lua_pushinteger(L, options->precision);
  lua_setfield(L, -2, "precision");
  if (options->threshold == INT64_MAX)
    lua_pushnumber(L, (lua_Number)INFINITY);
  else
    lua_pushinteger(L, options->threshold);
  lua_setfield(L, -2, "threshold");
  lua_pushinteger(L, options->edgeitems);
  lua_setfield(L, -2, "edgeitems");
  if (options->linewidth)
    lua_pushinteger(L, options->linewidth);
  else
    lua_pushliteral(L, "auto");
  lua_setfield(L, -2, "linewidth");
  return 1;
}

const struct script_function bind_print_rows[] = {
    {"set_printoptions", set_printoptions, 0, FUNCTION},
    {"get_printoptions", get_printoptions, 0, FUNCTION, ""},
    {NULL},
};
