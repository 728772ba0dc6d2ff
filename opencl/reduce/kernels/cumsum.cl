/* cumsum.cl: running sums in the order that reduce_ops.h defines: half runs, the pair before the run, and the
   carry, which is the pair of the line's earlier blocks. If the blocks of a line go to several work-items, the same
   kernel runs twice: with TOTALS 1 it computes the blocks' totals; carry_items or carry_group turns these into carries;
   then it writes the sums.
     scan_items    one work-item per block, or per line
     scan_tile     one work-item per block, or all blocks, of TILE neighbouring lines: for CPUs, by vectors
     scan_staged   64 work-items stage 16 blocks in local memory: each adds a run, 16 of them the runs
   The host defines
     S, OUT       suffixes of the dtypes of elements and sums
     OUTER        of the lines, see space.h
     WAY          WAY_ITEMS, WAY_TILE, WAY_STAGED or WAY_CARRIES: which kernels to compile
     TOTALS       1: compute only the blocks' totals
     DENSE        1: unit stride in both operands along the line (WAY_ITEMS) or across lines (WAY_TILE) */
#include "opencl/core/kernels/space.h"
#include "runtime/elementwise/shared/double_sums.h"

#define WAY_ITEMS   0
#define WAY_TILE    1
#define WAY_STAGED  2
#define WAY_CARRIES 3

#define BLOCK 1024
#define RUN   16
#define HALF  8
#define GROUP 64

#define WIDE CAT(EXACT_, S)
typedef CAT(T_, WIDE) wide;
typedef CAT(pair_, WIDE) pair;
typedef CAT(T_, S) IN;
typedef CAT(T_, OUT) OUT_OF;
#define PLUS(a, b)       CAT(plus_, WIDE)(a, b)
#define PAIR(high, low)  CAT(make_pair_, WIDE)(high, low)
#define NONE             PAIR(0, 0)
#define JOINED(a, b)     CAT(add_pairs_, WIDE)(a, b)
#define EXTENDED(a, x)   CAT(add_to_pair_, WIDE)(a, x)
#define AFTER(before, x) CAT(with_pair_, WIDE)(before, x)
#define ELEMENT(at)      CAT(load_, S)(in[at])
#define STORED(x)        CAT(CAT(OUT, _from_), WIDE)(x)

/* SPACE and the operands' strides are those of the lines. A line has n elements with strides out_run and in_run. A
   work-item scans `span` consecutive blocks of a line. `carries` holds totals, then carries, indexed [block][line];
   NULL if a work-item scans all blocks of its line. */
#define LINES                                                                                                          \
  SPACE, OPERAND(OUT_OF, out), OPERAND(const IN, in), const long lines, const long n, const long out_run,              \
      const long in_run, const long blocks, const long span, __global pair *carries
#define CARRY(block, line) carries[(block)*lines + (line)]
#define FIRSTS_OF(line)                                                                                                \
  PLACE_OF(line);                                                                                                      \
  const long in_first = AT(in), out_first = AT(out)

#if WAY == WAY_ITEMS
#if DENSE
#define IN_RUN  1
#define OUT_RUN 1
#else
#define IN_RUN  in_run
#define OUT_RUN out_run
#endif

#define ADD_ELEMENT(i, before, sum)                                                                                    \
  {                                                                                                                    \
    sum = PLUS(sum, ELEMENT((i)*IN_RUN));                                                                              \
    if (!TOTALS) out[(i)*OUT_RUN] = STORED(AFTER(before, sum));                                                        \
  }

/* Scans a block of `count` elements after the pair `carry`. Returns the block's total if `wanted`. */
static inline pair scan_block(__global OUT_OF *out, __global const IN *in, long out_run, long in_run, int count,
                              pair carry, bool wanted) {
  pair runs = NONE, before = carry;
  for (int begin = 0; begin < count; begin += RUN) {
    const int middle = min(begin + HALF, count), end = min(begin + RUN, count);
    wide first = 0, second = 0;
    IN_ORDER for (int i = begin; i < middle; i++) ADD_ELEMENT(i, before, first)
    before.low = PLUS(before.low, first);
    IN_ORDER for (int i = middle; i < end; i++) ADD_ELEMENT(i, before, second)
    if (!wanted && end == count) break;
    runs = EXTENDED(runs, PLUS(first, second));
    before = JOINED(carry, runs);
  }
  return runs;
}

__kernel void scan_items(LINES) {
  const long id = (long)get_global_id(0), chunk = quotient(id, lines), line = id - chunk * lines;
  const long first = chunk * span, end = min(first + span, blocks);
  if (first >= blocks) return;
  FIRSTS_OF(line);
  pair running = NONE;
  for (long block = first; block < end; block++) {
    const long position = block * BLOCK;
    pair carry = running;
    if (!TOTALS && carries) carry = CARRY(block, line);
    const pair total = scan_block(out + out_first + position * OUT_RUN, in + in_first + position * IN_RUN, out_run,
                                  in_run, (int)min((long)BLOCK, n - position), carry, TOTALS || block + 1 < end);
    if (TOTALS) CARRY(block, line) = total;
    running = JOINED(running, total);
  }
}
#endif

