#!/bin/sh
# usage: sh tests/limits_test.sh PROGRAM
# The program's limits of memory and time, and its sandbox.
set -u
cd "$(dirname "$0")/.." || exit 1
program=$1
scratch=$(mktemp -d) || exit 1
trap 'rm -rf "$scratch"' EXIT INT TERM
passed=0 failed=0

verdict() { # NAME WRONG: error text; empty: passed
  if [ -z "$2" ]; then passed=$((passed + 1)) && return; fi
  failed=$((failed + 1))
  printf '%s: %s\n' "$1" "$2"
}

expect() { # NAME STATUS PATTERN COMMAND...
  name=$1 status=$2 pattern=$3
  shift 3
  said=$(timeout 100 "$@" 2>&1)
  code=$?
  wrong=$([ $code = "$status" ] && printf '%s\n' "$said" | grep -q -e "$pattern" || echo yes)
  verdict "$name" "${wrong:+ended with $code, expected $status and this output: $pattern$newline$said}"
}
newline='
'

# Functions replaced in a sandbox work like the originals.
rounds=20000
[ -z "${SEED-}" ] || rounds=5000
"$program" tests/sandbox_same.lua $rounds "${SEED-}" >"$scratch/outside" 2>&1
"$program" --sandbox tests/sandbox_same.lua $rounds "${SEED-}" >"$scratch/inside" 2>&1
verdict 'replaced functions' "$([ "$(wc -l <"$scratch/outside")" -gt $rounds ] || echo 'too few')$(diff -a "$scratch/outside" "$scratch/inside" | head -n 20)"

# The library's own Lua, which the first calls load, reaches nothing that the script has replaced.
expect 'globals of other types' 0 '^true 1 2 false$' "$program" --sandbox -e "$(cat <<'END'
local print, type, next, string, _G, strew = print, type, next, string, _G, strew
local tensor, group_by, expr, columns, pcall, libraries = strew.tensor, strew.group_by, strew.expr, strew.table, pcall,
  {table, math, utf8, coroutine}
for name in next, string do string[name] = 7 end
for _, t in next, libraries do for name in next, t do t[name] = {} end end
for name, value in next, strew do if type(value) == "function" then strew[name] = false end end
for name in next, _G do _G[name] = name end
local rank = group_by(tensor{1, 2, 1}):rank(tensor{1, 2, 3})
local line = expr("x == 'a'"){x = tensor{"a", "b"}}:any():item()
line = (line == true and "true " or "") .. rank:get(2) .. " " .. #columns{a = {1, 2}, b = {"u", "v"}}
print(line .. (pcall(expr, "x + (") and " true" or " false"))
END
)"
expect 'a table of the library for a script' 0 '^nil$' "$program" --sandbox -e "$(cat <<'END'
local real, known = setmetatable
setmetatable = function(t, m) known = m and m.__mode and t or known return real(t, m) end
local f = strew.expr("x == 'a'")
f{x = strew.tensor{"a", "b"}}
print(known)
END
)"

# Patterns of a text's words have the limits of string.match.
expect 'patterns of words' 1 'time limit' "$program" --sandbox --time 0.5 -e "$(cat <<'END'
print(strew.tensor{("a"):rep(60)}:match(("a-"):rep(40) .. "b"))
END
)"

"$program" tests/escapes.lua "$program"
code=$?
verdict 'escapes' "$([ $code = 0 ] || echo "ended with $code")"

for wrong in '--memory x' '--memory 0' '--memory -5' '--memory 5X' '--memory 5MM' '--time 0' '--time x' '--time 1s' '--time -1' '--time 1e10' \
  '--time nan' '--memory 1e30' '--time' '--memory' '--sandbox=1'; do
  # shellcheck disable=SC2086
  expect "$wrong" 1 'is not\|needs an argument' "$program" $wrong -e 'print(1)'
done
expect 'a limit that is kept' 0 '^6$' "$program" --memory=64M --time=20 --sandbox -e 'print(strew.tensor{1, 2, 3}:sum():item())'
expect 'a fraction of a second' 0 '^6$' "$program" --time 30.5 -e 'print(6)'
expect 'coroutines after a limit' 1 'false.*nothing is closed' "$program" --time 0.2 --sandbox -e "$(cat <<'END'
local c = coroutine.create(function() coroutine.yield() end)
coroutine.resume(c)
pcall(function() while true do end end)
print(coroutine.close(c))
while true do end
END
)"
expect 'files in a sandbox' 1 'a sandbox has no files' "$program" --sandbox -e 'strew.save("x.npy", strew.ones(2))'
expect 'a plot to a file in a sandbox' 1 'a sandbox has no files' "$program" --sandbox -e 'strew.plot("x.svg", strew.ones(2))'
expect 'a plot in a sandbox' 0 '2[+┤]' "$program" --sandbox -e 'strew.plot(strew.arange(3), {height = 6})'
expect 'expressions in a sandbox' 0 '^6.0$' "$program" --sandbox -e 'print(strew.expr("x * 2 + k"):with{x = strew.ones(2), k = 1}:sum():item())'
expect 'memory within an expression' 1 'line):1: expression: out of memory' "$program" --memory 64M --sandbox -e \
  'strew.expr("x + 1"){x = strew.ones(1):expand(20000000)}'
expect 'time within an expression' 1 'line):1: .*time limit' "$program" --time 0.3 --sandbox -e \
  'local e = strew.expr("sin(x) * cos(x) + exp(x)"):with{x = strew.ones(1):expand(2000000000)} while true do e:sum() end'
