/* texts.h: the files that the module and the program carry: the help, operations written in Lua, the prompt. */
#ifndef STREW_TEXTS_H
#define STREW_TEXTS_H

#include "runtime/core/base/embedded.h"

#include "other_lua.h"

/* The file of that name among text_files, which has it. */
const struct embedded_file *texts_find(const char *name);
/* Pushes a file as a string, or as a function named so. Both raise the error "out of memory". */
void texts_push(lua_State *L, const struct embedded_file *file);
void texts_load(lua_State *L, const struct embedded_file *file, const char *name);

#endif
