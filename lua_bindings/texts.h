/* texts.h: files of Lua that the module carries as texts. */
#ifndef STREW_TEXTS_H
#define STREW_TEXTS_H

struct text_file {
  const char *name, *text;
};
extern const struct text_file text_files[]; /* made by scripts/embed.sh */
extern const int text_file_count;

#endif
