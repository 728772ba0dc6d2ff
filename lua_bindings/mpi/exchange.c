/* exchange.c: communication, as functions of distributed.lua. Tensors are contiguous and on the CPU; their rows along
   dimension 0 are sent in the machine's representation, so all ranks run on machines of one kind. */
#include "ranks.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Elements of one call of MPI, on each side: MPI counts in int. */
enum { MOST_ELEMENTS = INT_MAX };

/* The memory of a tensor, and what its rows are made of. */
struct rows {
  char *data;
  size_t element_bytes;
  int64_t width; /* elements of a row */
  MPI_Datatype type;
};

static MPI_Datatype type_of(size_t element_bytes) {
  switch (element_bytes) {
  case 1: return MPI_BYTE;
  case 2: return MPI_INT16_T;
  case 4: return MPI_INT32_T;
  default: return MPI_INT64_T;
  }
}

void *ranks_data(lua_State *L, int i, strew_dtype dtype) {
  void *data = NULL;
  strew_tensor *tensor = strew_check(L, i);
  bool fits = strew_tensor_dtype(tensor) == dtype && strew_tensor_is_contiguous(tensor) &&
              strew_data(tensor, &data, NULL) == STREW_OK;
  luaL_argcheck(L, fits, i, "contiguous tensor on the CPU expected");
  return data;
}

static struct rows check_rows(lua_State *L, int i) {
  const strew_tensor *tensor = strew_check(L, i);
  const strew_dtype dtype = strew_tensor_dtype(tensor);
  struct rows rows = {ranks_data(L, i, dtype), strew_dtype_size_bytes(dtype), 1, MPI_BYTE};
  rows.type = type_of(rows.element_bytes);
  for (int d = 1; d < strew_tensor_rank(tensor); d++) rows.width *= strew_tensor_sizes(tensor)[d];
  return rows;
}

int64_t *ranks_counts(lua_State *L, int i, int64_t factor) {
  int64_t *counts = lua_newuserdatauv(L, (size_t)world.size * sizeof *counts, 0);
  luaL_checktype(L, i, LUA_TTABLE);
  for (int r = 0; r < world.size; r++) {
    lua_rawgeti(L, i, r + 1);
    counts[r] = luaL_checkinteger(L, -1) * factor;
    lua_pop(L, 1);
  }
  return counts;
}

int ranks_push(lua_State *L, const int64_t *values) {
  lua_createtable(L, world.size, 0);
  for (int r = 0; r < world.size; r++) {
    lua_pushinteger(L, values[r]);
    lua_rawseti(L, -2, r + 1);
  }
  return 1;
}

/* same(call): fails unless all ranks pass the same text. */
static int same(lua_State *L) {
  ranks_say(luaL_checkstring(L, 1));
  ranks_agree_or_raise(L);
  return 0;
}

/* swap(counts): counts[r + 1] goes to rank r; returns what the ranks sent to this one. */
static int swap(lua_State *L) {
  int64_t *counts = ranks_counts(L, 1, 1), *received = lua_newuserdatauv(L, (size_t)world.size * sizeof *received, 0);
  ranks_agree_or_raise(L);
  MPI_Alltoall(counts, 1, MPI_INT64_T, received, 1, MPI_INT64_T, world.comm);
  return ranks_push(L, received);
}

/* tell(root, text): returns the text of rank root, of at most 1000 bytes. */
static int tell(lua_State *L) {
  char text[1001] = {0};
  int root = (int)luaL_checkinteger(L, 1);
  strncpy(text, luaL_checkstring(L, 2), sizeof text - 1);
  ranks_agree_or_raise(L);
  MPI_Bcast(text, sizeof text, MPI_CHAR, root, world.comm);
  lua_pushstring(L, text);
  return 1;
}

/* In pieces that MPI can count. */
static void bcast_elements(char *data, int64_t elements, const struct rows *rows, int root) {
  while (elements > 0) {
    int count = (int)(elements < MOST_ELEMENTS ? elements : MOST_ELEMENTS);
    MPI_Bcast(data, count, rows->type, root, world.comm);
    data += (size_t)count * rows->element_bytes;
    elements -= count;
  }
}

/* bcast(tensor, root): writes the elements of rank root to the tensor, which has the same shape on all ranks. */
static int bcast(lua_State *L) {
  struct rows rows = check_rows(L, 1);
  int root = (int)luaL_checkinteger(L, 2);
  int64_t elements = strew_tensor_numel(strew_check(L, 1));
  ranks_agree_or_raise(L);
  bcast_elements(rows.data, elements, &rows, root);
  return 0;
}

/* share(to, counts, from): `to` receives counts[r + 1] rows of each rank r, in rank order. */
static int share(lua_State *L) {
  struct rows to = check_rows(L, 1), from = check_rows(L, 3);
  const int64_t *counts = ranks_counts(L, 2, to.width);
  ranks_agree_or_raise(L);
  char *at = to.data;
  for (int r = 0; r < world.size; r++) {
    size_t bytes = (size_t)counts[r] * to.element_bytes;
    if (r == world.rank && bytes) memcpy(at, from.data, bytes);
    bcast_elements(at, counts[r], &to, r);
    at += bytes;
  }
  return 0;
}

/* ------------------------------------------------------------------------------------------------------ exchanges */

/* One direction of an exchange: the elements for (or from) each rank, one rank after the other. */
struct side {
  struct rows rows;
  const int64_t *counts; /* elements per rank */
  int *now, *starts;     /* counts and displacements of one call of MPI, in elements */
  char *staging;
};

