#!/bin/sh
# usage: sh tests/run.sh run GROUP | list GROUP | one NAME   (by make, which sets the environment: RUN in tests.mk)
# Runs the tests of a group, several at once: a Check program, a spec, a host, inputs of a fuzzer, a shell test, a part of
# the tests on a device, each a runner with a log in BUILD/runs/GROUP. Prints a line for each when it ends; of failures the
# whole log, and at the end their names again. A runner fails by its exit status, without a closing line that counts
# what passed and no failure, and after LIMIT seconds. one: runs a single one, with all its output.
# AFTER=test: nightly leaves out what make test runs in full, whatever the seed. BEFORE=nightly: test leaves out the rest,
# which it would run with a sample of cases, a few minutes before nightly runs all of them.
# GROUP: test, nightly, check, checks, specs, hosts, replay, sanitized, devices, devices-KIND, cross-ARCH
# shellcheck disable=SC2046,SC2086,SC2153 # lists of words; names from make
set -u
cd "$(dirname "$0")/.." || exit 1
: "${BUILD:=build}" "${SANITIZE=}" "${SEED=}" "${AFTER=}" "${BEFORE=}" "${LIMIT:=900}" "${JOBS:=$(($(nproc) + 1))}"
unset STREW_DEVICE STREW_TEST_DEVICE STREW_TEST_ALL LUA_INIT LUA_INIT_5_4
# Runners that call make do not reach the jobserver, of which make would warn.
MAKEFLAGS=$(echo "${MAKEFLAGS-}" | sed 's/ *--jobserver-[a-z]*=[^ ]*//; s/ *-j[0-9]*//')
export MAKEFLAGS

# ---------------------------------------------------------------------------------------------------- what there is

