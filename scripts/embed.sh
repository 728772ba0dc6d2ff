#!/bin/sh
# usage: PACKED=1 embed.sh KIND FILE... > KINDs.c
# Writes the files as texts in a C file: KIND_files of runtime/core/base/embedded.h. PACKED: compressed. Those of kind `kernel`
# always are, all as one; C files lose comments (these: /* */) and repeated spaces, and keep their lines; their strings
# must contain neither.
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
echo '#include "runtime/core/base/embedded.h"'
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
list=
for file in "$@"; do
  base=$(basename "$file")
  name=$(echo "$base" | tr .- __) packed=0
  printf 'static const unsigned char %s[] = {' "$name"
  if [ "${PACKED:-0}" = 0 ]; then
    od -An -v -tu1 "$file" | sed 's/  *\([0-9][0-9]*\)/\1,/g'
  else
    packed="sizeof $name"
    compressed "$file"
  fi
  echo '};'
  list="$list  {\"$base\", $name, $(wc -c <"$file"), $packed},
"
done
printf 'const struct embedded_file %s_files[] = {\n%s};\nconst int %s_file_count = %d;\n' "$kind" "$list" "$kind" $#
