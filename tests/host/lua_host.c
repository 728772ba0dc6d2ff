/* lua_host.c: a program with Lua states of its own, like a host application.

   1. Tensors are passed to scripts and returned (strew_lua.h), tensors over read-only memory, too, in each call of
   calls.lua; streams of arrays; modules on one context; what scripts print goes to the host.
   2. Lua's allocator fails at every call in turn, while the module is opened and while it is used: Lua raises its
   memory error, or the call continues; no tensor is left over, and under a sanitizer no other memory either.
   3. So does the context's, in calls that create several tensors and read them: scripts get strew's error. */
#define _DEFAULT_SOURCE /* MAP_ANONYMOUS */
#include "runtime/interchange/arrow.h"
#include "runtime/interchange/dlpack.h"
#include "strew_lua.h"

#include <errno.h>
#include <lauxlib.h>
#include <lualib.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

static int passed, failed;

static void expect(bool fact, const char *what, long at) {
  if (fact) {
    passed++;
    return;
  }
  failed++;
  printf("lua_host: %s (%ld)\n", what, at);
}

/* ---------------------------------------------------------------------------------- tensors between host and script */

static const float numbers[] = {1, 2, 3};

static int give(lua_State *L) {
  strew_push(L, lua_touserdata(L, 1));
  return 1;
}

static int take(lua_State *L) {
  lua_pushinteger(L, strew_tensor_numel(strew_check(L, 1)));
  return 1;
}

static int try(lua_State *L) {
  lua_pushboolean(L, strew_test(L, 1) != NULL);
  return 1;
}

static const char border[] = "local strew, tensor, give, take, try = ...\n"
                             "local t = give(tensor)\n"
                             "t[0] = 10\n"
                             "assert(take(t) == 3 and t:sum():item() == 15 and strew.type(t) == 'tensor')\n"
                             "local ok, message = pcall(take, 5)\n"
                             "assert(not ok and message:find('tensor expected, got number', 1, true), message)\n"
                             "assert(try(t) and not (try(5) or try(io.stdout) or try(tensor) or try{} or try()))\n"
                             "t:free()\n"
                             "ok, message = pcall(take, t)\n"
                             "assert(not ok and message:find('tensor was freed', 1, true), message)\n"
                             "assert(not try(t) and not try(give))\n";

/* Memory that ends the process if it is written: each line fails, and names its argument. */
static const char read_only[] =
    "local strew, tensor, give = ...\n"
    "local x, i, y = give(tensor), strew.tensor{0, 2}, strew.tensor{9.0, 9, 9}\n"
    "local function fails(text)\n"
    "  local f = load(text, text, 't', {x = x, i = i, y = y, strew = strew})\n"
    "  local ok, message = pcall(f)\n"
    "  assert(not ok and message:find(\"'%a+' is read%-only memory of the host, it cannot be written\"), message)\n"
    "  assert(strew.last_error().code == 'argument')\n"
    "end\n"
    "for text in ([[x[0] = 5; x[i] = 5; x[x:gt(1)] = 5; x:set(0, 5); x:fill_(5); x:zero_(); x:copy_(y); x:add_(1);\n"
    "  x:mul_(y); x:sqrt_(); x:clamp_(2, 3); x:masked_fill_(x:gt(1), 0); x:cumsum_(0); x:cumprod_(0); x:t():add_(1);\n"
    "  x:scatter_(0, i, y); x:scatter_add_(0, i, y); x:scatter_reduce_(0, i, y, 'amax'); x:index_add_(0, i, y[i]);\n"
    "  x:index_copy_(0, i, y[i]); x:index_fill_(0, i, 1); x:index_put_({i}, y[i]); x:put_(i, y[i]);\n"
    "  x:masked_scatter_(x:gt(1), y); x:select_scatter_(y[0] + strew.zeros(1):select(0, 0), 0, 0);\n"
    "  x:slice_scatter_(y, 0, 0, 3, 1); x:scatter_nd_(i:unsqueeze(1), y[i]); x:slice(0, 1, 3, 1):fill_(0);\n"
    "  x:view(1, 3):add_(1); x:as_strided({2}, {1}, 1):fill_(0); strew.scatter_sum(y, i:view(2):repeat_interleave(2)\n"
    "  :slice(0, 0, 3, 1), {out = x})]]):gmatch '[^;]+' do fails(text) end\n"
    "assert(x:sum():item() == 6 and (x + 1):sum():item() == 9 and x:sort():sum():item() == 6)\n"
    "x:clone():add_(1)\n"
    "strew.scatter_sum(x, strew.tensor{0, 0, 1}, {out = strew.zeros(2)})\n";

/* Each call of calls.lua with copies of its tensors in read-only pages, which end the process if they are written: it
   returns what the ordinary call returns. In place, and with `out`, it is the error. */