static int64_t sum_of(const int64_t *counts) {
  int64_t sum = 0;
  for (int r = 0; r < world.size; r++) sum += counts[r];
  return sum;
}

/* Chooses elements `from` to `from` + `most` - 1 of each rank, or fewer at its end. */
static void choose(struct side *side, int64_t from, int64_t most) {
  int start = 0;
  for (int r = 0; r < world.size; r++) {
    int64_t rest = side->counts[r] > from ? side->counts[r] - from : 0;
    side->now[r] = (int)(rest < most ? rest : most);
    side->starts[r] = start;
    start += side->now[r];
  }
}

/* Copies the chosen elements to the staging buffer, or back. */
static void stage(struct side *side, int64_t from, bool is_back) {
  const size_t bytes = side->rows.element_bytes;
  char *begin = side->rows.data;
  if (!begin) return; /* no rows */
  for (int r = 0; r < world.size; r++) {
    char *there = begin + (size_t)from * bytes, *here = side->staging + (size_t)side->starts[r] * bytes;
    if (side->now[r]) memcpy(is_back ? there : here, is_back ? here : there, (size_t)side->now[r] * bytes);
    begin += (size_t)side->counts[r] * bytes;
  }
}

static void send(const struct side *sent, const struct side *received, char *from, char *to) {
  MPI_Alltoallv(from, sent->now, sent->starts, sent->rows.type, to, received->now, received->starts,
                received->rows.type, world.comm);
}

/* Exchanges at most `most` elements with each rank in each of `rounds` calls, through staging buffers. A limit or
   Ctrl-C on any rank ends it after a round. */
static void send_rounds(struct side *sent, struct side *received, int64_t rounds, int64_t most,
                        strew_context *context) {
  strew_error error = {.alias = world.op};
  for (int64_t round = 0; round < rounds; round++) {
    strew_context_check(context, 0, &error);
    if (!ranks_agree(&error)) return;
    choose(sent, round * most, most);
    choose(received, round * most, most);
    stage(sent, round * most, false);
    send(sent, received, sent->staging, received->staging);
    stage(received, round * most, true);
  }
}

static bool fail_memory(strew_error *error, size_t bytes) {
  return strew_error_set(error, STREW_EMEMORY, NULL, "out of memory: %zu bytes", bytes) == STREW_OK;
}

static void exchange_staged(struct side *sent, struct side *received, int64_t largest, strew_context *context) {
  const size_t element_bytes = sent->rows.element_bytes;
  int64_t most = world.staging_bytes / (int64_t)element_bytes / world.size;
  if (most > INT_MAX / world.size) most = INT_MAX / world.size; /* MPI counts by int */
  if (most < 1) most = 1;
  const size_t bytes = (size_t)most * (size_t)world.size * element_bytes;
  strew_error error = {.alias = world.op};
  bool is_charged = strew_context_charge(context, 2 * bytes);
  sent->staging = is_charged ? malloc(bytes) : NULL;
  received->staging = is_charged ? malloc(bytes) : NULL;
  if (!sent->staging || !received->staging) fail_memory(&error, 2 * bytes);
  if (ranks_agree(&error)) send_rounds(sent, received, (largest + most - 1) / most, most, context);
  free(sent->staging);
  free(received->staging);
  if (is_charged) strew_context_discharge(context, 2 * bytes);
}

static struct side make_side(lua_State *L, int tensor, int counts) {
  struct side side = {.rows = check_rows(L, tensor)};
  side.counts = ranks_counts(L, counts, side.rows.width);
  side.now = lua_newuserdatauv(L, (size_t)world.size * sizeof(int), 0);
  side.starts = lua_newuserdatauv(L, (size_t)world.size * sizeof(int), 0);
  return side;
}

/* exchange(to, received, from, sent): sent[r + 1] rows of `from` go to rank r; `to` receives received[r + 1] rows of
   rank r; both are in rank order. In one call of MPI if that can count them, else in rounds, through staging
   buffers. */
static int exchange(lua_State *L) {
  struct side received = make_side(L, 1, 2), sent = make_side(L, 3, 4);
  int64_t sent_elements = sum_of(sent.counts), received_elements = sum_of(received.counts), largest = 0;
  for (int r = 0; r < world.size; r++)
    if (sent.counts[r] > largest) largest = sent.counts[r];
  bool is_long = world.always_staged || sent_elements > MOST_ELEMENTS || received_elements > MOST_ELEMENTS;
  int64_t mine[] = {is_long, largest}, all[2];
  ranks_agree_or_raise(L);
  MPI_Allreduce(mine, all, 2, MPI_INT64_T, MPI_MAX, world.comm);
  if (all[0]) {
    exchange_staged(&sent, &received, all[1], strew_context_of(L));
    if (world.failed) return lua_pushnil(L), lua_error(L);
  } else {
    choose(&sent, 0, MOST_ELEMENTS);
    choose(&received, 0, MOST_ELEMENTS);
    send(&sent, &received, sent.rows.data, received.rows.data);
  }
  world.sent_bytes += (sent_elements - sent.counts[world.rank]) * (int64_t)sent.rows.element_bytes;
  return 0;
}

const luaL_Reg exchange_functions[] = {{"same", same},   {"swap", swap},         {"tell", tell}, {"bcast", bcast},
                                       {"share", share}, {"exchange", exchange}, {NULL, NULL}};
