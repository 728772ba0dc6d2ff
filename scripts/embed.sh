#!/bin/sh
# usage: embed.sh KIND FILE... > KINDs.c
# Writes the files as texts in a C file: KIND_files of runtime/base/embedded.h. C files lose comments (these: /* */) and
# repeated spaces, and keep their lines; their strings must contain neither.
set -eu
kind=$1
shift
text=$(mktemp)
trap 'rm -f "$text"' EXIT
without_comments() {
  awk '{
    rest = $0; line = ""
    while (at = index(rest, inside ? "*/" : "/*")) {
      if (!inside) line = line substr(rest, 1, at - 1) " "
      rest = substr(rest, at + 2)
      inside = !inside
    }
    if (!inside) line = line rest
    else if (rest ~ /\\$/) line = line "\\" # a macro continues
    gsub(/ +/, " ", line)
    gsub(/^ | $/, "", line)
    print line
  }
  END { exit inside }' "$1"
}
echo '#include "runtime/base/embedded.h"'
for file in "$@"; do
  name=$(basename "$file" | tr .- __)
  printf 'static const char %s[] = {' "$name"
  case $file in
  *.lua) cat "$file" ;;
  *) without_comments "$file" ;;
  esac >"$text"
  od -An -v -tu1 "$text" | sed 's/  *\([0-9][0-9]*\)/\1,/g'
  echo '0};'
done
echo "const struct embedded_file ${kind}_files[] = {"
for file in "$@"; do
  base=$(basename "$file")
  printf '  {"%s", %s},\n' "$base" "$(echo "$base" | tr .- __)"
done
echo "};"
echo "const int ${kind}_file_count = $#;"