#if WAY == WAY_TILE
#if DENSE
#define IN_STEP  1
#define OUT_STEP 1
#else
#define IN_STEP  in_step
#define OUT_STEP out_step
#endif

__kernel void scan_tile(LINES) {
  const long tiles = (columns + TILE - 1) / TILE, id = (long)get_global_id(0);
  const long row_of_all = quotient(id, tiles), column = (id - row_of_all * tiles) * TILE;
  const long chunk = quotient(row_of_all, rows), row = row_of_all - chunk * rows;
  const long begin = chunk * span * BLOCK, end = min(begin + span * BLOCK, n), line = row * columns + column;
  const int width = (int)min((long)TILE, columns - column);
  if (begin >= n) return;
  const coordinates at = coordinates_of(row, rows, sizes);
  /* pairs: before a run (lows includes its first half), of the block's runs, of the earlier blocks */
  wide sums[TILE], firsts[TILE], highs[TILE], lows[TILE], runs[TILE], run_lows[TILE], carry[TILE], carry_lows[TILE];
  for (int c = 0; c < TILE; c++) {
    sums[c] = firsts[c] = runs[c] = run_lows[c] = carry[c] = carry_lows[c] = 0;
    if (!TOTALS && carries && c < width) {
      carry[c] = CARRY(chunk, line + c).high;
      carry_lows[c] = CARRY(chunk, line + c).low;
    }
    highs[c] = carry[c], lows[c] = carry_lows[c];
  }
  IN_ORDER for (long i = begin; i < end; i++) {
    __global const IN *from = in + AT(in) + i * in_run;
    __global OUT_OF *to = out + AT(out) + i * out_run;
    if (i % RUN == HALF) {
      for (int c = 0; c < TILE; c++) {
        firsts[c] = sums[c];
        lows[c] = PLUS(lows[c], sums[c]);
        sums[c] = 0;
      }
    } else if (i % RUN == 0 && i > begin) {
      for (int c = 0; c < TILE; c++) {
        const pair sum = EXTENDED(PAIR(runs[c], run_lows[c]), PLUS(firsts[c], sums[c]));
        runs[c] = sum.high, run_lows[c] = sum.low;
        sums[c] = firsts[c] = 0;
      }
      for (int c = 0; c < TILE; c++) {
        const pair before = JOINED(PAIR(carry[c], carry_lows[c]), PAIR(runs[c], run_lows[c]));
        highs[c] = before.high, lows[c] = before.low;
      }
      if (i % BLOCK == 0)
        for (int c = 0; c < TILE; c++) {
          carry[c] = highs[c], carry_lows[c] = lows[c];
          runs[c] = run_lows[c] = 0;
        }
    }
#define ADD_ELEMENT(c)                                                                                                 \
  {                                                                                                                    \
    sums[c] = PLUS(sums[c], CAT(load_, S)(from[(c)*IN_STEP]));                                                         \
    if (!TOTALS) to[(c)*OUT_STEP] = STORED(AFTER(PAIR(highs[c], lows[c]), sums[c]));                                   \
  }
    if (width == TILE)
      for (int c = 0; c < TILE; c++) ADD_ELEMENT(c)
    else
      for (int c = 0; c < width; c++) ADD_ELEMENT(c)
  }
  if (TOTALS)
    for (int c = 0; c < width; c++)
      CARRY(chunk, line + c) = EXTENDED(PAIR(runs[c], run_lows[c]), PLUS(firsts[c], sums[c]));
}
#endif

#if WAY == WAY_STAGED
#define ROWS 16           /* blocks of a group */
#define RUNS (GROUP / RUN) /* runs of a block at a time */