names() { # FILE...: without folder and suffix
  for file in "$@"; do
    file=${file##*/}
    echo "${file%.*}"
  done
}
checks() { names ${CHECKED:-tests/check_*.c} | grep -vx check_opencl; } # that one: on devices
specs() { names tests/spec/*_spec.lua; }
replay() { names tests/fuzz/fuzz_*.c; }

# Which of so many parts the seed chooses.
part_of() { # PARTS
  sum=$(echo "$SEED" | cksum)
  echo $((${sum%% *} % $1))
}

# True for one in ONE_IN names, which the seed chooses; without a seed for all. (Low bits of such sums alone are equal
# for many seeds.)
is_drawn() { # NAME ONE_IN
  sum=$(echo "$SEED $1" | cksum)
  [ -z "$SEED" ] || [ $((${sum%% *} * 40503 / 65536 % $2)) = 0 ]
}

# Of the names of all runners those of make test: of what takes long and rarely fails alone a part. The longest stand in
# lists, of which the seed chooses one. (Devices compile their kernels anew in a new checkout.)
sample() {
  set -- rusticl-few pocl-digest mpi 'rusticl-digest intel-digest' 'installed driver' pocl-few oclgrind-few pocl-ways pocl-demos \
    'pocl-counts oclgrind-digest' pocl-check_opencl faults-few endless
  longest=$*
  shift "$(part_of $#)"
  while read -r name; do
    case " $longest " in
      *" $name "*)
        case " $1 " in *" $name "*) echo "$name" ;; esac
        continue
        ;;
    esac
    case $name in
      -* | opencl:*) echo "$name" ;;
      pocl-*_* | intel-few)
        if is_drawn "$name" 64; then echo "$name"; fi
        ;;
      *-*_* | *-ways | *-demos) ;;
      *) echo "$name" ;;
    esac
  done
}

# Of the names of all runners those that make test leaves out, or runs with a sample of their cases.
without_whole() {
  while read -r name; do
    case $name in
      -* | *-* | check_* | lua5.5 | core | web | releasing | limits | endless | mpi | installed | driver | suites | onnx | array_api) ;;
      *) continue ;;
    esac
    echo "$name"
  done
}

# Of the names of runners those that make nightly leaves out after make test.
not_again() {
  while read -r name; do
    [ -n "$(echo "$name" | without_whole)" ] || echo "$name"
  done
}

# Of the names of all runners those of make nightly. Each day draws other ones (DAY=n: those of that day): of Check
# programs and specs under sanitizers and on PoCL a third, on rusticl and Intel's OpenCL a quarter; of what else takes long
# on a device a half.
of_day() {
  : "${DAY:=$(($(date +%s) / 86400))}"
  while read -r name; do
    case $name in
      pocl-check_opencl) days=1 ;;
      rusticl-*_* | intel-*_*) days=4 ;;
      pocl-*_* | sanitized-*) days=3 ;;
      pocl-* | rusticl-* | intel-* | oclgrind-*) days=2 ;;
      *) days=1 ;;
    esac
    sum=$(echo "$name" | cksum)
    [ $(((${sum%% *} + DAY) % days)) != 0 ] || echo "$name"
  done
}

devices() { # [KIND...]
  [ "$OPENCL" != 0 ] || { echo '- OpenCL: left out, built without it' && return; }
  [ $# != 0 ] || set -- pocl intel rusticl oclgrind $("$BUILD/strew" tests/other_devices.lua)
  echo "- devices: $(grep -l 'devices: no, ' tests/check_*.c tests/spec/*_spec.lua | grep -c .) Check programs and specs run on the CPU alone, for reasons in their files"
  for kind in "$@"; do sh tests/devices.sh "$BUILD" "$kind" list; done | grep -E "^-|-(${RUNNERS:-.*})\$"
}

# Of the names of runners for another processor those whose results could depend on it most, but for what takes long
# under QEMU.
of_processor() {
  checks='csv|expr|float_mode|interchange|random|rearrange|scalar'
  grep -E -e "^-|-(digest|files|check_($checks)|(csv|dtypes|interchange|unsigned)_spec)\$"
}

waiting='endless limits terminal mpi faults-few installed' # for deadlines and for processes; what takes longest alone
others='driver digest instruction_sets program readme rules reference exports circles peers notebook suites onnx array_api'

sanitized() { sed 's/^/sanitized-/'; }

# The runners of a group, a name a line; lines with a dash say what is left out. Those that wait come first.
list() {
  case $1 in
    all)
      printf '%s\n' $waiting
      list devices && { [ $# = 1 ] || list "$2"; } && checks && specs && list hosts && replay && printf '%s\n' $others
      ;;
    test) list all | sample | if [ "$BEFORE" = nightly ]; then not_again; else cat; fi ;;
    nightly) list all whole | of_day | if [ "$AFTER" = test ]; then without_whole; else cat; fi ;;
    whole) list sanitized && list threads && list cross-arm64 | of_processor && printf '%s\n' web lua5.5 releasing core ;;
    check) checks && specs && printf '%s\n' rules circles ;;
    checks | specs | replay) "$1" ;;
    hosts) names tests/host/*.c ;;
    sanitized) { checks && specs && list hosts && replay && echo program; } | sanitized ;;
    threads) printf 'threads-%s\n' check_pool check_claim server ;;
    devices) devices ;;
    devices-*) devices "${1#devices-}" ;;
    cross-*) sh tests/cross.sh "$BUILD" "${1#cross-}" list ;;
    *) echo "run.sh: no group '$1'" >&2 && exit 2 ;;
  esac
}

# Runs one.
one() {
  case $1 in
    sanitized-*)
      BUILD=build/address SANITIZE=address,undefined SEED='' STREW_TEST_FEW=1
      export STREW_TEST_FEW
      one "${1#sanitized-}"
      ;;
    threads-server) SANITIZE=thread && exec $FIXED sh tests/hosts_test.sh build/thread thread ;;
    threads-*) exec $FIXED "build/thread/tests/${1#threads-}" ;;
    arm64-* | armhf-* | riscv64-* | s390x-*) exec sh tests/cross.sh "$BUILD" "${1%%-*}" "${1#*-}" ;;
    pocl-* | intel-* | rusticl-* | oclgrind-* | opencl:*-*)
      THIRD=${SEED:+$(part_of 3)} && export THIRD
      [ -z "$SEED" ] || export STREW_TEST_FEW=1
      exec sh tests/devices.sh "$BUILD" "${1%%-*}" "${1#*-}"
      ;;
    check_*)
      [ -z "$SEED" ] || export STREW_TEST_SEED="$SEED"
      exec ${SANITIZE:+$FIXED} "$BUILD/tests/$1"
      ;;
    *_host) exec ${SANITIZE:+$FIXED} "$BUILD/tests/host/$1" ;;
    *_spec)
      # The stock interpreter: a sanitizer's runtime must be loaded first.
      set -- env LUA_CPATH="$BUILD/?.so;$MODULES/?.so" lua5.4 /usr/bin/busted --output=plainTerminal "tests/spec/$1.lua"
      [ -z "$SANITIZE" ] || set -- $FIXED env LD_PRELOAD="$($CC -print-file-name=libasan.so)" \
        ASAN_OPTIONS=detect_leaks=0:allocator_may_return_null=1:detect_stack_use_after_return=1 "$@"
      exec "$@"
      ;;
    fuzz_*) exec ${SANITIZE:+$FIXED} sh tests/fuzz/run.sh "$BUILD" "${1#fuzz_}" replay ;;
    driver) if [ "$OPENCL" = 0 ]; then echo 'driver: left out, built without OpenCL'; else exec sh tests/driver_test.sh "$BUILD"; fi ;;
    terminal | mpi | exports) exec sh "tests/$1_test.sh" "$BUILD" ;;
    installed) exec sh tests/hosts_test.sh "$BUILD" ;;
    releasing) exec sh tests/release_test.sh "$BUILD" plain $ISAS ;;
    lua5.5) exec sh tests/lua_test.sh "$BUILD" ;;
    web) exec sh tests/web_test.sh "$BUILD" ;;
    core) STREW_TEST_FEW=1 "$MAKE" PARTS=core all checks && exec sh tests/core_test.sh build/parts/core ;;
    program | limits) exec ${SANITIZE:+$FIXED} sh "tests/$1_test.sh" "$BUILD/strew" ;;
    endless) OCL_ICD_VENDORS=/dev/null/none exec "$BUILD/tests/endless/endless" cpu $ENDLESS "$NAMES" ;;
    endless-pocl) POCL_MAX_PTHREAD_COUNT=1 exec sh tests/endless/pocl.sh "$BUILD" $ENDLESS "$NAMES" ;;
    reference) exec "$BUILD/strew" -E tests/reference_test.lua "$BUILD" ;;
    readme) # with the kernels that the tests on PoCL have compiled
      POCL_CACHE_DIR=$(realpath -m "$BUILD/devices/pocl/pocl") && export POCL_CACHE_DIR && mkdir -p "$POCL_CACHE_DIR"
      MAKEFLAGS='' XDG_CACHE_HOME=/dev/null/none exec "$BUILD/strew" tests/readme_test.lua "$BUILD" ;;
    digest) exec "$BUILD/strew" tests/digest.lua 600 3 1 2 3 7 ;;
    instruction_sets) exec sh tests/isas.sh "$BUILD" plain $ISAS ;;
    peers)
      "${PYTHON:-python3}" -B tests/interchange_peers.py "$BUILD" && exec "${PYTHON:-python3}" -B tests/coming_from_peers.py "$BUILD"
      ;;
    notebook) # nbclient is Debian's, of its own Python, or another's
      python=${PYTHON:-python3}
      "$python" -c 'import ipykernel, nbclient' 2>/dev/null || [ ! -x /usr/bin/python3 ] || python=/usr/bin/python3
      exec "$python" -B tests/notebook_test.py "$BUILD"
      ;;
    onnx | array_api) exec sh tests/suites/python.sh "$BUILD" "$1" ;;
    circles) exec sh tests/circles_test.sh "$BUILD" ;;
    suites) exec sh tests/suites/run.sh "$BUILD" ;;
    faults-few)
      export STREW_TEST_FEW=1 OCL_ICD_VENDORS=/dev/null/none LUA_CPATH="$BUILD/?.so"
      exec "$BUILD/tests/faults/faults" tests/spec/samples_spec.lua $(for name in call error index view; do
        if is_drawn "faults-$name" 6; then echo "tests/spec/${name}_spec.lua"; fi
      done)
      ;;
    rules) rules ;;
    *) echo "run.sh: no runner '$1'" >&2 && exit 2 ;;
  esac
}

rules() {
  sh tests/include_rules.sh && sh tests/setup_test.sh && sh tests/run_test.sh && luacheck -q scripts tests $LINTED &&
    find scripts tests lua_bindings -name '*.lua' -exec lua5.4 tests/loop_variables.lua {} + || exit
  if command -v shellcheck >/dev/null; then
    shellcheck scripts/*.sh scripts/packaging/*.sh tests/*.sh tests/*/*.sh .ci/run || exit
  else
    echo 'rules: shellcheck is left out, it is not installed'
  fi
  echo 'rules: 6 passed, 0 failed'
}

# ------------------------------------------------------------------------------------------------------- running one

# The children of a process, or the processes of a session, from /proc/PID/stat: PID (COMMAND) STATE PARENT GROUP SESSION.
processes() { # parent|session PID
  for stat in /proc/[0-9]*/stat; do
    { read -r line <"$stat"; } 2>/dev/null || continue
    process=${line%% *}
    set -- "$1" "$2" ${line##*) }
    case $1=$2 in "parent=$4" | "session=$6") [ "$3" = Z ] || echo "$process" ;; esac
  done
}

# Ends what is left of a session: first by SIGTERM, after which tests clean up.
end_session() { # SESSION
  for signal in TERM 0 0 0 0 0 0 0 0 KILL; do
    left=$(processes session "$1")
    [ -n "$left" ] || return 0
    kill -s $signal $left 2>/dev/null
    sleep 0.2
  done
}

passing='^100%: Checks: [1-9][0-9]*, Failures: 0, Errors: 0$
^[1-9][0-9]* success[a-z]* / 0 failures / 0 errors / 
^0 successes / 0 failures / 0 errors / [1-9][0-9]* pending
^\(.*: \)\?[1-9][0-9]* passed, 0 failed$
: left out, '
# One of the last lines; after it a spec only names what it has left out.
closing_line() { sed '/^Pending -> /,$d' "$1" | tail -n 4 | grep -ae "$passing" | tail -n 1; }

# The reason why a runner failed; nothing if it passed.
reason() { # STATUS LOG
  case $1 in
    0) [ -n "$(closing_line "$2")" ] || echo 'no closing line' ;;
    124) echo "still running after $LIMIT s" ;;
    12[89] | 1[3-9]? | 2??) echo "ended by signal $(($1 - 128))" ;;
    *) echo "exit status $1" ;;
  esac
}

