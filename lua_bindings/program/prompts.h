/* prompts.h: the files of lua_bindings/program/prompt, in the order in which they are loaded. */
#ifndef STREW_PROMPTS_H
#define STREW_PROMPTS_H

struct prompt_file {
  const char *name, *text;
};
extern const struct prompt_file prompt_files[]; /* made by scripts/embed.sh */
extern const int prompt_file_count;

#endif
