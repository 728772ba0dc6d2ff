/* program.h: an elementwise plan made ready for the CPU (elementwise.c): operands are read block by block, each
   instruction is a loop over a block, and blocks between instructions stay in L1. */
#ifndef STREW_CPU_PROGRAM_H
#define STREW_CPU_PROGRAM_H

#include "cpu.h"
#include "runtime/core/base/elementwise_ops.h"
#include "runtime/elementwise/cpu/elementwise_loops.h"

/* BLOCK: the most elements of a block. */
enum { BLOCK = 1024, MOST_READS = MOST_INSTRUCTIONS * MOST_INPUTS, MOST_ACTIONS = MOST_INSTRUCTIONS * 8 };
/* Values, which actions read: of lanes, numbers and actions. */
enum { FIRST_LANE = 0, FIRST_NUMBER = MOST_READS, FIRST_ACTION = 2 * MOST_READS };
enum { MOST_VALUES = FIRST_ACTION + MOST_ACTIONS };

/* How an input is passed to the loops. */
struct lane {
  int operand; /* of the plan */
  int place;   /* number of the register that it is converted to */
  strew_dtype common, computed;
  convert_row *convert;           /* NULL: loops read memory directly */
  convert_row *narrow;            /* NULL, or the conversion to a 16-bit float, which `convert` then continues */
  int64_t size;                   /* of one element in the loop */
  int64_t row;                    /* length of short rows that were joined but are not adjacent; 0: none */
  int64_t row_step, element_step; /* in bytes */
  int64_t joined;                 /* all elements of the joined rows */
};

/* A number, and the block that is filled with it. */
struct number {
  const char *block;
  strew_dtype dtype;
  union element element;
};

/* A loop over a block, a conversion of its one input, or elements of a table that this chooses. */
struct action {
  kernel *run;          /* NULL: convert */
  convert_row *convert; /* NULL: take */
  struct lookup table;
  int size, from_size;         /* bytes of an element of the result, and of a conversion's input */
  int place;                   /* number of the register that it writes to */
  int op;                      /* of a float kernel that may be the first of a pair; -1: none */
  const uint32_t *ties;        /* of a function of float16 (STREW_TIES); NULL: none */
  const struct tie_rule *rule; /* of one of two 16-bit floats; NULL: none */
  uint32_t dropped;            /* DROPPED_S of that dtype */
  int inputs, in[MOST_INPUTS];
};

struct program {
  /* Writes the elements at begin .. begin + count - 1, in row-major order of the plan, which is not sorted, to `to`, in
     the dtype of operand 0, which is dense. */
  void (*read)(const struct program *program, int64_t begin, int64_t count, char *to);
  const struct plan *whole, *space; /* the plan; the same, or `joined` */
  struct plan joined;
  convert_row *convert;   /* the value that is written to out; NULL: the last action writes to memory */
  int64_t gives_bytes;    /* of an element of that value */
  int value;              /* its number */
  int64_t block;          /* elements; INT64_MAX: no value is kept in a block */
  int64_t register_bytes; /* from one register to the next */
  int cost;               /* of an element, in sums */
  bool prefetch;          /* of a feed: its inputs are in memory, not in a cache */
  int lane_count, number_count, action_count;
  int registers;                  /* of lanes */
  int results[MOST_INSTRUCTIONS]; /* values */
  int reads[MOST_INSTRUCTIONS];   /* of each result, by instructions */
  struct lane lanes[MOST_READS];
  struct number numbers[MOST_READS];
  struct action actions[MOST_ACTIONS];
  char constants[1 << 15] __attribute__((aligned(64)));
};

/* Computes a row, of at most `block` elements, and writes it to the row's operand 0. From any thread. */
void program_run(const struct program *program, const struct row *row);

/* --------------------------------------------------------------------------------------------------------- feed.c */

/* Makes the program of the operand's storage, if it has one, ready in `program` for the feeds of a call, and ends that:
   feed_begin(call, &operand, &program) .. feed_end(&operand). */
strew_status feed_begin(const struct call *call, const struct operand *operand, struct program *program);
void feed_end(const struct operand *operand);
/* Elements of an operand in order: those of a program are computed FED_BYTES ahead, which stay in L2 until they are used.
   (Shorter blocks, of 4 KiB, take as long as storing all elements: hardware prefetchers begin anew in each.) */
enum { FED_BYTES = 1 << 18 };
struct window {
  const struct program *program;   /* NULL: elements are in memory */
  const char *first, *begin, *end; /* addresses of element 0, and of those in the block */
  const char *last;                /* the end of the elements that are used; NULL: computed no further than needed */
  int64_t bytes;                   /* of an element */
  char *block;                     /* FED_BYTES */
};
/* Fills the window of an operand; `block` may be NULL if it has no program. */
void window_open(struct window *window, const struct operand *operand, const char *last, char *block);
/* Returns where the `count` adjacent elements at address `from` are; at most FED_BYTES. */
const char *window_at(struct window *window, const char *from, int64_t count);
/* Makes rows of `count` adjacent elements, `step` bytes apart, adjacent in the block, which has room for them. */
const char *window_rows(struct window *window, const char *from, int64_t step, int64_t rows, int64_t count);

#endif