now() { date +%s%N; }

# In a session of its own, with a folder of its own for temporary files. Reports to the pipe in one write.
worker() { # NAME
  log=$logs/$1.log begin=$(now)
  trap 'end_session $!; exit 1' TERM
  mkdir "$scratch/$1"
  TMPDIR=$scratch/$1 setsid timeout -k 10 "$LIMIT" sh tests/run.sh one "$1" >"$log" 2>&1 </dev/null 9>&- &
  wait $!
  code=$?
  end_session $!
  rm -rf "${scratch:?}/$1"
  times >"$log.times"
  tenths=$((($(now) - begin) / 100000000))
  [ $tenths -lt $((LIMIT * 10)) ] || code=124
  echo "$1 $tenths $(reason "$code" "$log")" >&9
}

# --------------------------------------------------------------------------------------------------------- running all

# The running workers get SIGTERM, and end their sessions.
stop() {
  trap '' INT TERM HUP
  kill $(processes parent $$) 2>/dev/null
  wait
  rm -rf "$scratch"
}

# LOG: its last lines follow at the end, where a reader of only the end finds them.
fail() { # NAME REASON [LOG]
  failures="${failures}FAILED $1: $2
${3:+$(tail -n 12 "$3" | cut -c 1-300 | sed 's/^/  /')
}"
}

