#!/bin/sh
# usage: sh tests/terminal_test.sh [BUILD]
# The prompt at a pseudo-terminal, with readline and without: tests/terminal/*.session.
set -u
cd "$(dirname "$0")/.." || exit 1
build=${1:-build}
here=$(mktemp -d) || exit 1
trap 'rm -rf "$here"' EXIT
unset LUA_INIT LUA_INIT_5_4 STREW_DEVICE STREW_THREADS NO_COLOR COLORTERM XDG_STATE_HOME XDG_CONFIG_HOME INPUTRC LC_ALL LC_CTYPE LANG
export TERM=xterm
passed=0 failed=0

# play EDITOR SESSION...: each in a home of its own.
play() {
  export STREW_EDITOR="$1"
  shift
  for session in "$@"; do
    HOME=$(mktemp -d "$here/XXXXXX") || exit 1
    export HOME
    file=tests/terminal/$session.session
    [ -e "$file" ] || file=$here/$session.session
    if "$build/tests/terminal/driver" "$build/strew" "$file"; then
      passed=$((passed + 1))
    else
      failed=$((failed + 1))
      echo "FAILED: $session, editor: $STREW_EDITOR"
    fi
  done
}

finish() {
  echo "terminal: $passed passed, $failed failed"
  [ $failed = 0 ]
  exit
}

# A line longer than the initial buffers.
printf 'run\npress #"%020000d"\\r\nshow \\n20000\\n\nenter 6 * 7\nshow \\n42\\n\npress :q\\r\nend\n' 0 >"$here/long.session"
# The maximum number of locals in an entry.
{
  printf 'run\nenter '
  seq 200 | while read -r i; do printf 'local v%d=%d ' "$i" "$i"; done
  printf '\nenter v1 + v200\nshow \\n201\\n\npress :q\\r\nend\n'
} >"$here/many.session"
# Ctrl-C after a key that the program has polled but not read: it drops the line with the key.
{
  echo "run LD_PRELOAD=$(realpath "$build")/tests/terminal/late_read.so"
  for key in a b c d '\r' '\r' '\r' '\r'; do
    printf 'press word\nshow word\npause\ntype %s\npause\ntype \\003\n' "$key"
  done
  printf 'enter 6 * 7\nshow \\n42\\n\nnot \\n\\n42\npress :q\\r\nend\n'
} >"$here/late.session"
# Settings: of the file that XDG_CONFIG_HOME or HOME has, unless -E leaves them out; a wrong one is a note.
mkdir -p "$here/config/strew" "$here/wrong/strew" "$here/cut/strew"
echo 'double = function(x) return 2 * x end return {precision = 2, linewidth = 60, color = false}' >"$here/config/strew/init.lua"
echo 'return {precision = "two"}' >"$here/wrong/strew/init.lua"
echo 'return {' >"$here/cut/strew/init.lua"
cat >"$here/settings.session" <<.
run XDG_CONFIG_HOME=$here/config LC_ALL=C.UTF-8 TERM=xterm-256color
enter strew.tensor(double(0.125))
show \nfloat32[] cpu  0.25\n
enter strew.get_printoptions().linewidth
show \n60\n
enter os.getenv "NO_COLOR"
show \n1\n
press :q\r
end
run XDG_CONFIG_HOME=$here/config -E -i
enter double == nil
show \ntrue\n
press :q\r
end
run XDG_CONFIG_HOME=$here/wrong
show init.lua: set_printoptions: 'precision' is "two", expected an integer)
enter 6 * 7
show \n42\n
press :q\r
end
run XDG_CONFIG_HOME=$here/cut
show init.lua:2: unexpected symbol near <eof>)
enter 6 * 7
show \n42\n
press :q\r
end
.
# Ctrl-C when an entry has ended: its results are not shown.
cat >"$here/between.session" <<.
run LD_PRELOAD=$(realpath "$build")/tests/terminal/late_read.so
enter setmetatable({}, {__tostring = function() while true do end end}) -- now
show interrupted!
enter 6 * 7
show \\n42\\n
press :q\\r
end
.
play none prompt foreign pages locals many lines plain stuck late between
play other wrong
play edit wrong
mkdir "$here/broken"
: >"$here/broken/libreadline.so.8"; : >"$here/broken/libreadline.so"
LD_LIBRARY_PATH=$here/broken play '' absent
# A library without the required functions is not used.
mkdir "$here/other"
other=$(ldconfig -p 2>/dev/null | sed -n 's/^\tlibm\.so\.6 .* => //p' | head -n 1)
if [ -n "$other" ]; then
  ln -s "$other" "$here/other/libreadline.so.8"
  LD_LIBRARY_PATH=$here/other play '' absent
