#!/bin/sh
# usage: embed.sh KIND FILE... > KINDs.c
# Writes the files as texts in a C file: KIND_files of runtime/base/embedded.h. C files lose comments (these: /* */) and
# repeated spaces, and keep their lines; their strings must contain neither. Those of kind `kernel` are compressed.
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
# zlib's format: two bytes, what is between gzip's header of 10 bytes and end of 8, and Adler's checksum of the text.
compressed() {
  echo '120,218,'
  gzip -9n <"$1" | od -An -v -tu1 | awk '{ for (i = 1; i <= NF; i++) byte[n++] = $i }
    END { for (i = 10; i < n - 8; i++) printf "%d,%s", byte[i], i % 32 ? "" : "\n" }'
  od -An -v -tu1 "$1" | awk 'BEGIN { a = 1 }
    { for (i = 1; i <= NF; i++) { a = (a + $i) % 65521; b = (b + a) % 65521 } }
    END { printf "%d,%d,%d,%d", int(b / 256), b % 256, int(a / 256), a % 256 }'
}
echo '#include "runtime/base/embedded.h"'
if [ "$kind" = kernel ]; then
  echo 'const struct packed_file kernel_files[] = {'
  for file in "$@"; do
    printf '  {"%s", %d},\n' "$(basename "$file")" "$(wc -c <"$text")"
    without_comments "$file" >>"$text"
    printf '\0' >>"$text"
  done
  printf '};\nconst int kernel_file_count = %d;\nconst unsigned long kernel_bytes = %d;\n' $# "$(wc -c <"$text")"
  printf 'const unsigned char kernel_pack[] = {%s};\n' "$(compressed "$text")"
  echo 'const unsigned long kernel_pack_bytes = sizeof kernel_pack;'
  exit
fi
for file in "$@"; do
  name=$(basename "$file" | tr .- __)
  printf 'static const char %s[] = {' "$name"
  od -An -v -tu1 "$file" | sed 's/  *\([0-9][0-9]*\)/\1,/g'
  echo '0};'
done
echo "const struct embedded_file ${kind}_files[] = {"
for file in "$@"; do
  base=$(basename "$file")
  printf '  {"%s", %s},\n' "$base" "$(echo "$base" | tr .- __)"
done
echo "};"
echo "const int ${kind}_file_count = $#;"
