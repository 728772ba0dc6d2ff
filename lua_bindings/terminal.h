/* terminal.h: what a stream's other end can show. */
#ifndef STREW_TERMINAL_H
#define STREW_TERMINAL_H

enum terminal_style {
  TERMINAL_ASCII,    /* characters of ASCII, no colour */
  TERMINAL_BLOCKS,   /* UTF-8, no colour */
  TERMINAL_256,      /* UTF-8 and xterm's 256 colours */
  TERMINAL_TRUECOLOR /* UTF-8 and 24 bits of colour */
};

struct terminal {
  int columns, lines; /* 0: unknown, or no terminal at all */
  enum terminal_style style;
};

/* Asks the system and the environment (LC_ALL, LC_CTYPE, LANG, TERM, COLORTERM, NO_COLOR) each time: windows grow. */
struct terminal terminal_at(int descriptor);

#endif