static const char sweep[] =
    "local strew, protect = ...\n"
    "local drawn, refusals, copies = dofile 'tests/calls.lua', 0, 0\n"
    "local views = 'as_strided movedim moveaxis squeeze swapaxes t transpose unsqueeze'\n"
    "local nothing = 'positive nan_to_num'\n" /* of integers: written to by neither */
    "local function is_text(x) return strew.type(x) == 'tensor' and x.dtype == 'text' end\n" /* no memory is wrapped */
    "local function protected(x)\n"
    "  if is_text(x) then return x end\n"
    "  if strew.type(x) then\n"
    "    copies = copies + 1\n"
    "    local copy = protect(x)\n"
    "    return copies % 2 == 0 and copy or strew.from_dlpack(strew.to_dlpack(copy)) -- which stays read-only\n"
    "  end\n"
    "  if type(x) ~= 'table' or getmetatable(x) then return x end\n"
    "  local copy = {}\n"
    "  for key, value in pairs(x) do copy[key] = protected(value) end\n"
    "  return copy\n"
    "end\n"
    "local function run(f, arguments, n)\n"
    "  strew.manual_seed(1) math.randomseed(1)\n"
    "  return table.pack(pcall(f, table.unpack(arguments, 1, n)))\n"
    "end\n"
    "local function refused(name, f, arguments, n)\n"
    "  local results = run(f, arguments, n)\n"
    "  assert(not results[1] or nothing:find(name, 1, true), name .. ' is no error')\n"
    "  local is_refused = results[1] or results[2]:find('is read-only memory of the host', 1, true)\n"
    "  refusals = refusals + (is_refused and 1 or 0)\n"
    "  return is_refused\n"
    "end\n"
    "for _, name in ipairs(drawn.names) do\n"
    "  local in_place = not views:find('%f[%a]' .. name .. '%f[%A]') and rawget(strew, name .. '_')\n"
    "  for k = 1, 4 do\n"
    "    local call = drawn.draw(name, k, 'cpu')\n"
    "    local only_read, n = protected(call), call.n\n"
    "    local expected, results = run(call.f, call, n), run(call.f, only_read, n)\n"
    "    assert(drawn.hash(drawn.no_value, expected) == drawn.hash(drawn.no_value, results), name)\n"
    "    if in_place and not is_text(call[1]) then\n"
    "      local copy = {strew.type(call[1]) and call[1]:clone(), table.unpack(call, 2, n)}\n"
    "      if run(in_place, copy, n)[1] then assert(refused(name, in_place, only_read, n), name) end\n"
    "    end\n"
    "    if results[1] and (name:find '^scatter_%a+$' or name:find '^segment_c') and not in_place then\n"
    "      local options = type(call[n]) == 'table' and call[n]\n"
    "      local given, at = {table.unpack(only_read, 1, n)}, options and n or n + 1\n"
    "      given[at] = {out = protect(results[2])}\n"
    "      for key, value in pairs(options or {}) do given[at][key] = value end\n"
    "      refused(name, call.f, given, at)\n"
    "    end\n"
    "  end\n"
    "end\n"
    "return refusals\n";

static void count_release(void *user) { ++*(int *)user; }

struct pages {
  void *data;
  size_t size_bytes;
};
static void unmap(void *pages_) {
  struct pages *pages = pages_;
  munmap(pages->data, pages->size_bytes);
  free(pages);
}

