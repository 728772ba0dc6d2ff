// share.cpp: a program in C++ with a Lua state of its own shares its vectors with scripts, and reads their tensors.
// c++ share.cpp $(pkg-config --cflags --libs strew-lua) -o share && ./share
#include <strew_lua.h>

extern "C" {
#include <lauxlib.h>
#include <lualib.h>
}

#include <cstdio>
#include <cstdlib>
#include <memory>
#include <vector>

namespace {

const char script[] = R"(
local strew, heights, bins = ...
heights:sub_(heights:min())                                    -- in the host's own memory
local index = heights:mul(bins):div(heights:max()):floor():clamp(0, bins - 1):to("int64")
report(strew.scatter_sum(strew.ones(#heights), index, {dim_size = bins}))
report(strew.scatter_mean(heights, index, {dim_size = bins}))
)";

/* A tensor returned by a script: its numbers, as a vector. */
int report(lua_State *L) {
  strew_tensor *tensor = strew_check(L, 1); /* raises an error if it is none: no object with a destructor may be alive here */
  strew_error error = {};
  {
    std::vector<float> numbers(static_cast<std::size_t>(strew_tensor_numel(tensor)));
    if (strew_read(tensor, numbers.data(), numbers.size() * sizeof(float), &error) == STREW_OK) {
      for (float number : numbers) std::printf(" %g", static_cast<double>(number));
      std::printf("\n");
    }
  }
  return error.code == STREW_OK ? 0 : luaL_error(L, "%s", error.message);
}

/* The vector as a tensor of the state's own context; the caller keeps the vector alive until the last view is
   released. */
strew_tensor *wrap(lua_State *L, std::vector<float> &vector) {
  strew_device *cpu = nullptr;
  strew_tensor *tensor = nullptr;
  const int64_t size = static_cast<int64_t>(vector.size());
  strew_error error = {};
  if (strew_device_find(strew_context_of(L), "cpu", &cpu, &error) != STREW_OK ||
      strew_wrap(cpu, STREW_FLOAT32, 1, &size, nullptr, vector.data(), vector.size() * sizeof(float), nullptr, nullptr,
                 &tensor, &error) != STREW_OK)
    std::fprintf(stderr, "%s\n", error.message);
  return tensor;
}

struct closing {
  void operator()(lua_State *L) const { lua_close(L); }
  void operator()(strew_tensor *tensor) const { strew_release(tensor); }
};

} // namespace

int main() {
  std::vector<float> heights = {3.5f, 1, 2, 9, 4.5f, 8};
  std::unique_ptr<lua_State, closing> state(luaL_newstate());
  lua_State *L = state.get();
  luaL_openlibs(L);
  lua_register(L, "report", report);
  luaL_loadstring(L, script);
  luaL_requiref(L, "strew", luaopen_strew, 0);

  std::unique_ptr<strew_tensor, closing> tensor(wrap(L, heights));
  if (!tensor) return EXIT_FAILURE;
  strew_push(L, tensor.get());
  lua_pushinteger(L, 4);
  if (lua_pcall(L, 3, 0, 0) != LUA_OK) {
    std::fprintf(stderr, "%s\n", lua_tostring(L, -1));
    return EXIT_FAILURE;
  }
  std::printf("the vector:");
  for (float height : heights) std::printf(" %g", static_cast<double>(height));
  std::printf("\n");
  return EXIT_SUCCESS;
}
