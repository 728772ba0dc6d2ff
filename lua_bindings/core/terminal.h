/* terminal.h: the capabilities of a stream's terminal. */
#ifndef STREW_TERMINAL_H
#define STREW_TERMINAL_H

enum terminal_style {
  TERMINAL_ASCII,     /* ASCII, no colour */
  TERMINAL_BLOCKS,    /* UTF-8, no colour */
  TERMINAL_256,       /* UTF-8 and xterm's 256 colours */
  TERMINAL_TRUECOLOR, /* UTF-8 and 24 bits of colour */
  TERMINAL_SVG        /* the same, and it shows the text of an SVG as a picture: the page of make web */
};

struct terminal {
  int columns, lines; /* 0: unknown, or no terminal */
  enum terminal_style style;
};

/* Reads the system's and the environment's settings (LC_ALL, LC_CTYPE, LANG, TERM, COLORTERM, NO_COLOR) at each call:
   windows are resized. */
struct terminal terminal_at(int descriptor);

#endif
