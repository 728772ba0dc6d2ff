#!/bin/sh
# usage: sh tests/driver_test.sh BUILD
# strew with a faulty OpenCL (fake_opencl.c): a few calls of each family. Most fail or give wrong results, but nothing
# crashes, no call hangs, and the CPU still works. And: OpenCL is loaded only when a device is used.
set -u
cd "$(dirname "$0")/.." || exit 1
build=$PWD/$1
scratch=$(mktemp -d) || exit 1
trap 'rm -rf "$scratch"' EXIT INT TERM
passed=0 failed=0
unset STREW_DEVICE STREW_OPENCL_ASSUME LUA_INIT LUA_INIT_5_4
export LD_LIBRARY_PATH="$build/tests/fake" XDG_CACHE_HOME="$scratch" FAKE_OPENCL_ASKED="$scratch/asked"
export ASAN_OPTIONS=allocator_may_return_null=1:exitcode=99 UBSAN_OPTIONS=exitcode=99

verdict() { # NAME WRONG [LOG]
  if [ -z "$2" ]; then
    passed=$((passed + 1))
  else
    failed=$((failed + 1))
    echo "FAILED $1: $2"
    [ ! -e "${3-}" ] || tail -n 20 "$3"
  fi
}

# lies WORDS: faults of the driver. If a call succeeds, its result is compared: it may differ, and the device may fail
# to open.
lies() {
  log="$scratch/log"
  rm -f "$FAKE_OPENCL_ASKED"
  FAKE_OPENCL=$1 timeout 100 "$build/strew" tests/few.lua opencl >"$log" 2>&1
  code=$?
  wrong=
  [ $code = 1 ] || wrong="it ended with $code"
  [ -e "$FAKE_OPENCL_ASKED" ] || wrong='it is not asked'
  grep -q "^[0-9]* passed, [1-9][0-9]* failed\$\|tests/few.lua:[0-9]*: zeros: 'device'" "$log" || wrong="${wrong:-it told nothing}"
  verdict "$1" "$wrong" "$log"
  said=$(FAKE_OPENCL=$1 timeout 100 "$build/strew" -e 'pcall(strew.zeros, 3, {device = "opencl"}) print(strew.ones(3):sum():item())' 2>/dev/null)
  verdict "$1, and the CPU" "$([ "$said" = 3.0 ] || echo "$said")"
}

for words in plain platforms hidden devices absent names zeros units ones unknown positive binary garbage garbage log text \
  fill=0 fill=1 fill=127 fill=255 noise null:clCreateContext null:clCreateCommandQueue null:clCreateBuffer \
  null:clCreateProgramWithSource null:clCreateProgramWithBinary null:clCreateKernel null:clEnqueueReadBuffer \
  null:clEnqueueMarkerWithWaitList null:clEnqueueMapBuffer; do
  lies $words
done

