#!/bin/sh
# embed.sh KIND FILE... > KINDs.c: the files as texts in a C file, which KINDs.h declares.
set -eu
kind=$1
shift
echo "#include \"${kind}s.h\""
for file in "$@"; do
  name=$(basename "$file" | tr .- __)
  printf 'static const char %s[] = {' "$name"
  od -An -v -tu1 "$file" | sed 's/  *\([0-9][0-9]*\)/\1,/g'
  echo '0};'
done
echo "const struct ${kind}_file ${kind}_files[] = {"
for file in "$@"; do
  base=$(basename "$file")
  printf '  {"%s", %s},\n' "$base" "$(echo "$base" | tr .- __)"
done
echo "};"
echo "const int ${kind}_file_count = $#;"