/* protect(t): a copy in pages that may only be read. */
static int protect(lua_State *L) {
  strew_tensor *given = strew_check(L, 1), *copy = NULL;
  const size_t bytes = (size_t)strew_tensor_numel(given) * strew_dtype_size_bytes(strew_tensor_dtype(given));
  struct pages *pages = malloc(sizeof *pages);
  strew_error error = {0};
  pages->size_bytes = bytes + 1;
  pages->data = mmap(NULL, bytes + 1, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  strew_read(given, pages->data, bytes, NULL);
  mprotect(pages->data, bytes + 1, PROT_READ);
  if (strew_wrap_const(strew_tensor_device(given), strew_tensor_dtype(given), strew_tensor_rank(given),
                       strew_tensor_sizes(given), NULL, pages->data, bytes, unmap, pages, &copy, &error) != STREW_OK)
    return strew_raise(L, &error);
  strew_push(L, copy);
  strew_release(copy);
  return 1;
}

static void test_sweep(void) {
  lua_State *L = luaL_newstate();
  luaL_openlibs(L);
  luaL_loadstring(L, sweep);
  luaL_requiref(L, "strew", luaopen_strew, 0);
  lua_pushcfunction(L, protect);
  const bool good = lua_pcall(L, 2, 1, 0) == LUA_OK;
  if (!good) printf("lua_host: %s\n", lua_tostring(L, -1));
  expect(good && lua_tointeger(L, -1) > 100, "each call with read-only memory", (long)lua_tointeger(L, -1));
  lua_close(L);
}

static void test_read_only(void) {
  strew_device *cpu = NULL;
  strew_tensor *tensor = NULL;
  const int64_t size = 3;
  const size_t page_bytes = (size_t)sysconf(_SC_PAGESIZE);
  int released = 0;
  void *page = mmap(NULL, page_bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  memcpy(page, numbers, sizeof numbers);
  mprotect(page, page_bytes, PROT_READ);
  strew_options options = {.sandbox = true};
  lua_State *L = strew_new_state(&options, NULL);
  strew_device_find(strew_context_of(L), "cpu", &cpu, NULL);
  strew_wrap_const(cpu, STREW_FLOAT32, 1, &size, NULL, page, sizeof numbers, count_release, &released, &tensor, NULL);
  expect(luaL_loadstring(L, read_only) == LUA_OK, "read-only memory", 0);
  lua_getglobal(L, "strew");
  lua_pushlightuserdata(L, tensor);
  lua_pushcfunction(L, give);
  const bool good = lua_pcall(L, 3, 0, 0) == LUA_OK;
  if (!good) printf("lua_host: %s\n", lua_tostring(L, -1));
  expect(good, "read-only memory", 1);
  strew_release(tensor);
  lua_close(L);
  expect(released == 1 && memcmp(page, numbers, sizeof numbers) == 0, "read-only memory, afterwards", released);
  munmap(page, page_bytes);
}

static void test_border(void) {
  strew_context *context = NULL;
  strew_device *device = NULL;
  strew_tensor *tensor = NULL;
  int64_t size = 3;
  float *data = NULL;
  strew_context_create(NULL, &context, NULL);
  strew_device_find(context, NULL, &device, NULL);
  strew_from(device, STREW_FLOAT32, 1, &size, numbers, &tensor, NULL);

  lua_State *L = luaL_newstate();
  luaL_openlibs(L);
  luaL_loadstring(L, border);
  luaL_requiref(L, "strew", luaopen_strew, 0);
  lua_pushlightuserdata(L, tensor);
  lua_pushcfunction(L, give);
  lua_pushcfunction(L, take);
  lua_pushcfunction(L, try);
  if (lua_pcall(L, 5, 0, 0) != LUA_OK) expect(false, lua_tostring(L, -1), 0);
  lua_close(L);

  strew_data(tensor, (void **)&data, NULL);
  expect(data && data[0] == 10, "the script wrote to the host's tensor", 0);
  strew_release(tensor);
  expect(strew_context_bytes(context) == 0, "the state had lost its tensor", 0);
  strew_context_release(context);
}

/* A stream that has the array of each of its parts, and then fails. */
static struct {
  struct ArrowArrayStream *parts[2], stream;
  int next, released;
} joined;

static int joined_schema(struct ArrowArrayStream *self, struct ArrowSchema *out) {
  (void)self;
  return joined.parts[0]->get_schema(joined.parts[0], out);
}
static int joined_next(struct ArrowArrayStream *self, struct ArrowArray *out) {
  (void)self;
  if (joined.next == 2) return EIO;
  struct ArrowArrayStream *part = joined.parts[joined.next++];
  return part->get_next(part, out);
}
static const char *joined_error(struct ArrowArrayStream *self) { return self->release ? "lost" : NULL; }
static void joined_release(struct ArrowArrayStream *self) { joined.released++, self->release = NULL; }

static const char streaming[] =
    "local strew, stream, part = ...\n"
    "for i, row in ipairs{{{1, 0}, {'a', 'b'}}, {{0, 1}, {'c', 'b'}}} do\n"
    "  parts = {parts, strew.to_arrow_stream(strew.columns({x = strew.tensor(row[1])}, nil, {x = row[2]}))}\n"
    "  part(i, parts[2])\n"
    "end\n"
    "local seen = {}\n"
    "local ok, message = pcall(function()\n"
    "  for chunk in strew.from_arrow_stream(stream) do\n"
    "    seen[#seen + 1] = table.concat(chunk.x:tolist(), ' ') .. table.concat(chunk.words.x)\n"
    "  end\n"
    "end)\n"
    "assert(table.concat(seen, ', ') == 'b aab, c babc', table.concat(seen, ', '))\n"
    "assert(not ok and message:find(\"from_arrow_stream: 'stream' failed with error 5: lost\", 1, true), message)\n"
    "assert(strew.last_error().code == 'file')\n";

static int take_part(lua_State *L) { return joined.parts[lua_tointeger(L, 1) - 1] = lua_touserdata(L, 2), 0; }

static void test_streams(void) {
  lua_State *L = luaL_newstate();
  joined.stream = (struct ArrowArrayStream){joined_schema, joined_next, joined_error, joined_release, NULL};
  luaL_openlibs(L);
  luaL_loadstring(L, streaming);
  luaL_requiref(L, "strew", luaopen_strew, 0);
  lua_pushlightuserdata(L, &joined.stream);
  lua_pushcfunction(L, take_part);
  if (lua_pcall(L, 3, 0, 0) != LUA_OK) expect(false, lua_tostring(L, -1), 0);
  lua_close(L);
  expect(joined.released == 1 && !joined.stream.release && joined.next == 2, "a stream of two tables", joined.released);
}

/* A stream of `count` arrays of `bytes`, in memory of their own, each of which `script` precedes. */
static struct {
  struct ArrowArrayStream stream;
  lua_State *L;
  const char *script;
  int count, given, live, most, released;
  int64_t bytes;
} produced;

static void produced_drop(struct ArrowSchema *self) { self->release = NULL; }
static void produced_free(struct ArrowArray *self) {
  free(self->private_data);
  self->release = NULL, produced.live--;
}
static int produced_schema(struct ArrowArrayStream *self, struct ArrowSchema *out) {
  (void)self;
  *out = (struct ArrowSchema){.format = "C", .name = "", .release = produced_drop};
  return 0;
}
static int produced_next(struct ArrowArrayStream *self, struct ArrowArray *out) {
  if (luaL_dostring(produced.L, produced.script)) expect(false, lua_tostring(produced.L, -1), produced.given);
  expect(self->private_data == &produced && !produced.released, "the stream lives during its call", produced.given);
  *out = (struct ArrowArray){.length = 0};
  if (produced.given == produced.count) return 0;
  struct {
    const void *buffers[2];
    char content[];
  } *array = calloc(1, sizeof *array + (size_t)produced.bytes);
  array->buffers[1] = array->content;
  *out = (struct ArrowArray){.length = produced.bytes, .n_buffers = 2, .buffers = array->buffers};
  out->release = produced_free, out->private_data = array;
  produced.given++;
  if (++produced.live > produced.most) produced.most = produced.live;
  return 0;
}
/* A new array and its schema. */
static int produce_array(lua_State *L) {
  static struct ArrowArray array;
  static struct ArrowSchema schema;
  produced_schema(&produced.stream, &schema), produced_next(&produced.stream, &array);
  lua_pushlightuserdata(L, &array), lua_pushlightuserdata(L, &schema);
  return 2;
}
static void produced_delete(struct DLManagedTensorVersioned *self) { free(self), produced.live--; }
/* A new struct of DLPack. */
static int produce_struct(lua_State *L) {
  struct DLManagedTensorVersioned *new = calloc(1, sizeof *new + (size_t)produced.bytes);
  new->major = 1, new->deleter = produced_delete;
  new->tensor = (struct dlpack_tensor){new + 1, DLPACK_CPU, 0, 1, {DLPACK_UINT, 8, 1}, &produced.bytes, NULL, 0};
  if (++produced.live > produced.most) produced.most = produced.live;
  produced.given++;
  return lua_pushlightuserdata(L, new), 1;
}
static void produced_release(struct ArrowArrayStream *self) { produced.released++, self->release = NULL; }

static void produce(const char *text, const char *script, int count, int64_t bytes) {
  memset(&produced, 0, sizeof produced);
  produced.script = script, produced.count = count, produced.bytes = bytes;
  produced.stream =
      (struct ArrowArrayStream){produced_schema, produced_next, joined_error, produced_release, &produced};
  lua_State *L = produced.L = luaL_newstate();
  luaL_openlibs(L);
  luaL_requiref(L, "strew", luaopen_strew, 1);
  lua_pushlightuserdata(L, &produced.stream);
  lua_setglobal(L, "stream");
  lua_register(L, "array", produce_array);
  lua_register(L, "struct", produce_struct);
  if (luaL_dostring(L, text)) expect(false, lua_tostring(L, -1), 0);
  lua_close(L);
  expect(produced.released == 1 && !produced.live, "a stream and its arrays are released", produced.live);
}

/* The producer runs a script that closes the iterator, which ends after that call, or calls it; the collector sees the
   memory of arrays. */
static void test_producers(void) {
  produce("chunks = strew.from_arrow_stream(stream)\n"
          "assert(chunks():numel() == 3)\n"
          "local ok, message = pcall(chunks)\n"
          "assert(not ok and message:find('the iterator is closed', 1, true), message)\n",
          "do local _ <close> = chunks end", 2, 3);
  expect(produced.given == 1, "a closed iterator takes no array", produced.given);
  produce("chunks = strew.from_arrow_stream(stream)\n"
          "for chunk in chunks do assert(chunk:numel() == 3) end\n",
          "local ok, message = pcall(chunks)\n"
          "assert(not ok and message:find('the iterator is in a call already', 1, true), message)\n",
          2, 3);
  expect(produced.given == 2, "a refused call takes no array", produced.given);
  static const char *const modes[] = {"incremental", "generational"},
                           *const bodies[] = {
                               "for chunk in strew.from_arrow_stream(stream) do end",
                               "for chunk in strew.from_arrow_stream(stream) do (chunk + 1):sum() end",
                               "for i = 1, 100 do strew.from_arrow(array()) end strew.from_arrow_stream(stream)",
                               "for i = 1, 100 do strew.from_dlpack(struct()) end strew.from_arrow_stream(stream)",
                           };
  for (int i = 0; i < 8; i++) {
    char text[200];
    snprintf(text, sizeof text, "collectgarbage '%s' %s", modes[i % 2], bodies[i / 2]);
    produce(text, "", 100, 4 << 20);
    expect(produced.given == 100 && produced.most <= 20, "arrays that are not used live on", produced.most);
  }
}

/* In a small heap, with a collector that is always at work, finalizers run in the call, and close its iterator. */
static const char finalizing[] = "local strew = ...\n"
                                 "collectgarbage('incremental', 1, 1000)\n"
                                 "for i = 1, 1000 do\n"
                                 "  local chunks = strew.from_arrow_stream(strew.to_arrow_stream{n = strew.ones(3)})\n"
                                 "  setmetatable({}, {__gc = function() local _ <close> = chunks end})\n"
                                 "  local ok, message = pcall(chunks)\n"
                                 "  assert(ok or message:find('the iterator is closed', 1, true), message)\n"
                                 "end\n";

static void test_finalizers(void) {
  lua_State *L = luaL_newstate();
  luaL_openlibs(L);
  luaL_loadstring(L, finalizing);
  luaL_requiref(L, "strew", luaopen_strew, 0);
  if (lua_pcall(L, 1, 0, 0) != LUA_OK) expect(false, lua_tostring(L, -1), 0);
  lua_close(L);
}

/* ------------------------------------------------------------------------------------ userdata that are no tensors */

/* Each function of strew and each method is called with each value in place of each of its first arguments. */
static const char foreign[] =
    "local strew, methods, values = ...\n"
    "local skipped = {help = true, progress = true}\n"
    "for name, value in pairs(values) do\n"
    "  for _, from in ipairs{strew, methods} do\n"
    "    for called, f in pairs(from) do\n"
    "      if type(f) == 'function' and not skipped[called] then\n"
    "        pcall(f, value) pcall(f, value, 0) pcall(f, value, 0, 1) pcall(f, value, {2}, {1}) pcall(f, value, value, "
    "value)\n"
    "        pcall(f, strew.ones(2), value) pcall(f, strew.ones(2), 0, value, value)\n"
    "      end\n"
    "    end\n"
    "  end\n"
    "  for _, call in ipairs{'unsqueeze_', 't_', 'as_strided_', 'squeeze_', 'transpose_', 'sum'} do\n"
    "    local ok, message = pcall(strew[call], value, 0, 0)\n"
    "    assert(not ok and message:find(\"'self' is a \", 1, true), name .. ' ' .. call .. ': ' .. tostring(message))\n"
    "  end\n"
    "end\n"
    "for _, value in pairs(values) do\n" /* the debug library sets any metatable */
    "  for _, other in ipairs{strew.ones(1), strew.grouping(strew.tensor{0}), strew.key_table()} do\n"
    "    local meta, before = debug.getmetatable(other), debug.getmetatable(value)\n"
    "    pcall(meta.__gc, value) pcall(meta.__close, value) pcall(meta.__index, value, 'n') pcall(meta.__index, value, "
    "0)\n"
    "    debug.setmetatable(value, meta)\n"
    "    pcall(tostring, value) pcall(function() return value.n end) pcall(function() return value:ids(1) end)\n"
    "    pcall(function() return value[0] end) pcall(function() value[0] = 1 end) pcall(function() return #value end)\n"
    "    debug.setmetatable(value, before)\n"
    "  end\n"
    "end\n";

/* Bytes as a script might have written them to a host's array: the address of the module's data, which is in each
   handle's neighbourhood, and that of a box. */
static void push_foreign(lua_State *L, const char *name, size_t size_bytes, const void *content) {
  void **data = lua_newuserdatauv(L, size_bytes, 0);
  for (size_t at = 0; at < size_bytes; at += sizeof *data)
    memcpy((char *)data + at, &content, size_bytes - at < sizeof *data ? size_bytes - at : sizeof *data);
  lua_setfield(L, -2, name);
}

static void test_foreign(void) {
  static const unsigned char box[256];
  lua_State *L = luaL_newstate();
  luaL_openlibs(L);
  luaL_loadstring(L, foreign);
  luaL_requiref(L, "strew", luaopen_strew, 0);
  lua_getfield(L, LUA_REGISTRYINDEX, STREW_METHODS);
  lua_newtable(L);
  for (size_t size = 1; size <= 24; size++) {
    char name[40];
    snprintf(name, sizeof name, "%zu bytes", size);
    push_foreign(L, name, size, box);
    snprintf(name, sizeof name, "%zu bytes of an address", size);
    lua_getfield(L, LUA_REGISTRYINDEX, "strew.binding");
    const void *address = lua_touserdata(L, -1);
    lua_pop(L, 1);
    push_foreign(L, name, size, address);
  }
  lua_getglobal(L, "io");
  lua_getfield(L, -1, "stdout");
  lua_remove(L, -2);
  lua_setfield(L, -2, "a file");
  lua_getfield(L, 2, "key_table");
  lua_call(L, 0, 1);
  lua_setfield(L, -2, "a key table");
  lua_pushlightuserdata(L, (void *)(uintptr_t)box);
  lua_setfield(L, -2, "a light one");
  if (lua_pcall(L, 3, 0, 0) != LUA_OK) expect(false, lua_tostring(L, -1), 0);
  expect(true, "foreign userdata", 0);
  lua_close(L);
}

/* A state with limits, but no options: it has none. */
static void test_no_options(void) {
  lua_State *L = strew_new_state(NULL, NULL);
  expect(L && luaL_dostring(L, "return io and strew.ones(2):sum():item()") == LUA_OK && lua_tonumber(L, -1) == 2,
         "strew_new_state takes no options", 0);
  if (L) lua_close(L);
}

/* ------------------------------------------------------------------------------------------------------- line width */

static int give_columns(void *user) { return *(int *)user; }

static bool is_text(lua_State *L, const char *chunk, const char *expected) {
  bool same = luaL_dostring(L, chunk) == LUA_OK && strcmp(lua_tostring(L, -1), expected) == 0;
  if (!same) printf("lua_host: %s\n", lua_tostring(L, -1));
  lua_settop(L, 0);
  return same;
}

static void test_columns(void) {
  static const char narrow[] = "int64[6] cpu\n 100  101\n 102  103\n 104  105";
  static const char wide[] = "int64[6] cpu\n 100  101  102  103  104  105";
  static const char print[] = "return tostring(strew.arange(100, 106))";
  int columns = 12;
  lua_State *L = luaL_newstate();
  luaL_openlibs(L);
  luaL_requiref(L, "strew", luaopen_strew, 1);
  strew_set_columns(L, give_columns, &columns);
  expect(is_text(L, print, narrow), "the host's width is used", 0);
  columns = 300;
  expect(is_text(L, print, wide), "it is queried again", 0);
  columns = 0;
  expect(is_text(L, print, wide), "the host may not know it", 0);
  columns = 12;
  expect(is_text(L, "strew.set_printoptions{linewidth = 80} return tostring(strew.arange(100, 106))", wide),
         "a script's own width goes first", 0);
  expect(is_text(L, "strew.set_printoptions{linewidth = 'auto'} return tostring(strew.arange(100, 106))", narrow),
         "and comes to an end", 0);
  strew_set_columns(L, NULL, NULL);
  expect(is_text(L, print, wide), "the host may withdraw its width", 0);
  lua_close(L);
}

/* ------------------------------------------------------------------------------------------- what scripts print */

struct console {
  char text[4000];
  int lines;
};

static void write_line(void *user, const char *text, size_t length) {
  struct console *console = user;
  expect(strlen(text) == length && text[length - 1] == '\n', "a line of print", (long)length);
  snprintf(console->text + strlen(console->text), sizeof console->text - strlen(console->text), "%s", text);
  console->lines++;
}

static void expect_print(lua_State *L, struct console *console, const char *chunk, const char *expected) {
  *console = (struct console){.lines = 0};
  const bool is_fine = luaL_dostring(L, chunk) == LUA_OK;
  const char *found = is_fine ? console->text : lua_tostring(L, -1);
  expect(strcmp(found, expected) == 0 && (!is_fine || console->lines == 1), chunk, console->lines);
  if (strcmp(found, expected) != 0) printf("lua_host: %s\n", found);
  lua_settop(L, 0);
}

/* Into the host's console, in a state of its own and in a sandbox, where no address is shown. */
static void test_print(void) {
  struct console console;
  for (int sandbox = 0; sandbox < 2; sandbox++) {
    lua_State *L = sandbox ? strew_new_state(&(strew_options){.sandbox = true}, NULL) : luaL_newstate();
    if (!sandbox) luaL_openlibs(L), luaL_requiref(L, "strew", luaopen_strew, 1);
    lua_settop(L, 0);
    strew_set_print(L, write_line, &console);
    expect_print(L, &console, "print()", "\n");
    expect_print(L, &console,
                 "print(1, 2.5, nil, true, 'text', setmetatable({}, {__tostring = function() return 'own' end}))",
                 "1\t2.5\tnil\ttrue\ttext\town\n");
    expect_print(L, &console, "print(strew.arange(3), 4)", "int64[3] cpu\n 0  1  2\t4\n");
    expect_print(L, &console, "strew.show(strew.tensor{{0, 1}}, {style = 'ascii'})", "  @@\n0 .. 1\n");
    expect_print(L, &console, "print(setmetatable({}, {__tostring = function() return {} end}))",
                 "'__tostring' must return a string");
    expect_print(L, &console, "local t = {} for i = 1, 200 do t[i] = i end print(#t, select('#', table.unpack(t)))",
                 "200\t200\n");
    if (sandbox) expect_print(L, &console, "print({}, print)", "table: 0x00000001\tfunction: 0x00000002\n");
    expect(luaL_dostring(L, "strew.help('zeros')") == LUA_OK && strstr(console.text, "strew.zeros(") != NULL,
           "help goes to the host", console.lines);
    strew_set_print(L, NULL, NULL);
    console.lines = 0;
    expect(luaL_dostring(L, "print(7)") == LUA_OK && console.lines == 0, "print into nothing", console.lines);
    /* A script's own tostring, which the host takes for Lua's. */
    expect(luaL_dostring(L, "tostring = function(x) return x end") == LUA_OK, "tostring", 0);
    strew_set_print(L, write_line, &console);
    expect_print(L, &console, "print({})", "[string \"print({})\"]:1: 'tostring' must return a string");
    lua_close(L);
  }
}

/* ------------------------------------------------------------------------------------------ modules on one context */

static int open_on(lua_State *L) { return strew_open_on(L, lua_touserdata(L, 1)), 1; }

static void test_open_on(void) {
  strew_context *context = NULL, *other = NULL;
  strew_device *device = NULL;
  strew_tensor *sum = NULL;
  strew_scalar value = strew_int(0);
  const int64_t size = 3;
  strew_context_create(&(strew_options){.threads = 1}, &context, NULL);
  strew_context_create(NULL, &other, NULL);
  strew_device_find(context, NULL, &device, NULL);
  lua_State *states[] = {luaL_newstate(), luaL_newstate()};
  for (int i = 0; i < 2; i++) {
    luaL_openlibs(states[i]);
    strew_open_on(states[i], context);
    lua_setglobal(states[i], "strew");
    expect(strew_context_of(states[i]) == context, "the module is on the host's context", i);
  }
  /* The host's tensor, changed by one script and summed up with another's. */
  strew_full(device, STREW_INT64, 1, &size, strew_int(1), &sum, NULL);
  for (int i = 0; i < 2; i++) strew_push(states[i], sum), lua_setglobal(states[i], "shared");
  expect(luaL_dostring(states[0], "shared:add_(strew.arange(3)) return shared") == LUA_OK, "the first script", 0);
  strew_push(states[1], strew_check(states[0], -1));
  lua_setglobal(states[1], "given");
  expect(luaL_dostring(states[1], "return (shared + given):sum()") == LUA_OK, "the second script", 1);
  strew_item(strew_check(states[1], -1), &value, NULL);
  expect(value.as.i == 12, "scripts and host share tensors", (long)value.as.i);
  /* Again: the same module; on another context: an error. */
  lua_getglobal(states[0], "strew");
  strew_open_on(states[0], context);
  expect(lua_rawequal(states[0], -1, -2), "the module is opened again", 0);
  lua_pushcfunction(states[0], open_on);
  lua_pushlightuserdata(states[0], other);
  expect(lua_pcall(states[0], 1, 1, 0) == LUA_ERRRUN &&
             strcmp(lua_tostring(states[0], -1), "strew: the module is already open, with another context") == 0,
         "another context is refused", 0);
  lua_close(states[0]);
  expect(luaL_dostring(states[1], "assert(shared:sum():item() == 6)") == LUA_OK, "a state is closed", 0);
  strew_context_release(other);
  strew_context_release(context); /* before the last state */
  strew_release(sum);
  lua_close(states[1]);
}

/* ------------------------------------------------------------------------------------------------ Lua out of memory */

struct allocations {
  bool is_limited;
  long left;
};

static void *allocate(void *user, void *block, size_t old_size, size_t size) {
  struct allocations *allocations = user;
  if (size == 0) return free(block), NULL;
  bool grows = !block || size > old_size;
  if (allocations->is_limited && grows && --allocations->left < 0) return NULL;
  return realloc(block, size);
}

static const char prepare[] = "strew = ...\n"
                              "f, i = strew.tensor{1.5, 2, 3, 4}, strew.tensor{0, 1, 2, 3}\n"
                              "strew.to_arrow{i}\n"
                              "a, j = strew.ones(4, 4), i:unsqueeze(1):expand(4, 4)\n";
static const char use[] = "local t = strew.tensor{{1, 2, 3}, {4, 5, 6}}\n"
                          "local u = (t + 1):add_(2):view(6):to('float32')\n"
                          "local z = strew.zeros(3):scatter_add_(0, strew.tensor{0, 2, 2}, strew.ones(3))\n"
                          "local o, g = strew.scatter_max(f, i, {out = strew.zeros(4)})\n"
                          "local v, k, c = i:unique{return_inverse = true, return_counts = true}\n"
                          "local m, n = t:max(0)\n"
                          "local p, q, l, s = t:split(1), strew.cat{t, t}, t:tolist(), tostring(a)\n"
                          "a[1], z[0] = f, a[0][1]\n"
                          "a:scatter(0, j, 1.0):t_():unsqueeze_(0)\n"
                          "return t.shape, strew.devices(), strew.rand(3), t:chunk(2, 1), i:get(0), t:free()\n";
/* No finalizers run meanwhile: Lua drops one that it has no memory to call. */
static const char use_streams[] = "collectgarbage('stop')\n"
                                  "for x in strew.from_arrow_stream(strew.to_arrow_stream{f = f}) do g = x.f end\n"
                                  "g = nil strew.from_arrow(strew.to_arrow{i = i})\n";
static const char forget[] = "f, i, a, j, g = nil collectgarbage() collectgarbage() return (strew.memory())\n";

static lua_State *open_state(struct allocations *allocations) {
  allocations->is_limited = false;
  lua_State *L = lua_newstate(allocate, allocations);
  luaL_openlibs(L);
  return L;
}

/* Calls the function on top with that many allocations allowed; true if they were enough. */
static bool call_limited(lua_State *L, struct allocations *allocations, long allowed) {
  allocations->left = allowed;
  allocations->is_limited = true;
  int status = lua_pcall(L, 0, 0, 0);
  allocations->is_limited = false;
  expect(status == LUA_OK || status == LUA_ERRMEM, lua_tostring(L, -1), allowed);
  lua_settop(L, 0);
  return allocations->left >= 0;
}

static void test_opening(void) {
  struct allocations allocations;
  bool is_enough = false;
  for (long allowed = 0; !is_enough; allowed += 7) {
    lua_State *L = open_state(&allocations);
    lua_pushcfunction(L, luaopen_strew);
    is_enough = call_limited(L, &allocations, allowed);
    lua_close(L);
  }
}

/* No value makes strew_test raise an error or allocate, whether the module is open or not; nor does it use the stack
   up. */
static void test_testing(void) {
  struct allocations allocations;
  strew_tensor *tensor = NULL;
  lua_State *L = open_state(&allocations);
  for (int open = 0; open <= 1; open++) {
    if (open) strew_open(L, NULL), lua_setglobal(L, "strew");
    lua_settop(L, 0);
    luaL_loadstring(L, "local meta = getmetatable(io.stdout) return io.stdout, setmetatable({}, meta), "
                       "'text', 2.5, nil, print, strew and strew.ones(3)");
    lua_call(L, 0, LUA_MULTRET);
    lua_pushlightuserdata(L, L);
    lua_newuserdatauv(L, 2 * sizeof(void *), 0); /* of a tensor's size, without metatable */
    memset(lua_touserdata(L, -1), 0, 2 * sizeof(void *));
    allocations = (struct allocations){.is_limited = true};
    for (int i = lua_gettop(L) + 1; i > 0; i--) {
      strew_tensor *found = strew_test(L, i);
      expect(!found || (open && !tensor && strew_tensor_numel(found) == 3), luaL_typename(L, i), i);
      if (found) tensor = found;
    }
    allocations.is_limited = false;
    expect(allocations.left == 0, "strew_test allocates", open);
    expect((tensor != NULL) == open, "strew_test finds the tensor", open);
  }
  for (int full = lua_gettop(L); full < LUAI_MAXSTACK && lua_checkstack(L, 1); full++) lua_pushnil(L);
  strew_test(L, 1);
  lua_close(L);
}

static void test_use(const char *text) {
  struct allocations allocations;
  bool is_enough = false;
  for (long allowed = 0; !is_enough; allowed++) {
    lua_State *L = open_state(&allocations);
    luaL_loadstring(L, prepare);
    luaL_requiref(L, "strew", luaopen_strew, 0);
    lua_call(L, 1, 0);
    lua_gc(L, LUA_GCCOLLECT);
    luaL_loadstring(L, text);
    is_enough = call_limited(L, &allocations, allowed);
    luaL_loadstring(L, forget);
    lua_call(L, 0, 1);
    expect(lua_tointeger(L, -1) == 0, "tensor memory is left over", allowed);
    lua_close(L);
  }
}

/* ------------------------------------------------------------------------------------------ tensor memory exhausted */

static void *allocate_tensor(void *user, size_t size_bytes, size_t alignment) {
  struct allocations *allocations = user;
  if (allocations->is_limited && --allocations->left < 0) return NULL;
  return aligned_alloc(alignment, (size_bytes + alignment - 1) / alignment * alignment);
}

static void deallocate_tensor(void *user, void *memory, size_t size_bytes) {
  (void)user, (void)size_bytes;
  free(memory);
}

static const char making[] = "strew, print = ..., function() end\n"
                             "t, m = strew.arange(24):view(4, 6), strew.ones(4, 6)\n"
                             "color = strew.full({4, 5, 3}, 7, {dtype = 'uint8'})\n"
                             "odd = strew.tensor{1.0, 0/0, 1/0, -7}\n";

/* Each creates several tensors. */
static const char *const makers[] = {
    "strew.show(t, {width = 3, height = 2, style = 'ascii'})",
    "strew.show(m, {width = 3, style = 'truecolor', colormap = 'magma'})",
    "strew.show(color, {style = '256'})",
    "strew.show(t:flatten(), {width = 7})",
    "strew.show(odd, {histogram = true, bins = 3})",
    "strew.show(t, {histogram = true, min = 1, max = 9})",
    "strew.image(t, {colormap = 'viridis', scale = 2})",
    "strew.image(m:t())",
    "tostring(strew.ones(50, 60):t())",
    "t:t():tolist()",
    "t:unique{return_inverse = true, return_counts = true}",
    "strew.scatter_max(m, t % 3, {dim = 0})",
    "strew.scatter_mean(m, t % 3, {dim = 0, dim_size = 5})",
    "t:chunk(2, 1)",
    "t:split({1, 3}, 0)",
    "t[1] = t[0] + t[2]",
    "t:t()[1] = strew.arange(4)",
    "strew.stack({t[0], t[1], t[2]}, 1)",
    "strew.tensor{{1, 2.5}, {3, 4}}",
    "t:sort(1)",
    "t:topk(2, 0)",
    "t:max(1)",
    "strew.where(t:gt(4), t, 2.5)",
    "t:to('float16'):add(m)",
    "t:t():clone():mm(t)",
    "strew.randperm(9)",
    "t:nonzero()",
    "m:cumsum(0):var(1)",
    "strew.allclose(m, m + 1)",
    "t:index_select(1, strew.tensor{2, 0})",
    "t:masked_select(t:gt(4))",
    "strew.tensor{0, 2, 2}:bincount{minlength = 5}",
    "strew.tensor{0, 2, 2}:one_hot()",
    "t:flip(0, 1)",
    "t:diff(2, 1)",
    "t:segment_csr(strew.tensor{0, 1, 4}, {reduce = 'max', out = strew.zeros({2, 6}, {dtype = t.dtype})})",
    "m:scatter_quantile(strew.tensor{0, 1, 0, 1}, 0.5, {dim = 0, skip_nan = true})",
    "m:scatter_logsumexp(strew.tensor{0, 1, 0, 1}, {dim = 0})",
    "strew.searchsorted(strew.tensor{1, 3, 5}, t)",
};
enum { MAKERS = sizeof makers / sizeof *makers };

/* Runs it with that many allocations allowed; true if they were enough. */
static bool make_limited(lua_State *L, struct allocations *allocations, const char *maker, long allowed) {
  luaL_loadstring(L, maker);
  allocations->left = allowed;
  allocations->is_limited = true;
  int status = lua_pcall(L, 0, 0, 0);
  allocations->is_limited = false;
  const char *message = status == LUA_OK ? "out of memory" : lua_tostring(L, -1);
  bool is_told = strstr(message, "out of memory");
  if (!is_told) printf("lua_host: %s: %s\n", maker, message);
  expect(is_told && (status == LUA_OK) == (allocations->left >= 0), maker, allowed);
  lua_settop(L, 0);
  return allocations->left >= 0;
}

static long held(lua_State *L) {
  lua_gc(L, LUA_GCCOLLECT);
  lua_gc(L, LUA_GCCOLLECT);
  return (long)strew_context_bytes(strew_context_of(L));
}

static void test_makers(void) {
  struct allocations allocations = {.is_limited = false};
  strew_options options = {.threads = 1, .allocator = {allocate_tensor, deallocate_tensor, &allocations}};
  lua_State *L = luaL_newstate();
  luaL_openlibs(L);
  strew_open(L, &options);
  luaL_loadstring(L, making);
  lua_insert(L, 1);
  lua_call(L, 1, 0);
  long before = held(L);
  for (int i = 0; i < MAKERS; i++) {
    bool is_enough = false;
    for (long allowed = 0; !is_enough; allowed++) {
      is_enough = make_limited(L, &allocations, makers[i], allowed);
      expect(held(L) == before, "tensor memory is left over", allowed);
    }
  }
  lua_close(L);
}

int main(void) {
  test_border();
  test_streams();
  test_producers();
  test_finalizers();
  test_foreign();
  test_read_only();
  test_sweep();
  test_no_options();
  test_columns();
  test_print();
  test_open_on();
  test_opening();
  test_testing();
  test_use(use);
  test_use(use_streams);
  test_makers();
  printf("lua_host: %d passed, %d failed\n", passed, failed);
  return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
