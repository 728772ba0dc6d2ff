/* run.h: the sum of a run of contributions to one destination, in local memory, by all work-items of a group, with the
   bits of one addition after the other: within a binade of the sum each contribution is a number of units, see
   runtime/core/cpu/core_loops.h. A half goes to the even neighbour of the sum: contributions are maps from the sum's
   parity to a number of units, and maps are composed by a scan. All before the first that leaves the binade are added
   at once. */
#ifndef STREW_RUN_H
#define STREW_RUN_H

#define RUN_BITS_f32(x)  ((ulong)bits_of_float(x))
#define RUN_BITS_f64(x)  bits_of_double(x)
#define RUN_OF_f32(bits) float_of_bits((uint)(bits))
#define RUN_OF_f64(bits) double_of_bits(bits)
#define RUN_FRACTION_f32 23
#define RUN_FRACTION_f64 52
#define RUN_SPECIAL_f32  255
#define RUN_SPECIAL_f64  2047
#define RUN_BITS(x)      CAT(RUN_BITS_, CAT(EXACT_, S))(x)
#define RUN_OF(bits)     CAT(RUN_OF_, CAT(EXACT_, S))(bits)
#define RUN_FRACTION     CAT(RUN_FRACTION_, CAT(EXACT_, S))
#define RUN_SPECIAL      CAT(RUN_SPECIAL_, CAT(EXACT_, S))
#define RUN_EXPONENT(x)  ((int)(RUN_BITS(x) >> RUN_FRACTION) & RUN_SPECIAL)
#define RUN_POWER(e)     ((ulong)(e) << RUN_FRACTION)

enum {
  RUN_STEP = 16, /* contributions that are added one by one at an end of a binade, at least */
  RUN_EXITS = 4  /* ends of binades in a tile, after which the rest of it is added one by one */
};

struct run_scratch {
  long even[GROUP_SIZE], odd[GROUP_SIZE]; /* what the work-items up to each add to an even sum, and to an odd one */
  int stop;
  W held;
};

/* What a work-item's contributions add to an even sum and an odd one, and how far on the way. */
struct run_map {
  long by[2], low[2], high[2];
  bool leaves;
};

/* (By a pointer: Oclgrind lacks what compilers make of a struct that is returned.) */
static inline void run_map_of(struct run_map *map, __local const W *x, int count, ulong low, int sign) {
  for (int p = 0; p < 2; p++) map->by[p] = map->low[p] = map->high[p] = 0;
  map->leaves = false;
  const long limit = 1l << (RUN_FRACTION - 1); /* units: the distance of the magic number from the ends of its binade */
  const ulong magic_bits = low | (ulong)limit, half_bits = low - RUN_POWER(RUN_FRACTION + 1);
  const W magic = RUN_OF(magic_bits);
  for (int i = 0; i < count; i++) {
    const W moved = PLUS(x[i], magic), rest = PLUS(x[i], CAT(negate_, S)(PLUS(moved, CAT(negate_, S)(magic))));
    long units = (long)(RUN_BITS(moved) - magic_bits);
    if (units <= -limit || units >= limit) map->leaves = true, units = 0;
    const ulong rest_bits = RUN_BITS(rest), rest_sign = RUN_POWER(RUN_SPECIAL + 1);
    const int turn = (rest_bits & ~rest_sign) != half_bits ? 0 : rest_bits & rest_sign ? -sign : sign;
    for (int p = 0; p < 2; p++) {
      map->by[p] += sign * units + ((p + map->by[p]) & 1 ? turn : 0);
      map->low[p] = min(map->low[p], map->by[p]);
      map->high[p] = max(map->high[p], map->by[p]);
    }
  }
}

/* Composes the maps of all work-items: each is that of those up to it. */
static inline void run_scan(__local struct run_scratch *scratch, int lane) {
  for (int step = 1; step < GROUP_SIZE; step *= 2) {
    barrier(CLK_LOCAL_MEM_FENCE);
    const long even = lane < step ? 0 : scratch->even[lane - step], odd = lane < step ? 0 : scratch->odd[lane - step];
    const long mine[2] = {scratch->even[lane], scratch->odd[lane]};
    barrier(CLK_LOCAL_MEM_FENCE);
    scratch->even[lane] = even + mine[even & 1];
    scratch->odd[lane] = odd + mine[(1 + odd) & 1];
  }
}

static inline W run_one_by_one(W held, __local const W *x, int count, __local struct run_scratch *scratch, int lane) {
  barrier(CLK_LOCAL_MEM_FENCE);
  if (lane == 0) {
    IN_ORDER for (int i = 0; i < count; i++) held = PLUS(held, x[i]);
    scratch->held = held;
  }
  barrier(CLK_LOCAL_MEM_FENCE);
  return scratch->held;
}

/* Work-item 0's `held` with the contributions added. All work-items of the group call it. */
static inline W run_sum(W held, __local const W *x, int count, __local struct run_scratch *scratch) {
  const int lane = (int)get_local_id(0);
  held = run_one_by_one(held, x, 0, scratch, lane);
  for (int exits = 0; count > 0;) {
    const int exponent = RUN_EXPONENT(held), each = (count + GROUP_SIZE - 1) / GROUP_SIZE;
    int done = 0, next = min(count, max(each, (int)RUN_STEP));
    if (exits == RUN_EXITS) next = count;
    if (exits < RUN_EXITS && exponent > RUN_FRACTION + 1 && exponent < RUN_SPECIAL) {
      const ulong bits = RUN_BITS(held), low = RUN_POWER(exponent);
      const int begin = min(count, lane * each), rows = min(each, count - begin);
      struct run_map map;
      run_map_of(&map, x + begin, rows, low, bits >> RUN_FRACTION > (ulong)exponent ? -1 : 1);
      const long above = (long)(bits & (RUN_POWER(1) - 1)); /* units above the power of two */
      scratch->even[lane] = map.by[0], scratch->odd[lane] = map.by[1];
      run_scan(scratch, lane);
      if (lane == 0) scratch->stop = GROUP_SIZE;
      barrier(CLK_LOCAL_MEM_FENCE);
      __local const long *by = above & 1 ? scratch->odd : scratch->even;
      const long at = above + (lane ? by[lane - 1] : 0);
      if (map.leaves || at + map.low[at & 1] < 1 || at + map.high[at & 1] >= (long)RUN_POWER(1))
        atomic_min(&scratch->stop, lane);
      barrier(CLK_LOCAL_MEM_FENCE);
      const int stop = scratch->stop;
      held = RUN_OF(bits + (ulong)(stop ? by[stop - 1] : 0));
      done = min(count, stop * each);
      exits += stop < GROUP_SIZE;
      if (stop == GROUP_SIZE) next = 0;
    }
    next = min(next, count - done);
    held = run_one_by_one(held, x + done, next, scratch, lane);
    x += done + next, count -= done + next;
  }
  return held;
}

#endif
