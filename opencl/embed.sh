#!/bin/sh
# embed.sh FILE... > kernels.c: the files as texts in a C file.
set -eu
echo '#include "kernels.h"'
for file in "$@"; do
  name=$(basename "$file" | tr .- __)
  printf 'static const char %s[] = {' "$name"
  od -An -v -tu1 "$file" | sed 's/  *\([0-9][0-9]*\)/\1,/g'
  echo '0};'
done
echo 'const struct kernel_file kernel_files[] = {'
for file in "$@"; do
  base=$(basename "$file")
  printf '  {"%s", %s},\n' "$base" "$(echo "$base" | tr .- __)"
done
echo "};"
echo "const int kernel_file_count = $#;"