/* Loads are coalesced into local memory. Each work-item adds a run; then each of the first 16 the runs of its block. */
__kernel void scan_staged(LINES) {
  __local wide stage[ROWS][GROUP + 1], firsts[GROUP], sums[GROUP];
  __local pair befores[GROUP];
  __local long in_firsts[ROWS], out_firsts[ROWS];
  __local int counts[ROWS];
  const int id = (int)get_local_id(0), longest = (int)min((long)BLOCK, n);
  const long slot = (long)group_id() * ROWS + id, line = quotient(slot, blocks), block = slot - line * blocks;
  const bool adds = id < ROWS && line < lines;
  pair carry = NONE, runs = NONE;
  if (adds) {
    FIRSTS_OF(line);
    in_firsts[id] = in_first + block * BLOCK * in_run;
    out_firsts[id] = out_first + block * BLOCK * out_run;
    counts[id] = (int)min((long)BLOCK, n - block * BLOCK);
    if (!TOTALS && carries) carry = CARRY(block, line);
  } else if (id < ROWS) {
    counts[id] = 0;
  }
  barrier(CLK_LOCAL_MEM_FENCE);
  for (int begin = 0; begin < longest; begin += GROUP) {
    const int position = begin + id;
    for (int r = 0; r < ROWS; r++)
      if (position < counts[r]) stage[r][id] = ELEMENT(in_firsts[r] + position * in_run);
    barrier(CLK_LOCAL_MEM_FENCE);
    const int mine = id / RUNS, b = id % RUNS * RUN, left = counts[mine] - begin - b;
    const int middle = b + min(HALF, left), end = b + min(RUN, left);
    wide first = 0, second = 0;
    IN_ORDER for (int i = b; i < middle; i++) {
      first = PLUS(first, stage[mine][i]);
      if (!TOTALS) stage[mine][i] = first;
    }
    IN_ORDER for (int i = middle; i < end; i++) {
      second = PLUS(second, stage[mine][i]);
      if (!TOTALS) stage[mine][i] = second;
    }
    firsts[id] = first, sums[id] = PLUS(first, second);
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int run = id * RUNS; adds && run < (id + 1) * RUNS && begin + run % RUNS * RUN < counts[id]; run++) {
      if (!TOTALS) befores[run] = JOINED(carry, runs);
      runs = EXTENDED(runs, sums[run]);
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int r = 0; r < ROWS && !TOTALS; r++) {
      if (position >= counts[r]) continue;
      const int run = r * RUNS + id / RUN;
      pair before = befores[run];
      if (id % RUN >= HALF) before.low = PLUS(before.low, firsts[run]);
      out[out_firsts[r] + position * out_run] = STORED(AFTER(before, stage[r][id]));
    }
  }
  if (TOTALS && adds) CARRY(block, line) = runs;
}
#endif

#if WAY == WAY_CARRIES
/* Replace each block's total by the sum of those before it, for blocks begin .. end - 1. `running` has the sum so far,
   one per line, between launches. */
#define CARRY_PARAMETERS                                                                                               \
  const long lines, const long begin, const long end, __global pair *restrict carries, __global pair *restrict running

__kernel void carry_items(CARRY_PARAMETERS) {
  const long line = (long)get_global_id(0);
  if (line >= lines) return;
  pair sum = NONE;
  if (begin) sum = running[line];
  for (long block = begin; block < end; block++) {
    const pair total = carries[block * lines + line];
    carries[block * lines + line] = sum;
    sum = JOINED(sum, total);
  }
  running[line] = sum;
}

/* One group per line: it stages totals in local memory. One work-item adds the high parts, all find what was lost of
   them, one adds the low parts: three of the nine additions of a pair are in a row. AHEAD totals are loaded before they
   are added. */
#define STAGE 1024
#define AHEAD 8
__kernel void carry_group(CARRY_PARAMETERS) {
  __local pair stage[STAGE];
  __local wide highs[STAGE + 1];
  const long line = (long)group_id();
  const int id = (int)get_local_id(0);
  pair sum = NONE;
  if (begin) sum = running[line];
  for (long first = begin; first < end; first += STAGE) {
    const int count = (int)min((long)STAGE, end - first);
    for (int i = id; i < STAGE; i += GROUP) {
      stage[i] = NONE;
      if (i < count) stage[i] = carries[(first + i) * lines + line];
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    if (id == 0) {
      for (int i = 0; i < STAGE; i += AHEAD) {
        wide totals[AHEAD];
        for (int k = 0; k < AHEAD; k++) totals[k] = stage[i + k].high;
        IN_ORDER for (int k = 0; k < AHEAD; k++) {
          highs[i + k] = sum.high;
          sum.high = PLUS(sum.high, totals[k]);
        }
      }
      highs[STAGE] = sum.high;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int i = id; i < STAGE; i += GROUP) stage[i].high = CAT(lost_, WIDE)(highs[i], stage[i].high, highs[i + 1]);
    barrier(CLK_LOCAL_MEM_FENCE);
    if (id == 0)
      for (int i = 0; i < STAGE; i += AHEAD) {
        pair totals[AHEAD];
        for (int k = 0; k < AHEAD; k++) totals[k] = stage[i + k];
        IN_ORDER for (int k = 0; k < AHEAD; k++) {
          stage[i + k].low = sum.low;
          sum.low = PLUS(PLUS(sum.low, totals[k].low), totals[k].high);
        }
      }
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int i = id; i < count; i += GROUP)
      carries[(first + i) * lines + line] = PAIR(highs[i], stage[i].low);
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  if (id == 0) running[line] = sum;
}
#endif
