/* cumsum.cl: running sums, in the order that runtime/core.h gives: those of each block of 1024 elements for itself, to
   each of which the block's carry is added from the left, the sum of the earlier blocks' totals, first to last. Where
   the blocks of a line go to several work-items, the same kernel runs twice: it finds the totals (TOTALS 1), these give
   way to carries, and it writes. There are three of them:
     scan_items    one work-item for a block, or a line
     scan_tile     one work-item for a block, or the whole, of TILE neighbouring lines: for processors that have vectors
     scan_staged   64 work-items bring 16 blocks through local memory, where 16 of them add
   The host defines
     S, OUT       suffixes of the dtypes of elements and sums
     OUTER        of the lines, see space.h
     WAY          WAY_ITEMS, WAY_TILE, WAY_STAGED or WAY_CARRIES: which kernels there are
     TOTALS       1: only the blocks' totals are wanted
     DENSE        1: steps of 1 along the line (WAY_ITEMS) or from line to line (WAY_TILE), in both operands
     SPAN         WAY_ITEMS: blocks that a work-item has in hand at once, so that no sum waits for the one before it */
#include "prelude.h"
#include "scalar.h"
#include "space.h"

#define WAY_ITEMS   0
#define WAY_TILE    1
#define WAY_STAGED  2
#define WAY_CARRIES 3

#ifndef S
#define S      f32
#define OUT    f32
#define WAY    WAY_ITEMS
#define TOTALS 0
#define DENSE  1
#define SPAN   4
#endif

#define BLOCK 1024
#define GROUP 64

#define WIDE CAT(EXACT_, S)
typedef CAT(T_, WIDE) wide;
typedef CAT(T_, S) IN;
typedef CAT(T_, OUT) OUT_OF;
#define PLUS(a, b)  CAT(plus_, WIDE)(a, b)
#define ELEMENT(at) CAT(load_, S)(in[at])
#define STORED(x)   CAT(CAT(OUT, _from_), WIDE)(x)

/* SPACE and the operands' own steps are those of the lines; along one there are n elements, with steps of run. A
   work-item has `span` blocks of a line, one after the other. Totals, and later carries, lie block by block, one for
   each line; without memory for them, a work-item has all blocks of its line. */
#define LINES                                                                                                          \
  SPACE, OPERAND(OUT_OF, out), OPERAND(const IN, in), const long lines, const long n, const long out_run,              \
      const long in_run, const long blocks, const long span, __global wide *carries
#define CARRY(block, line) carries[(block)*lines + (line)]
#define FIRSTS_OF(line)                                                                                                \
  const long row = quotient(line, columns), column = (line)-row * columns;                                             \
  const coordinates at = coordinates_of(row, rows, sizes);                                                             \
  const long in_first = AT(in), out_first = AT(out)

#if WAY == WAY_ITEMS
#if DENSE
#define IN_RUN  1
#define OUT_RUN 1
#else
#define IN_RUN  in_run
#define OUT_RUN out_run
#endif

/* Elements begin .. begin + count - 1, of one block. */
static inline wide scan_block(__global OUT_OF *out, __global const IN *in, long out_run, long in_run, int count,
                              wide carry) {
  wide sum = 0;
  for (int i = 0; i < count; i++) {
    sum = PLUS(sum, ELEMENT(i * IN_RUN));
#if !TOTALS
    out[i * OUT_RUN] = STORED(PLUS(carry, sum));
#endif
  }
  return sum;
}

/* SPAN full blocks: their totals; and their running sums. */
static inline void span_totals(__global const IN *in, long in_run, wide *sums) {
  for (int g = 0; g < SPAN; g++) sums[g] = 0;
  for (int i = 0; i < BLOCK; i++)
    for (int g = 0; g < SPAN; g++) sums[g] = PLUS(sums[g], ELEMENT((g * BLOCK + i) * IN_RUN));
}
static inline void span_sums(__global OUT_OF *out, __global const IN *in, long out_run, long in_run,
                             const wide *carry) {
  wide sums[SPAN];
  for (int g = 0; g < SPAN; g++) sums[g] = 0;
  for (int i = 0; i < BLOCK; i++)
    for (int g = 0; g < SPAN; g++) {
      sums[g] = PLUS(sums[g], ELEMENT((g * BLOCK + i) * IN_RUN));
      out[(g * BLOCK + i) * OUT_RUN] = STORED(PLUS(carry[g], sums[g]));
    }
}

