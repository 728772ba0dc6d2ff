/* strew_interchange.c: tensors to and from other libraries of the process, by addresses of their structs. A script that
   gives a wrong address ends the process: none of this is in a sandbox. */
#include "strew_bind.h"

/* An address: a light userdata, or an integer as other languages give it. The structs hold pointers and are aligned to
   them, and no address is in the first page. */
static bool bind_address(lua_State *L, struct script_call *call, int i, const char *name, void *out) {
  static const char expected[] = "an address: a light userdata or an integer";
  enum { FIRST = 4096 };
  uintptr_t address = (uintptr_t)lua_touserdata(L, i);
  int64_t number = 0;
  if (lua_isinteger(L, i))
    address = (uintptr_t)(number = lua_tointeger(L, i));
  else if (!lua_islightuserdata(L, i))
    return bind_fail_type(L, call, i, name, expected);
  if (address < FIRST || address % sizeof(void *) || (number && (int64_t)address != number))
    return bind_fail(call, STREW_EARGUMENT, name, "is 0x%llx, which is no address of a struct",
                     (unsigned long long)address),
           false;
  *(void **)out = (void *)address;
  return true;
}

/* to_dlpack(self): the address of a struct that its consumer deletes. */
static int to_dlpack(lua_State *L, struct script_call *call) {
  strew_tensor *tensor;
  bool versioned = true;
  void *managed = NULL;
  const struct parameter parameters[] = {
      {"self", REQUIRED, bind_tensor, &tensor}, {"versioned", KEYED, bind_boolean, &versioned}, LAST_PARAMETER};
  bind_stack(L, 1);
  if (!bind_arguments(L, call, parameters)) return -1;
  const strew_dlpack_options options = {.unversioned = !versioned};
  if (strew_to_dlpack(tensor, &options, &managed, &call->error) != STREW_OK) return -1;
  lua_pushlightuserdata(L, managed);
  return 1;
}

/* from_dlpack(managed): a tensor on the CPU. */
static int from_dlpack(lua_State *L, struct script_call *call) {
  void *managed;
  const struct parameter parameters[] = {{"managed", REQUIRED, bind_address, &managed}, LAST_PARAMETER};
  strew_tensor **out = bind_result(L, call);
  if (!bind_arguments(L, call, parameters)) return -1;
  strew_device *cpu = strew_device_at(call->binding->context, 0);
  return bind_end(strew_from_dlpack(cpu, managed, out, &call->error), 1);
}

const struct script_function bind_interchange_rows[] = {{"to_dlpack", to_dlpack, 0, ALWAYS | OUTSIDE | CONSTANT},
                                                        {"from_dlpack", from_dlpack, 0, FUNCTION | OUTSIDE | CONSTANT},
                                                        {NULL, NULL, 0, 0}};