# Prints the line of the next runner that ends, and the log of a failure.
finish() {
  read -r last tenths reason <&9
  log=$logs/$last.log time="$((tenths / 10)).$((tenths % 10)) s" word=ok
  running=$((running - 1)) ended=$((ended + 1))
  if [ -n "$reason" ]; then
    echo "[$ended of $total] $last FAILED $time: $reason"
    cat "$log"
    failed=$((failed + 1))
    fail "$last" "$reason; all output: $log; again: make run-$last${SEED:+ SEED=$SEED}" "$log"
    return
  fi
  closing=$(closing_line "$log")
  case $closing in *': left out, '* | '0 successes'*) word='left out' absent=$((absent + 1)) ;; esac
  echo "[$ended of $total] $last $word $time"
  [ -z "${CLOSING-}" ] || echo "$closing"
}

run() { # GROUP
  logs=$BUILD/runs/$1 scratch=$(mktemp -d) || exit
  : "${STARTED:=$(date +%s)}"
  running=0 ended=0 failed=0 absent=0 failures=
  trap stop EXIT
  trap 'exit 130' INT TERM HUP
  case $1 in
    test) : "${SEED:=$(od -An -N2 -tu2 /dev/urandom | tr -d ' ')}" ;;
    nightly) SEED='' ;;
  esac
  export SEED
  rm -rf "$logs" && mkdir -p "$logs" && mkfifo "$scratch/pipe" && exec 9<>"$scratch/pipe" || exit
  list "$1" >"$scratch/list" || exit
  total=$(grep -c '^[^-]' "$scratch/list")
  echo "$total runners, $JOBS at once${USUALLY:+; usually $USUALLY minutes on two cores}${SEED:+; seed $SEED: SEED=$SEED chooses the same cases again}"
  case $1 in test | nightly) [ ! -e "$BUILD/unbuilt" ] || fail build 'see above' ;; esac
  grep '^-' "$scratch/list"
  while read -r name; do
    case $name in -*) continue ;; esac
    [ "$running" -lt "$JOBS" ] || finish
    worker "$name" &
    running=$((running + 1))
  done <"$scratch/list"
  while [ $running != 0 ]; do finish; done
  wait
  grep -ah 'left out' "$logs"/*.log | sort -u
  printf %s "$failures"
  seconds=$(($(date +%s) - STARTED))
  echo "$((ended - failed - absent)) of $total passed, $failed failed, $absent left out: $((seconds / 60)) min $((seconds % 60)) s"
  [ -z "$failures" ] && [ "$ended" = "$total" ]
}

"$@"
