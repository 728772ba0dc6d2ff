#!/bin/sh
# usage: sh tests/terminal_test.sh [BUILD]
# The prompt at a pseudo-terminal, with each editor of lines and with none: tests/terminal/*.session.
set -u
cd "$(dirname "$0")/.." || exit 1
build=${1:-build}
here=$(mktemp -d) || exit 1
trap 'rm -rf "$here"' EXIT
unset LUA_INIT LUA_INIT_5_4 STREW_DEVICE STREW_THREADS NO_COLOR COLORTERM XDG_STATE_HOME INPUTRC LC_ALL LC_CTYPE LANG
export TERM=xterm
passed=0 failed=0

# play EDITOR SESSION...: each at a home of its own.
play() {
  export STREW_EDITOR="$1"
  shift
  for session in "$@"; do
    HOME=$(mktemp -d "$here/XXXXXX") || exit 1
    export HOME
    if "$build/tests/terminal/driver" "$build/strew" "tests/terminal/$session.session"; then
      passed=$((passed + 1))
    else
      failed=$((failed + 1))
      echo "FAILED: $session, editor: $STREW_EDITOR"
    fi
  done
}

# Is the library there?
has() {
  "$build/strew" -e "os.exit(package.loadlib('$1', '*') ~= nil)" && return
  echo "left out: the prompt with $1, which is not there (Debian: $2)"
  return 1
}

play none prompt lines plain
if has libreadline.so.8 libreadline8; then play readline prompt editor paste readline; fi
if has libedit.so.2 libedit2; then play edit prompt editor lines; fi
play other wrong
mkdir "$here/broken"
for library in libreadline.so.8 libreadline.so libedit.so.2 libedit.so.0; do : >"$here/broken/$library"; done
LD_LIBRARY_PATH=$here/broken play '' absent
echo "terminal: $passed passed, $failed failed"
[ $failed = 0 ]