else
  echo "left out: the prompt with a wrong library (ldconfig does not know libm.so.6)"
fi
if ! "$build/strew" -e 'os.exit(package.loadlib("libreadline.so.8", "*") ~= nil)'; then
  echo "left out: the prompt with readline, which is missing (Debian: libreadline8)"
  finish
fi
play readline settings prompt pages editor hostile letters long paste readline stopped late
# ---- the history file
# check NAME CONDITION...
check() {
  name=$1
  shift
  if "$@"; then
    passed=$((passed + 1))
  else
    failed=$((failed + 1))
    echo "FAILED: $name"
  fi
}
lines() { grep -cxF "$1" "$history"; }
jobs=
# at_once NAME: a session that types NAME's entries, in the background.
at_once() {
  sed "s/first of/$1, first of/; s/second of/$1, second of/" tests/terminal/entries.session >"$here/$1.session"
  "$build/tests/terminal/driver" "$build/strew" "$here/$1.session" &
  jobs="$jobs $!"
}
STREW_EDITOR=readline
HOME=$here/home XDG_STATE_HOME=$here/state NAME=x
export HOME XDG_STATE_HOME NAME
history=$here/state/strew/history
at_once a; at_once b; at_once c; at_once d
for job in $jobs; do wait "$job" || failed=$((failed + 1)); done
for name in a b c d; do
  check "entries of session $name are kept" [ "$(lines "\"$name, second of \" .. name")" -ge 1 ]
done
check 'only its owner reads the history' [ "$(stat -c %a "$history" "$here/state/strew" | tr '\n' ' ')" = '600 700 ' ]
check 'the home is not used if a folder for state is set' [ ! -e "$here/home" ]
{ seq 1 5000; printf 'twice\ntwice\nfor i = 1, 2 do\\nprint(i)\\nend\n\001\377 binary\n'; } >"$history"
chmod 644 "$history"
XDG_STATE_HOME=$here/state play readline entries
check 'a long history is truncated' [ "$(wc -l <"$here/state/strew/history")" -le 1010 ]
check 'duplicates are removed' [ "$(lines twice)" = 1 ]
check 'an entry of several lines is one' grep -qF 'for i = 1, 2 do\nprint(i)\nend' "$history"
check 'others can no longer read it' [ "$(stat -c %a "$history")" = 600 ]
check 'the newest entries stay' [ "$(lines 5000)" = 1 ]
# A file too large to be read whole, which ends in the middle of a line.
{ printf '%0300000d\n' 0; seq 1 700000; printf 'back\\\\slash\nprint("cut'; } >"$history"
XDG_STATE_HOME=$here/state play readline entries
check 'the end of a file too large to read stays' grep -qxF 'back\\slash' "$history"
check 'so does an incomplete last line' grep -qxF 'print("cut' "$history"
check 'and the rest is removed' [ "$(wc -l <"$history")" -le 1010 ]
check 'nothing is left beside it' [ "$(ls "$here/state/strew")" = history ]
if command -v flock >/dev/null; then
  XDG_STATE_HOME=$here/state flock "$history" "$build/tests/terminal/driver" "$build/strew" tests/terminal/unkept.session
  check 'waiting for a locked history ends' [ $? = 0 ]
else
  echo "left out: a locked history (flock is missing)"
fi
rm "$history"
mkfifo "$history" # opening it for reading would wait
XDG_STATE_HOME=$here/state play readline unkept
: >"$here/file"
XDG_STATE_HOME=$here/file play readline unkept
XDG_STATE_HOME=relative play readline entries
XDG_STATE_HOME=/$(printf '%05000d' 0) play readline unkept
check 'a relative folder is not used' [ ! -e relative ]
finish
