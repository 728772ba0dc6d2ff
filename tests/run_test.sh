#!/bin/sh
# usage: sh tests/run_test.sh
# run.sh finds each way in which a test can fail, and leaves no process or file behind: in a checkout of its own, with
# stubs for Check programs.
set -u
run=$(cd "$(dirname "$0")" && pwd)/run.sh
here=$(mktemp -d) && mkdir -p "$here/tests" "$here/build/tests" "$here/tmp" || exit 1
cp "$run" "$here/tests"
trap 'rm -rf "$here"' EXIT
unset STARTED USUALLY
export TMPDIR="$here/tmp" BUILD=build SEED='' JOBS=3 LIMIT=30 CLOSING=''
passed=0 failed=0

play() { # NAME BODY: a Check program
  printf '#!/bin/sh\n%s\n' "$2" >"$here/build/tests/check_$1"
  chmod +x "$here/build/tests/check_$1"
  : >"$here/tests/check_$1.c"
}

verdict() { # NAME CONDITION...
  name=$1
  shift
  if "$@"; then passed=$((passed + 1)) && return; fi
  failed=$((failed + 1))
  echo "FAILED $name:"
  sed 's/^/  /' "$here/out"
}
says() { grep -qx "$1" "$here/out"; }

# The process named in the file left. (Its parent may not have waited for it: Z.)
is_gone() { ! grep -vqs ') Z ' "/proc/$(cat "$here/left")/stat"; }

# run ENV...: all of them.
run() {
  env "$@" sh "$here/tests/run.sh" run checks >"$here/out" 2>&1
  code=$?
}
ends_with() { tail -n 1 "$here/out" | grep -q "^$1: 0 min"; }

fine='echo "100%: Checks: 3, Failures: 0, Errors: 0"'
play fine "$fine"
play absent 'echo "absent: left out, there is none"'
run A=
verdict 'passing tests pass' [ $code = 0 ]
verdict 'a line each' says '\[[12] of 2\] check_fine ok [0-9.]* s'
verdict 'what is left out is said' says 'absent: left out, there is none'
verdict 'the last line counts' ends_with '1 of 2 passed, 0 failed, 1 left out'
run CLOSING=1
verdict 'closing lines' says '100%: Checks: 3, Failures: 0, Errors: 0'

# What make nightly runs, and what of that after make test.
group='nightly'
list() { env AFTER= BEFORE= OPENCL=0 "$@" sh "$here/tests/run.sh" list $group >"$here/out"; }
# shellcheck disable=SC2016 # of the stub
echo 'for name in "- absent: left out" arm64-digest arm64-check_scalar arm64-check_scalars; do echo "$name"; done' >"$here/tests/cross.sh"
for day in 1 2 3; do list DAY=$day && sort "$here/out" >"$here/day$day"; done
verdict 'make nightly runs some tests for another processor' [ "$(grep -c 'arm64\|absent: left out' "$here/out")" = 3 ]
sort "$here"/day? | uniq -d | grep sanitized >"$here/out"
verdict 'make nightly runs a third of the sanitized' [ ! -s "$here/out" ]
sort -u "$here"/day? >"$here/out"
verdict 'three days of make nightly run all' [ "$(grep -cx 'check_fine\|sanitized-check_fine\|sanitized-check_absent\|rules\|installed' "$here/out")" = 5 ]
for day in 1 2 3; do list AFTER=test DAY=$day && cat "$here/out"; done >"$here/all"
sort -u "$here/all" >"$here/out"
verdict 'after make test what is left' [ "$(grep -cx 'check_fine\|sanitized-check_fine\|sanitized-check_absent\|installed' "$here/out")" = 4 ]
verdict 'after make test nothing twice' [ "$(grep -cx 'rules\|digest\|program' "$here/out")" = 0 ]