__kernel void scan_items(LINES) {
  const long id = (long)get_global_id(0), chunk = quotient(id, lines), line = id - chunk * lines;
  const long first = chunk * span, end = min(first + span, blocks);
  if (first >= blocks) return;
  FIRSTS_OF(line);
  wide running = 0;
  for (long block = first; block < end;) {
    const long place = block * BLOCK;
    __global const IN *from = in + in_first + place * IN_RUN;
    __global OUT_OF *to = out + out_first + place * OUT_RUN;
    if (block + SPAN <= end && place + SPAN * BLOCK <= n) {
      wide sums[SPAN], carry[SPAN];
#if TOTALS
      span_totals(from, in_run, sums);
      for (int g = 0; g < SPAN; g++) CARRY(block + g, line) = sums[g];
#else
      if (!carries) span_totals(from, in_run, sums);
      for (int g = 0; g < SPAN; g++) {
        carry[g] = carries ? CARRY(block + g, line) : running;
        if (!carries) running = PLUS(running, sums[g]);
      }
      span_sums(to, from, out_run, in_run, carry);
#endif
      block += SPAN;
    } else {
      const wide carry = !TOTALS && carries ? CARRY(block, line) : running;
      const wide sum = scan_block(to, from, out_run, in_run, (int)min((long)BLOCK, n - place), carry);
      if (TOTALS) CARRY(block, line) = sum;
      running = PLUS(running, sum);
      block++;
    }
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
  wide sums[TILE], carry[TILE];
  for (int c = 0; c < TILE; c++) {
    sums[c] = 0;
    carry[c] = !TOTALS && carries && c < width ? CARRY(chunk, line + c) : 0;
  }
  for (long i = begin; i < end; i++) {
    __global const IN *from = in + AT(in) + i * in_run;
    __global OUT_OF *to = out + AT(out) + i * out_run;
    if (i % BLOCK == 0 && i > begin)
      for (int c = 0; c < TILE; c++) {
        carry[c] = PLUS(carry[c], sums[c]);
        sums[c] = 0;
      }
#define TAKE(c)                                                                                                        \
  {                                                                                                                    \
    sums[c] = PLUS(sums[c], CAT(load_, S)(from[(c)*IN_STEP]));                                                         \
    if (!TOTALS) to[(c)*OUT_STEP] = STORED(PLUS(carry[c], sums[c]));                                                   \
  }
    if (width == TILE)
      for (int c = 0; c < TILE; c++) TAKE(c)
    else
      for (int c = 0; c < width; c++) TAKE(c)
  }
  if (TOTALS)
    for (int c = 0; c < width; c++) CARRY(chunk, line + c) = sums[c];
}
#endif

#if WAY == WAY_STAGED
#define ROWS 16 /* blocks of a group */

/* Neighbouring work-items read neighbouring elements; then each of the first 16 goes along its block. */
__kernel void scan_staged(LINES) {
  __local wide stage[ROWS][GROUP + 1];
  __local long in_firsts[ROWS], out_firsts[ROWS];
  __local int counts[ROWS];
  const int id = (int)get_local_id(0), longest = (int)min((long)BLOCK, n);
  const long slot = (long)group_id() * ROWS + id, line = quotient(slot, blocks), block = slot - line * blocks;
  const bool adds = id < ROWS && line < lines;
  wide sum = 0, carry = 0;
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
    const int place = begin + id;
    for (int r = 0; r < ROWS; r++)
      if (place < counts[r]) stage[r][id] = ELEMENT(in_firsts[r] + place * in_run);
    barrier(CLK_LOCAL_MEM_FENCE);
    if (adds)
      for (int i = 0; i < GROUP && begin + i < counts[id]; i++) {
        sum = PLUS(sum, stage[id][i]);
        stage[id][i] = PLUS(carry, sum);
      }
    barrier(CLK_LOCAL_MEM_FENCE);
    if (!TOTALS)
      for (int r = 0; r < ROWS; r++)
        if (place < counts[r]) out[out_firsts[r] + place * out_run] = STORED(stage[r][id]);
  }
  if (TOTALS && adds) CARRY(block, line) = sum;
}
#endif

#if WAY == WAY_CARRIES
/* Each total gives way to the sum of those before it, for blocks begin .. end - 1; `running` has one sum per line. */
#define TOTALS_OF                                                                                                      \
  const long lines, const long begin, const long end, __global wide *restrict carries, __global wide *restrict running

__kernel void carry_items(TOTALS_OF) {
  const long line = (long)get_global_id(0);
  if (line >= lines) return;
  wide sum = begin ? running[line] : 0;
  for (long block = begin; block < end; block++) {
    const wide total = carries[block * lines + line];
    carries[block * lines + line] = sum;
    sum = PLUS(sum, total);
  }
  running[line] = sum;
}

/* A group for each line: it brings totals to local memory, where one work-item adds, a few loads ahead of its sums. */
#define STAGE 1024
#define AHEAD 8
__kernel void carry_group(TOTALS_OF) {
  __local wide stage[STAGE];
  const long line = (long)group_id();
  const int id = (int)get_local_id(0);
  wide sum = begin ? running[line] : 0;
  for (long first = begin; first < end; first += STAGE) {
    const int count = (int)min((long)STAGE, end - first);
    for (int i = id; i < STAGE; i += GROUP) stage[i] = i < count ? carries[(first + i) * lines + line] : 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    if (id == 0)
      for (int i = 0; i < STAGE; i += AHEAD) {
        wide totals[AHEAD];
        for (int k = 0; k < AHEAD; k++) totals[k] = stage[i + k];
        for (int k = 0; k < AHEAD; k++) {
          stage[i + k] = sum;
          sum = PLUS(sum, totals[k]);
        }
      }
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int i = id; i < count; i += GROUP) carries[(first + i) * lines + line] = stage[i];
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  if (id == 0) running[line] = sum;
}
#endif
