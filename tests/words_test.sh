#!/bin/sh
# usage: sh tests/words_test.sh
# Refuses the words of tests/words.txt in code, comments, messages and documents; prints FILE:LINE of each.
set -eu
cd "$(dirname "$0")/.."
words=$(mktemp) planted=$(mktemp)
trap 'rm -f "$words" "$planted"' EXIT
grep -v '^#' tests/words.txt >"$words"

# Prints the lines of files or folders with one of the words. (Seeds, findings of fuzzing and packages.* are data.)
refused() {
  grep -rInwiF -f "$words" --exclude=words.txt --exclude='packages.*' --exclude-dir=seeds --exclude-dir=found "$@" || :
}

passed=0 failed=0
verdict() { # NAME WRONG: error text; empty: passed
  if [ -z "$2" ]; then
    passed=$((passed + 1))
  else
    failed=$((failed + 1))
    echo "FAILED $1:"
    echo "$2" | sed 's/^/  /'
  fi
}

verdict 'words to refuse are found' "$(refused runtime opencl lua_bindings scripts tests Makefile README.md .ci)"

# The test finds a planted line, and whole words only. (The first word of the list, not written here.)
word=$(head -n 1 "$words" | tr '[:lower:]' '[:upper:]')
printf 'over%s\nThe %s, in capitals\n' "$word" "$word" >"$planted"
verdict 'a planted word' "$([ "$(refused "$planted")" = "2:The $word, in capitals" ] || refused "$planted" | grep . || echo 'not found')"

echo "words: $(grep -c . "$words") refused"
echo "$passed passed, $failed failed"
[ "$failed" = 0 ]