# Operations written in Lua: a limit ends them, and says where the script was.
for sandbox in '' --sandbox; do
  # shellcheck disable=SC2086
  expect "time within diff $sandbox" 1 'line):1: .*time limit' "$program" --time 0.2 $sandbox -e 'strew.arange(1000000):diff(1000000)'
  # shellcheck disable=SC2086
  expect "time within many short calls $sandbox" 1 'line):1: .*time limit' "$program" --time 0.2 $sandbox -e \
    'local t = strew.arange(3) while true do t:flip(0) end'
  # shellcheck disable=SC2086
  expect "memory within flip, and a call after it $sandbox" 0 '^false.*line):1: flip: out of memory.*' "$program" --memory 48M $sandbox -e \
    'local t = strew.arange(4000000) print(pcall(function() return t:flip(0) end)) assert(strew.arange(3):flip(0)[0] == 2)'
  # A large block is refused at the limit of time: that is no lack of memory. On a loaded machine the script may be
  # stopped instead, after 5 % of the time.
  # shellcheck disable=SC2086
  expect "a large table after the time $sandbox" 1 'script: time limit of 2 s exceeded\|stopped, it continued' \
    "$program" --time 2 $sandbox -e 'pcall(function() while true do end end) local t = {} for i = 1, 70000 do t[i] = i end'
done
expect 'too little memory for a state' 1 'out of memory' "$program" --memory 1000 -e 'print(1)'
expect 'Lua memory: the message has the limit' 1 'hint  Lua.s values and tensors together have a limit of 32 MiB' "$program" --memory 32M -e 'local t = {} while true do t[#t + 1] = {} end'
# A script that catches nothing has not continued, however small its limit.
for sandbox in '' --sandbox; do
  # shellcheck disable=SC2086
  continued=$(for size in $(seq 200000 6000 599000); do
    "$program" --memory "$size" $sandbox -e \
      'for i = 1, 100 do strew.arange(i):sum():item() end print(strew.table{a = {1, 2}}) print(strew.expr("x + 1"))' 2>&1 |
      sed -n "s/.*stopped, it continued.*/$size/p"
  done)
  verdict "small limits $sandbox" "$continued"
done
expect 'memory, caught' 0 'limit 32 MiB' "$program" --memory 32M -e 'print(pcall(strew.zeros, 1e8))'
expect 'Lua memory, caught once' 0 'true' "$program" --memory 32M -e 'local ok = pcall(string.rep, "x", 1e8) print(not ok)'
expect 'time, caught once' 0 '^done$' "$program" --time 0.2 -e 'pcall(function() while true do end end) print("done")'
expect 'files without a sandbox' 0 '^true$' "$program" --time 20 -e 'print(io ~= nil and require ~= nil)'
expect 'a script from standard input' 0 '^nil$' sh -c "echo 'print(io)' | '$program' --sandbox -"
expect 'arguments' 0 '^a b$' sh -c "echo 'print(...)' >'$scratch/s.lua'; '$program' --sandbox '$scratch/s.lua' 'a b'"
expect 'a device' 0 '^cpu$' "$program" --sandbox -d cpu -e 'print(strew.zeros(1).device)'
expect 'an unknown device' 1 'device.*nowhere' "$program" --sandbox -d nowhere -e 'print(1)'

# Kernels of any length on a device: the error comes in time, and the process ends soon after it, by processor time. Two
# threads of PoCL and one or two seconds make four at most; the rest is for compilation on a slow machine. There a script
# may be stopped before it has printed the error.
stops() { # NAME PATTERN COMMAND...
  name=$1 pattern=$2
  shift 2
  # shellcheck disable=SC3045
  said=$(ulimit -t 60 && POCL_MAX_PTHREAD_COUNT=2 POCL_CACHE_DIR=$scratch/pocl XDG_CACHE_HOME=$scratch/cache timeout 100 "$@" 2>&1)
  code=$?
  case $code in 0 | 1 | 130) wrong= ;; *) wrong=yes ;; esac # by itself, or by Ctrl-C's signal after the end
  printf '%s\n' "$said" | grep -q -e "$pattern" || wrong=yes
  verdict "$name" "${wrong:+ended with $code, expected an end of its own, and this in it: $pattern$newline$said}"
}
mkdir "$scratch/pocl" "$scratch/cache"
device=opencl:portable
cat >"$scratch/long.lua" <<'END'
local on, what, exponent = {device = arg[1]}, arg[2], math.tointeger(arg[3])
local one, zero = strew.ones(1, on), strew.zeros(1, {device = arg[1], dtype = "int64"})
if arg[4] then os.execute "(sleep 2; kill -INT $PPID) >/dev/null 2>&1 &" end
local src, self = one:expand(1 << exponent), strew.zeros(5, on)
if what == "scatter_add_" then
  print(pcall(self.scatter_add_, self, 0, zero:expand(1 << exponent), src))
else
  print(pcall(src[what], src))
end
END
if "$program" -d $device -e 'print(1)' >/dev/null 2>&1; then
  for what in 'scatter_add_ 36' 'scatter_add_ 50' 'argmax 36' 'sum 36'; do
    for _ in 1 2 3 4; do # the first ones may spend their time on compilation
      # shellcheck disable=SC2086
      stops "$what" 'time limit\|stopped, it continued' "$program" --sandbox --time 1 "$scratch/long.lua" $device $what
    done
    # shellcheck disable=SC2086
    stops "$what, interrupted" 'interrupted!' "$program" "$scratch/long.lua" $device $what interrupt
  done
else
  echo "limits: no $device: calls on devices are left out"
fi
luac=$("$program" -e 'io.write(string.dump(load "print(1)"))' >"$scratch/code.luac" && echo yes)
[ -n "$luac" ] && expect 'bytecode as a script' 1 'binary chunk' "$program" --sandbox "$scratch/code.luac"
echo "limits: $passed passed, $failed failed"
[ $failed = 0 ]