# Codes that a driver makes up address no words; flip has them from a kernel.
for words in noise fill=255; do
  said=$(FAKE_OPENCL=$words timeout 100 "$build/strew" -e 'local t = strew.tensor({"a", "b", "c"}, {device = "opencl"}):flip(0)
    for _, f in ipairs{function() t:tolist() end, function() strew.save("'"$scratch"'/t.npy", t) end,
        function() strew.save("'"$scratch"'/t.csv", {w = t}) end, function() strew.to_arrow{w = t} end,
        function() t:to "cpu" end, function() tostring(t) end, function() return t[0] end} do
      print(select(2, pcall(f)):match "gave code")
    end' 2>&1)
  verdict "text of $words" "$([ "$(echo "$said" | grep -c '^gave code$')" = 7 ] || echo "$said")"
done

# Pipes under the names of the cache's entries: no call waits for them.
FAKE_OPENCL=plain timeout 100 "$build/strew" tests/few.lua opencl >"$scratch/log" 2>&1
verdict 'the cache has entries' "$(ls "$scratch"/strew/*.bin 2>&1 >/dev/null)"
for entry in "$scratch"/strew/*.bin; do rm "$entry" && mkfifo "$entry"; done
lies plain

# A platform without devices: the list says so, and does not advise to install what is installed.
needs='Portable Computing Language needs a folder to write to (POCL_CACHE_DIR, XDG_CACHE_HOME)'
empty() { # WORDS PROBLEM ADVICE
  export FAKE_OPENCL="nodevices $1"
  said=$("$build/strew" --devices; "$build/strew" -d opencl -e 'print(1)' 2>&1)
  for text in "not usable  platform 0, $2" "            $3" "available: cpu; platform 0, $2" "  hint  $3"; do
    verdict "nodevices $1: $text" "$(echo "$said" | grep -qF "$text" || echo "$said")"
  done
}
empty '' 'Fake: the driver reports no devices' 'the loader looks for drivers '
empty pocl "Portable Computing Language: the driver reports no devices; it ${needs##*Language }" "$needs"
empty rusticl 'rusticl: the driver reports no devices; it needs the names of its drivers (RUSTICL_ENABLE=llvmpipe)' \
  'the loader looks for drivers '

# A driver that crashes while it lists its devices costs the list one line, and the prompt stays.
lists() { # WORD HOW
  export FAKE_OPENCL="$1"
  said=$("$build/strew" --devices 2>&1 </dev/null; echo "status $?")
  for text in 'cpu  ' "not usable  OpenCL: a driver $2 while it listed its devices" 'status 0'; do
    verdict "$1: $text" "$(echo "$said" | grep -qF "$text" || echo "$said")"
  done
  said=$(printf ':devices\nprint("it", "lives")\n' | "$build/strew" -i 2>&1)
  verdict "$1 at the prompt" "$(echo "$said" | grep -qF "$2" && echo "$said" | grep -q 'it.lives' || echo "$said")"
}
how='crashed (Segmentation fault)'
! nm "$build/strew" 2>/dev/null | grep -q __asan_init || how='ended the process'
lists crash "$how"
lists leave=3 'ended the process (exit status 3)'
lists leave=0 'ended the process (exit status 0)'
said=$(trap '' CHLD && FAKE_OPENCL=crash "$build/strew" --devices 2>&1)
verdict 'where SIGCHLD is ignored' "$(echo "$said" | grep -qF "$how" || echo "$said")"

# Enqueued work never ends there, but the deadline does.
said=$(FAKE_OPENCL=never timeout 100 "$build/strew" --time 0.5 -e 'print(strew.ones(3, {device = "opencl"}))' 2>&1)
verdict 'never' "$(echo "$said" | grep -q 'time limit' || echo "$said")"

# When OpenCL is loaded.
export FAKE_OPENCL=slow
asked() { # YES|NO COMMAND...
  expected=$1
  shift
  rm -f "$FAKE_OPENCL_ASKED"
  timeout 100 "$@" </dev/null >"$scratch/log" 2>&1
  code=$?
  is=$([ -e "$FAKE_OPENCL_ASKED" ] && echo yes || echo no)
  verdict "$*" "$([ $code = 0 ] || echo "it ended with $code")$([ "$is" = "$expected" ] || echo "OpenCL is loaded: $is")" "$scratch/log"
}
asked no "$build/strew" -e 'print(1)'
asked no "$build/strew" --version
asked no "$build/strew" --help
asked no "$build/strew" -i
asked no "$build/strew" -d cpu -e 'print(strew.rand(1000):sort():sum(), strew.zeros(2, {device = "cpu"}))'
asked no "$build/strew" -e 'assert(not pcall(strew.zeros, 3, {dtype = "flaot32"})) assert(not pcall(strew.zeros(3).gather, 0, 9))'
asked yes "$build/strew" --devices
asked yes "$build/strew" -e 'print(strew.zeros(1, {device = "opencl"}).device)'

echo "driver: $passed passed, $failed failed"
[ $failed = 0 ]