group='test'
list SEED=5
verdict 'make test runs all' [ "$(grep -cx 'check_fine\|rules\|limits' "$here/out")" = 3 ]
verdict 'make test leaves the sanitized to make nightly' [ "$(grep -c sanitized "$here/out")" = 0 ]
list SEED=5 BEFORE=nightly
verdict 'before make nightly what that leaves out' [ "$(grep -cx 'rules\|digest' "$here/out")" = 2 ]
verdict 'before make nightly nothing twice' [ "$(grep -cx 'check_fine\|sanitized-check_fine\|installed\|limits' "$here/out")" = 0 ]

# fails NAME REASON BODY: the only one that fails.
fails() {
  play planted "$3"
  run SEED=5
  verdict "$1: exit status" [ $code = 1 ]
  verdict "$1: its line" says "\[[123] of 3\] check_planted FAILED [0-9.]* s: $2"
  verdict "$1: its log" says 'planted words'
  verdict "$1: again at the end" grep -q "^FAILED check_planted: $2; .*make run-check_planted SEED=5$" "$here/out"
  verdict "$1: the count" ends_with '1 of 3 passed, 1 failed, 1 left out'
}
words='echo planted words'
fails 'a failing test' 'exit status 1' "$words; echo '66%: Checks: 3, Failures: 1, Errors: 0'; exit 1"
fails 'a failing test with a good exit status' 'no closing line' "$words; echo '66%: Checks: 3, Failures: 1, Errors: 0'"
fails 'a failing spec' 'exit status 1' "$words; echo '3 successes / 0 failures / 1 error / 0 pending : 0.1 seconds'; exit 1"
fails 'a crash' 'ended by signal 11' "$words; kill -s SEGV \$\$"
fails 'a crash after the closing line' 'ended by signal 6' "$words; $fine; kill -s ABRT \$\$"
fails 'no closing line' 'no closing line' "$words"
fails 'the count of a first part alone' 'no closing line' "$words; echo '3 passed, 0 failed'; seq 9"
fails 'no test at all' 'no closing line' "$words; echo '100%: Checks: 0, Failures: 0, Errors: 0'"
export LIMIT=5
fails 'a test that hangs' 'still running after 5 s' "$words; sleep 100 & echo \$! >$here/left; sleep 100"
verdict 'nothing of it is left' is_gone
export LIMIT=30
rm "$here/build/tests/check_planted"
run A=
verdict 'a test that is not built' [ $code = 1 ]

# The row of tests/drivers.md: of all runners, the two that ran, of which one failed.
cp "${run%/*}/drivers.sh" "$here/tests"
# shellcheck disable=SC2016 # of stubs
{
  printf '%s\n' 'case $3 in list) printf "$2-%s\n" few digest ways ;; name) echo "PoCL | a device | 1" ;; *few) exit 1 ;; *) echo "1 passed, 0 failed" ;; esac' >"$here/tests/devices.sh"
  printf '#!/bin/sh\necho strew 0.0\n' >"$here/build/strew" && chmod +x "$here/build/strew"
}
printf '%s\n' '|---|' '| PoCL | old |' '| other | old |' '' '## More' '| PoCL | stays |' >"$here/tests/drivers.md"
env OPENCL=1 KINDS=pocl RUNNERS='few|digest' sh "$here/tests/drivers.sh" build >"$here/out" 2>&1
code=$?
verdict 'drivers.sh: a failing runner' [ $code = 1 ]
cp "$here/tests/drivers.md" "$here/out"
verdict 'its row' says "| PoCL | a device | 1 | 0.0 | $(date +%F) | 1 of 3 | 1 | 0 |"
verdict 'the other rows' [ "$(grep -c 'other | old\|PoCL | stays' "$here/out") $(wc -l <"$here/out")" = '2 6' ]

# Interrupted.
play planted "sleep 100 & echo \$! >$here/left; mktemp -d; wait"
rm -f "$here/left"
sh "$here/tests/run.sh" run checks >"$here/out" 2>&1 &
while [ ! -s "$here/left" ]; do sleep 0.1; done
kill $!
wait $!
code=$?
verdict 'interrupted: exit status' [ $code = 130 ]
verdict 'interrupted: no process is left' is_gone
verdict 'no file is left' [ -z "$(ls "$here/tmp")" ]

echo "run: $passed passed, $failed failed"
[ "$failed" = 0 ]
