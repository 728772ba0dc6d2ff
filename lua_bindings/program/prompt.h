/* prompt.h: the files of prompt/, which read, compile, complete and show entries. They share one table. */
#ifndef STREW_PROMPT_H
#define STREW_PROMPT_H

#include <lua.h>
#include <stddef.h>

#define PROMPT_CHUNK "strew prompt" /* chunk name of the files, in tracebacks */
#define PROMPT_MARK  "_strew_block" /* a local of an entry: see entry.lua */

/* A lua_CFunction: loads the files for this session; the stack is empty. */
int prompt_open(lua_State *L);
/* Pushes a function of the shared table. */
void prompt_push(lua_State *L, const char *name);
/* The completions at the editor's cursor: a line_completer. */
char *prompt_complete(const char *line, size_t start, size_t end, int i);
/* Prints a text in parentheses, dim if the terminal has colours. */
void prompt_note(const char *text);

#endif
