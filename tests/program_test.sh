#!/bin/sh
# usage: sh tests/program_test.sh [PROGRAM]
# The program's options from a shell: its output, on which stream, and its exit status.
# shellcheck disable=SC2016,SC2089,SC2090 # single quotes hold Lua code
set -u
program=${1:-build/strew}
case $program in /*) ;; *) program=$PWD/$program ;; esac
bench=$(cd "$(dirname "$0")/../scripts/bench" && pwd)
demos=$(cd "$(dirname "$0")/../scripts/demos" && pwd)
here=$(mktemp -d) && cd "$here" || exit 1
trap 'rm -rf "$here"' EXIT
unset LUA_INIT LUA_INIT_5_4 LUA_PATH LUA_CPATH LUA_PATH_5_4 LUA_CPATH_5_4 STREW_DEVICE STREW_THREADS
passed=0 failed=0 status=0
: >empty

# ran ARGS...: runs the program on standard input $input, leaving out, err and $status.
input=empty
ran() {
  "$program" "$@" >out 2>err <"$input"
  status=$?
}

# expect NAME STATUS OUT [ERR]: the result of the last run. OUT and ERR are shell patterns; no ERR: nothing on stderr.
expect() {
  out=$(cat out) err=$(cat err) wrong=
  [ "$status" = "$2" ] || wrong="exit status $status, not $2"
  # shellcheck disable=SC2254
  case $out in $3) ;; *) wrong="$wrong; standard output does not match: $3" ;; esac
  # shellcheck disable=SC2254
  case $err in ${4-}) ;; *) wrong="$wrong; standard error does not match: ${4-}" ;; esac
  if [ -z "$wrong" ]; then
    passed=$((passed + 1))
  else
    failed=$((failed + 1))
    printf 'FAILED %s: %s\n' "$1" "$wrong"
    sed 's/^/  out| /' out
    sed 's/^/  err| /' err
  fi
}
newline='
'

# ---- -e, -l, -v, -W
ran -e 'print(1 + 1)'; expect '-e runs a statement' 0 2
ran '-eprint(3)'; expect '-e takes its statement from the same word' 0 3
ran -e 'x = 1' -e 'print(x)'; expect '-e twice shares globals' 0 1
ran -e; expect '-e alone' 1 '' "*'-e' needs an argument*usage:*"
ran -e -v; expect '-e before an option' 1 '' "*'-e' needs an argument*"
ran -e 'x ='; expect 'a syntax error in -e' 1 '' "*(command line):1: unexpected symbol near <eof>"
ran -e 'print("before") error("boom")' -e 'print("after")'
expect 'an error in -e ends it' 1 before '*(command line):1: boom*stack traceback:*in main chunk*'
echo 'return {name = "m"}' >m.lua
ran -l m -e 'print(m.name)'; expect '-l requires into a global' 0 m
ran -lm -e 'print(m.name)'; expect '-l takes its name from the same word' 0 m
ran -l g=m -e 'print(g.name, m)'; expect '-l g=mod' 0 'm	nil'
ran -l nothere; expect '-l of a missing module' 1 '' "*module 'nothere' not found*stack traceback*"
ran -l; expect '-l alone' 1 '' "*'-l' needs an argument*"
ran -v; expect '-v shows the version' 0 'strew 0.*, Lua 5.4*'
ran -v -e 'print(5)'; expect '-v runs the rest' 0 "strew *${newline}5"
ran -W -e 'warn("careful")'; expect '-W shows warnings' 0 '' 'Lua warning: careful'
ran -e 'warn("careful")'; expect 'warnings are off without -W' 0 ''
ran -e 'warn("early")' -W -e 'warn("late")'; expect '-W counts from its place' 0 '' 'Lua warning: late'

# ---- scripts, arg, --, -
cat >script.lua <<'END'
print(...)
print(arg[0], arg[1], arg[-1], #arg)
END
ran script.lua a b; expect 'a script with arguments' 0 "a	b${newline}script.lua	a	$program	2"
ran -e 'x = 1' script.lua; expect 'arg holds the options below 0' 0 "${newline}script.lua	nil	x = 1	0"
ran -e 'print(arg[0], arg[1], #arg)'; expect 'arg without a script' 0 "$program	-e	2"
ran -e 'arg[1] = "changed"' script.lua old; expect 'a changed arg reaches the script' 0 'changed*'
ran -e 'arg = nil' script.lua; expect 'arg that is no table' 1 '' "*'arg' is not a table"
ran -- script.lua -v; expect '-- ends the options' 0 '-v*'
ran -e 'arg = setmetatable({}, {__len = function() return -5 end})' script.lua x
expect 'arg with a length below 0' 0 "${newline}nil	nil	nil	-5"
ran -e 'arg = setmetatable({}, {__len = function() return 1 << 40 end})' script.lua
expect 'arg with too large a length' 1 '' '*too many arguments to script*'
cp script.lua ./-odd.lua
ran -- -odd.lua; expect '-- before a name with a dash' 0 "*-odd.lua	nil	--	0"
input=script.lua
ran - x; expect '- runs standard input with arguments' 0 "x${newline}-	x	$program	1"
ran -- -; expect "'-- -' is a file named -" 1 '' '*cannot open -*'
ran; expect 'standard input runs where there is no script' 0 "${newline}$program	nil	nil	0"
echo 'print(' >bad.lua
input=bad.lua
ran; expect 'a syntax error on standard input' 1 '' '*stdin:*<eof>*'
echo 'local function f() error("deep") end f()' >deep.lua
input=deep.lua
ran; expect 'an error on standard input' 1 '' "*stdin:1: deep${newline}stack traceback:*in *'f'*"
input=script.lua
ran -e 'print(1)'; expect '-e leaves standard input alone' 0 1
printf '1,2\n3,4\n' >cells
input=cells
ran -e 'print(strew.load("-", {format = "csv"})[2]:sum():item())'; expect 'strew.load("-") reads standard input' 0 6
printf "1,2\n3,4\n" | "$program" -e 'print(strew.load("-", {format = "csv"})[2]:sum():item())' >out 2>err; status=$?
expect 'strew.load("-") reads a pipe' 0 6
sleep 3 | timeout -s INT 0.5 "$program" -e 'strew.load("-", {format = "csv"})' >out 2>err; status=$?
expect 'Ctrl-C ends the waiting for standard input' 124 '' '*interrupted!*'
ran -v; expect '-v leaves standard input alone' 0 'strew 0.*, Lua 5.4.[0-9]'
input=empty
ran; expect 'empty standard input' 0 ''
ran -e 'print(8)' -; expect '-e, then standard input' 0 8
ran missing.lua; expect 'a missing script' 1 '' '*cannot open missing.lua*No such file*'
ran .; expect 'a directory as script' 1 '' '*cannot read .*'
ran bad.lua; expect 'a script that does not parse' 1 '' '*bad.lua:2:*<eof>*'
ran deep.lua; expect 'an error in a script' 1 '' "$program: deep.lua:1: deep${newline}stack traceback:*deep.lua:1: in *'f'*"
printf '#!/usr/bin/env strew\nprint("shebang", ...)\n' >shebang
ran shebang 1; expect 'a first line with #' 0 'shebang	1'
printf '#!%s\nprint("direct", ...)\n' "$program" >direct
chmod +x direct
./direct 2 >out 2>err; status=$?; expect 'a script run by its first line' 0 'direct	2'
printf '\357\273\277print("mark")\n' >mark.lua
ran mark.lua; expect 'a byte order mark' 0 mark

# ---- error values and exit statuses
ran -e 'error({code = 2})'; expect 'a table as error' 1 '' '*(error object is a table value)*stack traceback:*'
ran -e 'error(setmetatable({}, {__tostring = function() return "spoken" end}))'
expect 'a table with __tostring as error' 1 '' "$program: spoken"
ran -e 'error(setmetatable({}, {__tostring = function() error("again") end}))'
expect 'a __tostring that fails' 1 '' "$program: *"
ran -e 'error(nil)'; expect 'nil as error' 1 '' '*(error object is a nil value)*'
ran -e 'error("plain", 0)'; expect 'a message without place' 1 '' "$program: plain${newline}stack traceback:*"
ran -e 'local function f() return f() + 1 end f()'; expect 'too deep a recursion' 1 '' '*stack overflow*'
ran -e 'coroutine.wrap(function() error("inside") end)()'; expect 'an error in a coroutine' 1 '' '*inside*'
ran -e 'local function f(t) t:get(9) end f(strew.ones(3))'
expect 'a traceback from the line of the script to the chunk' 1 '' "$program: (command line):1: get: 'position' 9 is out of range for dim 0 of self (size 3, valid -3..2)${newline}  self  float32[[]3] cpu${newline}stack traceback:${newline}	(command line):1: in local 'f'${newline}	(command line):1: in main chunk"
ran -e 'table.sort({1, 2}, function() error({}) end)'
expect 'a traceback goes through functions in C' 1 '' "$program: (error object is a table value)${newline}stack traceback:${newline}	(command line):1: in function <(command line):1>${newline}	[[]C]: in function 'table.sort'${newline}	(command line):1: in main chunk"
ran -e 'local t = strew.ones(3) print(strew.ones(3) + t, t[3])'
expect 'a traceback of an operator starts there, too' 1 '' "*${newline}stack traceback:${newline}	(command line):1: in main chunk"
ran -e 'error("no place", 0)'; expect 'a traceback without the program itself' 1 '' "$program: no place${newline}stack traceback:${newline}	(command line):1: in main chunk"
ran -e 'coroutine.wrap(function() strew.ones(3):get(9) end)()'
expect 'an error of strew in a coroutine' 1 '' "$program: *(command line):1: get: 'position' 9 *stack traceback:${newline}	(command line):1: in main chunk"
ran -e 'print(coroutine.resume(coroutine.create(function() strew.ones(3):get(9) end)))'
expect 'an error returned by a coroutine' 0 "false	(command line):1: get: 'position' 9 *"
for call in quit: exit: np.zeros:strew torch.zeros:strew range:; do
  ran -e "${call%:*}(3)"; expect "a hint for ${call%:*}" 1 '' "*(global '*')${newline}  hint  did you mean '*${call#*:}*'?${newline}stack*"
done
ran -e 'strew.ones(2):shape()'
expect 'a field that is called' 1 '' "*(method 'shape')${newline}  hint  a field, not a method: t.shape${newline}stack*"
ran -e 'f = strew.expr("x") return f + 1'
expect 'an operator beside an expression' 1 '' "*(global 'f')${newline}  hint  f(inputs) makes a tensor; *"
ran -e 'r = strew.reduction{init = 0, combine = "acc + x"} r(1)'
expect 'a reduction that is called' 1 '' "*(global 'r')${newline}  hint  t:reduce(r), *"
for call in '("%.2f"):format(t)' '("%d"):format(t)' 'string.rep("a", t)' 'io.write(t)' 'string.char(t)' 'os.date("%Y", t)' \
  'for i = 1, t do end' 'table.concat{t}' 'tonumber(t, 10)'; do
  ran -e "local t = strew.ones(1); $call"
  expect "a tensor for a number: $call" 1 '' "$program: *${newline}  hint  tostring(t) is its text, t:item() the number of a tensor with just one${newline}stack*"
done
ran -e 'math.floor(strew.ones(1))'
expect 'a tensor for a number of a function that tensors have' 1 '' "*got tensor)${newline}  hint  t:floor() has that of each element, t:item() the number of a tensor with just one${newline}stack*"
ran -e 'math.sqrt(strew.expr("x"))'
expect 'an expression for a number' 1 '' "*got expression)${newline}  hint  f(inputs) makes a tensor; *"
ran -e 'next(strew.ones(1))'; expect 'a tensor for a table has no such hint' 1 '' "*got tensor)${newline}stack*"
ran -e 'error(strew.zeros(2))'; expect 'a tensor as error' 1 '' "$program: float32[[]2] cpu${newline} 0  0"
ran -e 'os.exit(7)'; expect 'os.exit(7)' 7 ''
ran -e 'os.exit(true)'; expect 'os.exit(true)' 0 ''
ran -e 'os.exit(false)'; expect 'os.exit(false)' 1 ''
ran -e 'local c <close> = setmetatable({}, {__close = function() print("closed") end}) os.exit(3, true)'
expect 'os.exit with close' 3 closed
ran -e 'setmetatable({}, {__gc = function() print("collected") end})'; expect 'finalizers run at the end' 0 collected

# ---- output that cannot be written
# lost NAME ARGS...: an error if the disk is full, and if standard output is closed.
lost() {
  name=$1 && shift
  for place in full closed; do
    if [ $place = full ]; then "$program" "$@" >/dev/full 2>err <"$input"; else "$program" "$@" >&- 2>err <"$input"; fi
    status=$?
    : >out
    expect "$name, $place" 1 '' "$program: cannot write standard output*"
  done
}
if [ -w /dev/full ]; then
  for word in --help --version --devices -v; do lost "what $word shows" $word; done
  lost 'output of print' -e 'print(1)'
  lost 'output of io.write' -e 'io.write(1)'
  lost 'a large output' -e 'io.write(("x"):rep(1000000)) io.write("y")'
  lost 'output before os.exit(0)' -e 'io.write(1) os.exit(0)'
  lost 'output before os.exit(true, true)' -e 'print(1) os.exit(true, true)'
  lost 'output before os.exit(7)' -e 'print(1) os.exit(7)'
  lost 'output with limits' --memory 1G -e 'print(1)'
  lost 'output of a sandbox' --sandbox -e 'print(1)'
  echo 'print(1)' >prints.lua
  lost 'output of a script' prints.lua
  input=prints.lua
  lost 'output of standard input' -
  lost 'output of the prompt' -i
  input=empty
  full='io.open("/dev/full", "w"):write(1)'
  for rest in '' 'os.exit(0)' 'os.exit(true, true)' 'collectgarbage()'; do
    ran -e "$full $rest"; expect "a file that is not closed, $rest" 1 '' "$program: cannot write a file: No space left on device"
  done
  ran -e 'do local f <close> = io.open("/dev/full", "w") f:write(1) end print("on")'
  expect 'a file that a block closes' 1 on "$program: cannot write a file: No space left on device"
  ran -e 'io.output("/dev/full") io.write(1)'; expect 'a file for io.write' 1 '' '*: cannot write a file: No space*'
  ran -e 'local f = io.open("/dev/full", "w") f:write(1) print(f:close())'
  expect 'a script that checks the result' 0 'nil	No space left on device	28'
else
  echo "left out: output that is lost (there is no /dev/full)"
fi
"$program" -e 'x = 1' >&- 2>err; status=$?; : >out; expect 'a closed standard output that is not used' 0 ''
"$program" -e 'local f = io.open("taken", "w") print("lost") f:write("kept")' >&- 2>err; status=$?
cp taken out; expect 'a file does not take the place of a closed standard output' 1 kept "$program: cannot write standard output*"
ran -e 'local f = io.popen("seq 100000") f:read() f = nil collectgarbage() io.lines("/proc/self/status")()'
expect 'files open for reading are not output' 0 ''
"$program" -e 'for i = 1, 1000000 do print(i) end' 2>err | head -n 1 >out; status=0
expect 'a reader that stops early' 0 1

# ---- LUA_INIT and -E
export LUA_INIT='print("init", arg[0])'
ran -e 'print("main")'; expect 'LUA_INIT runs first' 0 "init	$program${newline}main"
ran -E -e 'print("main")'; expect '-E ignores LUA_INIT' 0 main
export LUA_INIT_5_4='print("versioned")'
ran -e ''; expect 'LUA_INIT_5_4 has precedence' 0 versioned
unset LUA_INIT_5_4
export LUA_INIT='@script.lua'
ran -e ''; expect 'LUA_INIT names a file' 0 "*$program*"
export LUA_INIT='error("first")'
ran -e 'print("main")'; expect 'an error in LUA_INIT' 1 '' '*LUA_INIT:1: first*'
unset LUA_INIT
export LUA_PATH='/nowhere/?.lua'
ran -e 'print(package.path)'; expect 'LUA_PATH counts' 0 '/nowhere/[?].lua'
ran -E -e 'print(package.path)'; expect '-E ignores LUA_PATH' 0 '*/usr/*'
unset LUA_PATH

# ---- strew itself, -d, -t, --devices, --version, --help, invalid options
ran -e 'print(strew == require("strew"), strew == package.loaded.strew)'; expect 'the module is preset' 0 'true	true'
ran -e 'print(strew.ones(2).device)'; expect 'the default device' 0 cpu
for word in '-d cpu' '-dcpu' '--device cpu' '--device=cpu'; do
  # shellcheck disable=SC2086
  STREW_DEVICE=nothing ran $word -e 'print(strew.ones(2).device)'; expect "$word" 0 cpu
done
ran -d nothing -e 'print("on")'; expect 'a device that is not there' 1 '' "$program: --device: *\"nothing\"*available: cpu*"
STREW_DEVICE=nothing ran -e 'print("on")'; expect '$STREW_DEVICE' 1 '' "$program: \$STREW_DEVICE: *\"nothing\"*available: cpu*"
STREW_THREADS=many ran -e 'print("on")'; expect '$STREW_THREADS' 1 '' '*$STREW_THREADS*'
STREW_THREADS=many ran --memory 1G -e 'print("on")'; expect '$STREW_THREADS with limits' 1 '' '*$STREW_THREADS*'
STREW_THREADS=many ran --devices; expect '$STREW_THREADS when devices are listed' 1 '' '*$STREW_THREADS*'
STREW_THREADS=1 ran --devices; expect '... is what is listed' 0 '*threads: 1*'
STREW_THREADS=many ran -t 2 -e 'print("on")'; expect '-t overrides $STREW_THREADS' 0 on
STREW_THREADS=many ran -E -e 'print("on")'; expect '-E ignores $STREW_THREADS' 0 on
STREW_CPU=sse ran -e 'print("on")'
expect '$STREW_CPU' 1 '' "$program: \$STREW_CPU: no such instruction set: sse; this processor has plain*"
STREW_CPU=sse ran --sandbox -e 'print("on")'; expect '$STREW_CPU with limits' 1 '' '*$STREW_CPU: no such*'
STREW_CPU=sse ran --devices; expect '$STREW_CPU when devices are listed' 1 '' '*$STREW_CPU: no such*'
STREW_CPU=sse STREW_DEVICE=cpu ran -e 'print("on")'; expect '$STREW_CPU beside $STREW_DEVICE' 1 '' "$program: \$STREW_CPU: no *"
STREW_CPU=sse ran -E -e 'print("on")'; expect '-E ignores $STREW_CPU' 0 on
STREW_CPU='' ran -e 'print("on")'; expect 'an empty $STREW_CPU is none' 0 on
STREW_DEVICE=nothing ran -E -e 'print("on")'; expect '-E ignores $STREW_DEVICE' 0 on
ran -t -1; expect '-t -1' 1 '' "*'-1' is not a number of threads*"
ran -d; expect '-d alone' 1 '' "*'-d' needs an argument*"
ran --device; expect '--device alone' 1 '' "*'--device' needs an argument*"
for word in '-t 3' '-t3' '--threads 3' '--threads=3'; do
  # shellcheck disable=SC2086
  ran $word -e 'print(strew.ones(5):sum():item(), strew.get_num_threads())'; expect "$word" 0 '5.0	3'
done
for word in 0 -1 257 2.5 x '' ' 2' 99999999999999999999; do
  ran --threads="$word" -e 'print("on")'; expect "--threads=$word" 1 '' '*1..256*'
done
ran --digest; expect '--digest' 0 'digest of [1-9]* random calls on cpu, * of [1-9]* with float64: *passed, 0 failed'
ran --devices; expect '--devices' 0 'cpu *threads: [1-9]*'
STREW_THREADS='' STREW_DEVICE='' ran --memory 1G -e 'print("on")'; expect 'settings that say nothing' 0 on
ran --devices --help -t 1; expect 'the first of what ends at once' 0 'cpu *threads: 1*'
ran --devices -t 3; expect '--devices with -t' 0 'cpu *threads: 3*'
STREW_DEVICE=nothing ran --devices; expect '--devices with a wrong $STREW_DEVICE' 0 'cpu *'
ran --version; expect '--version' 0 'strew 0.*, Lua 5.4*'
ran --version -e 'print("on")'; expect '--version exits' 0 'strew 0.*Lua 5.4.[0-9]'
ran --help; expect '--help' 0 'usage: *-e STAT*-d, --device SPEC*--devices*-t, --threads N*--version*--help*'
for word in -x -vi -E1 --nothing --help=1 --dev ---; do
  ran "$word" script.lua; expect "$word is no option" 1 '' "*'$word' is not an option*usage:*"
done

# ---- threads and libraries start at first use
cat >asleep.lua <<'END'
local function tell()
  local status, maps = io.open "/proc/self/status":read "a", io.open "/proc/self/maps":read "a"
  io.write(status:match "Threads:%s*(%d+)", maps:find "/libc%." and " libc" or "")
  for _, name in ipairs{"OpenCL", "readline"} do io.write(maps:find("/lib%a*" .. name) and " " .. name or "") end
  print()
end
tell()
local t = strew.zeros(1000)
t:scatter_add_(0, strew.arange(1000), t + 1)
print(t:sort(0, true)[0], t:sum():item())
tell()
local large = strew.ones(3000000)
large:add_(large)
tell()
END
if [ -r /proc/self/status ] && [ -r /proc/self/maps ]; then
  ran -t 2 asleep.lua
  expect 'threads and libraries start at first use' 0 "1 libc${newline}1.0	1000.0${newline}1 libc${newline}2 libc"
fi

# ---- OpenCL missing or faulty: an error says so, and the CPU works
# broken NAME SETTING REASON: with that setting there is no device.
advice='the loader looks for drivers *apt install *'
"$program" --devices | grep -q 'built without' && advice='make OPENCL=1 *'
broken() {
  none="*'device' is \"opencl\", no such device; available: cpu; no OpenCL: $3*${newline}  hint  $advice"
  env "$2" "$program" -d opencl -e 'print("on")' >out 2>err; status=$?; expect "$1" 1 '' "$none"
  env "$2" "$program" -e 'print(strew.ones(2):sum():item(), #strew.devices())' >out 2>err; status=$?
  expect "$1: the CPU" 0 '2.0	1'
  env "$2" "$program" --devices >out 2>err; status=$?
  expect "$1: --devices" 0 "cpu *not usable  no OpenCL: $3*${newline}            $advice"
}
mkdir loader nothing rubbish rubbish/folder.icd
: >loader/libOpenCL.so.1; : >loader/libOpenCL.so; : >rubbish/empty.icd
printf 'rubbish\n\001\377\n' >rubbish/text.icd; echo /usr/lib/nothing.so >rubbish/path.icd; echo "$here/out" >rubbish/file.icd
broken 'no loader' "LD_LIBRARY_PATH=$here/loader" ''
broken 'no driver' "OCL_ICD_VENDORS=$here/nothing" ''
broken 'no folder of drivers' "OCL_ICD_VENDORS=$here/nowhere" ''
broken 'an invalid file among the drivers' "OCL_ICD_VENDORS=$here/rubbish" ''
for word in opencl:nothing-of-that-name opencl:99.0 opencl: opencl:0 OpenCL gpu; do
  ran -d "$word" -e 'print("on")'
  expect "device $word" 1 '' "*'device' is \"$word\", no such device; available: cpu*"
done
export RUSTICL_ENABLE=llvmpipe
ran -e 'local l = strew.devices() print(#l > 2 and "several" or "few")'
if [ "$(cat out)" = several ]; then
  ran -d opencl:e -e 'print("on")'
  expect 'an ambiguous device' 1 '' '*is "opencl:e", which matches several devices: opencl:*; opencl:*'
fi
unset RUSTICL_ENABLE

# ---- Ctrl-C
# bounded COMMAND...: limited to a minute of processor time, so that a script that cannot be stopped fails its test.
# shellcheck disable=SC3045 # not in POSIX, but in dash, bash and busybox
bounded() { ulimit -t 60 && exec "$@"; }
# interrupts NAME STATEMENT [ERR [TIMES STATUS]]: starts it, waits up to a minute for its first line, sends INT. (Not
# before that line: a shell starts background processes with INT ignored.)
interrupts() {
  mkfifo pipe
  : >out # removes the output of the previous one
  sleep 100 >pipe & # keeps the pipe open, so that a script that reads from it waits
  keeper=$!
  bounded "$program" -e "print('up') io.stdout:flush() $2" >out 2>err <pipe &
  runner=$!
  tries=0
  while [ ! -s out ] && [ $tries -lt 1200 ]; do sleep 0.05; tries=$((tries + 1)); done
  sleep 0.1
  kill -INT $runner
  # (again and again: two signals that arrive before the program runs again are one)
  if [ "${4-1}" = 2 ]; then { while sleep 0.3; do kill -INT $runner; done; } 2>/dev/null & else sleep 0 & fi
  sender=$!
  wait $runner 2>/dev/null
  status=$?
  kill $keeper $sender 2>/dev/null
  wait $keeper $sender 2>/dev/null
  rm pipe
  expect "$1" "${5-1}" 'up*' "${3-*interrupted!*stack traceback:*}"
}
interrupts 'Ctrl-C in a loop' 'while true do end'
interrupts 'Ctrl-C in an operation written in Lua' 'strew.arange(1000000):diff(1000000)' '*line):1: *interrupted*stack traceback:*'
interrupts 'a call after Ctrl-C in an operation written in Lua' \
  'print(pcall(function() return strew.arange(1000000):diff(1000000) end)) print(strew.arange(3):diff()) error("later")' '*later*'
interrupts 'Ctrl-C in a native call under pcall comes once' \
  'local t = strew.zeros(1):expand(1000000000) print(pcall(function() while true do t:sum() end end)) error("later")' '*later*'
interrupts 'Ctrl-C in io.read' 'io.read() io.read()'
mkfifo lonely # which no process opens for writing
interrupts 'Ctrl-C while chunks wait for a writer' 'strew.chunks("lonely", {format = "csv"})'
interrupts 'Ctrl-C while chunks wait for standard input' 'strew.chunks("-", {format = "csv"})'
interrupts 'Ctrl-C under pcall comes once' 'print(pcall(function() while true do end end)) error("later")' '*later*'
interrupts 'Ctrl-C twice ends a script that catches the first' \
  'while true do pcall(function() while true do end end) end' '' 2 130

# ---- chunks of pipes
ran --time 0.3 -e 'strew.chunks("lonely", {format = "csv"})'
expect 'a time limit while chunks wait for a writer' 1 '' '*chunks: time limit of 0.3 s exceeded*'
chunks='local n, s = 0, 0 for c in strew.chunks(..., {format = "csv", header = true, rows = 2}) do
  n, s = n + 1, s + c.a:sum():item() end print(n, s)'
echo "$chunks" >chunks.lua
{ printf 'a,b\n1,x\n2,'; sleep 0.2; printf 'y\n3,z\n'; } >lonely &
ran chunks.lua lonely; expect 'chunks of a named pipe' 0 '2	6'
wait
printf 'a,b\n1,x\n2,y\n3,z\n' >typed
printf 'a,b\n1,x\n2,y\n3,z\n' | "$program" chunks.lua - >out 2>err; status=$?
expect 'chunks of standard input, a pipe' 0 '2	6'
input=typed
ran chunks.lua -; expect 'chunks of standard input, a file' 0 '2	6'
sed 's/rows = 2/rows = 70000/' chunks.lua >many.lua
{ echo a; seq 1500000; } | dd bs=1777 2>err.dd | "$program" many.lua - >out 2>err; status=$?
expect 'a pipe of more than the ring holds, in odd pieces' 0 '22	1125000750000'
input=empty
ran chunks.lua -; expect 'chunks of an empty standard input' 1 '' '*is empty, expected lines of cells*'
{ printf 'a,b\n1,x\n2,y\n3'; } >lonely &
ran chunks.lua lonely; expect 'a pipe that ends in the middle of a row' 1 '' '*has 1 cell in line 4, expected 2, as in line 1*'
wait
rm lonely

# a limit on backtracking of patterns
(bounded "$program" -e 'print(pcall(strew.help, "x" .. (" "):rep(2000000) .. "x"))') >out 2>err; status=$?
expect 'help on a long name ends' 0 "false*help: 'name' is *no help found*"

# ---- the prompt
printf '1 + 1\n=2, nil\nfor i = 7, 8 do\nprint(i)\nend\nx x\nlocal kept = 1\nprint(kept)\n=#{1,\n2, 3}\n' >typed
input=typed
ran -i
expect '-i prompts without a terminal' 0 'strew 0.*Lua 5.4*> 2*> 2	nil*> >> >> 7*8*> > > 1*> >> 3*' '*stdin:1:*near*'
printf 'error("kept")\nerror{}\nprint("going on")\nf(\n1,\n' >typed
ran -i; expect 'errors keep the session' 0 '*going on*' "stdin:1: kept${newline}(error object is a table value)${newline}*<eof>*"
printf '_PROMPT = "ask "\n_PROMPT2 = "more "\nprint(\n9)\n_PROMPT = nil' >typed
ran -i; expect '_PROMPT and _PROMPT2' 0 '*ask more 9*'
printf 'print = nil\n1\n' >typed
ran -i; expect 'a session without print' 0 '*' "*error calling 'print'*"
printf 'os.exit(4)\n' >typed
ran -i; expect 'os.exit at the prompt' 4 '*'
printf 'local stop = os.clock() + 0.6 repeat until os.clock() > stop\n6 * 7\n' >typed
ran -i -t 1; expect 'no duration where nobody waits' 0 '*1 thread *> > 42*'
echo 'y = 5' >sets.lua
printf 'y\n' >typed
ran -i sets.lua; expect '-i after a script' 0 '*> 5*'
input=empty

# typed: its input is typed at a terminal, whose output goes to out.
typed() {
  (bounded script -qec "exec $program" /dev/null) >>shown 2>&1 # exec: a shell between would end by Ctrl-C
  echo $? >code
  tr -d '\r' <shown >out
  : >err
  : >shown # removes the output of the previous one
}
# saw NAME OUT: the output of the last typed, in a pipe and so in a shell of its own.
saw() {
  status=$(cat code)
  expect "$1" 0 "$2"
}
# after TEXT: waits up to a minute until the terminal shows it.
after() {
  tries=0
  until grep -q "$1" shown || [ $tries = 1200 ]; do sleep 0.05; tries=$((tries + 1)); done
  sleep 0.1
}
: >shown
has_terminal=
if command -v script >/dev/null && script -qec true /dev/null </dev/null >/dev/null 2>&1; then
  has_terminal=yes
  printf '1 + 1\nfor i = 7, 8 do\nprint(i)\nend\nerror("kept")\n"on"\n' | typed
  saw 'a session at a terminal' '*strew 0.*cpu, * thread*> *2*>> *7*8*kept*on*'
  {
    after '> ' && echo 'print("run" .. "ning") while true do end' && after running
    printf '\003' && after 'interrupted!' && echo '6 * 7'
  } | typed
  saw 'Ctrl-C at a terminal stops the line' '*interrupted!*> *42*'
  { after '> ' && printf garbage && after garbage && printf '\003' && after 'garbage^C' && echo '6 * 7'; } | typed
  saw 'Ctrl-C drops what is typed' '*garbage*> *42*'
  # without echo, which would appear before or after the prompt
  printf '6 * 7\n' | script -qec "stty -echo; $program -i | cat" /dev/null >shown 2>&1; status=$?
  tr -d '\r' <shown >out; : >err
  expect 'typed at a terminal, read elsewhere' 0 '*> 42*'
  echo 'local t = strew.arange(100, 106) print(t) os.execute("stty cols 300") print(t)' >sizes.lua
  echo 'os.execute("stty cols 30") print(strew.arange(100, 110) * 1000)' >>sizes.lua
  script -qec "stty cols 12; $program sizes.lua" /dev/null </dev/null >shown 2>&1; status=$?
  tr -d '\r' <shown >out; : >err
  expect 'rows follow the width of the terminal' 0 "*int64[[]6] cpu${newline} 100  101${newline} 102  103${newline} 104  105${newline}int64[[]6] cpu${newline} 100  101  102  103  104  105${newline}int64[[]10] cpu${newline} 100000  101000  102000${newline} 103000*"
else
  echo "left out: the prompt at a terminal (there is no working 'script' command)"
fi

# ---- the terminal: pictures in its colours and size, a progress line that disappears; never in a pipe
escape=$(printf '\033')
cat >shows.lua <<'END'
strew.show(strew.tensor{{0, 0}, {1, 1}}, {colormap = "grey"})
strew.show(strew.arange(180))
END
cat >works.lua <<'END'
strew.progress("all of it \27[2J" .. ("long "):rep(99))
strew.progress()
print("one")
local start, now = strew.clock()
repeat now = strew.clock() - start strew.progress("a part", now) until now > 0.25
strew.progress("left behind")
if ... then error("failed") end
END
cat >narrow.lua <<'END'
os.execute "stty cols 8 rows 2"
strew.progress("\195\169\127xyz")
strew.progress()
os.execute "stty cols 5"
strew.progress("xyz")
strew.progress()
os.execute "stty cols 3"
strew.progress("xyz")
strew.progress()
os.execute "stty cols 0"
local start = strew.clock()
repeat strew.progress("all", 2) until strew.clock() - start > 0.25
strew.progress()
strew.show(strew.eye(4))
strew.show(strew.eye(4), {width = 4})
END
# at_terminal SETTINGS ARGS...: the program at a terminal of 60 columns; carriage returns are removed from its output.
at_terminal() {
  settings=$1 && shift
  script -qec "stty cols 60 rows 12; env $settings $program $*" /dev/null >out 2>err </dev/null
  status=$?
  tr -d '\r' <out >shown && mv shown out
}
sixty='▁▁▁▁▁▁▁▁▂▂▂▂▂▂▂▃▃▃▃▃▃▃▃▄▄▄▄▄▄▄▅▅▅▅▅▅▅▆▆▆▆▆▆▆▆▇▇▇▇▇▇▇████████'
if [ -n "$has_terminal" ]; then
  black="$escape?38;2;0;0;0m" white="$escape?48;2;255;255;255m"
  at_terminal 'LC_ALL=C.UTF-8 TERM=xterm NO_COLOR= COLORTERM=truecolor' shows.lua
  expect 'a picture in 24 bits of colour' 0 "$black$white▀▀$escape?0m*"
  at_terminal 'LC_ALL=C.UTF-8 TERM=xterm NO_COLOR= COLORTERM=' shows.lua
  expect 'a picture in 256 colours' 0 "$escape?38;5;16m$escape?48;5;231m▀▀$escape?0m*$newline$sixty$newline*mean of 3"
  for settings in NO_COLOR=1 TERM=dumb TERM=; do
    at_terminal "LC_ALL=C.UTF-8 TERM=xterm COLORTERM=truecolor $settings" shows.lua
    expect "a picture with $settings" 0 "    ${newline}@@@@${newline}0 .. 1$newline$sixty$newline*mean of 3"
  done
  at_terminal 'LC_ALL=C.UTF-8 TERM=xterm NO_COLOR= COLORTERM=24bit' shows.lua
  expect 'a picture in 24 bits of colour, by its other name' 0 "$black$white▀▀$escape?0m*"
  at_terminal 'LC_ALL=de_DE.ISO-8859-1 TERM=xterm COLORTERM=truecolor' shows.lua
  expect 'a picture with another set of characters' 0 "    ${newline}@@@@*"
  at_terminal 'LC_ALL=C TERM=xterm COLORTERM=truecolor' shows.lua
  expect 'a picture without UTF-8' 0 "    ${newline}@@@@${newline}0 .. 1${newline}______....*@@@@@@$newline*mean of 3"
  erased="$escape?K"
  at_terminal TERM=xterm works.lua
  expect 'progress at a terminal' 0 "${erased}all of it [?]?2Jlong*lon* ...${erased}one$newline*a part  [1-9]? %*left behind ...$erased"
  at_terminal TERM=xterm works.lua fail
  expect 'progress disappears before an error' 1 "*left behind ...$erased$program: works.lua:*failed*"
  at_terminal "LC_ALL=C TERM=xterm" narrow.lua
  expect 'progress and pictures in a narrow terminal' 0 "${erased}é?x ...$erased$erased ...$erased$erased${erased}${erased}all  100 %*$erased*${newline}0.25 .. 0.25, *${newline}@@  ${newline}  @@${newline}0 .. 0.5, *"
  at_terminal '-u TERM' works.lua; expect 'no progress at a terminal without a name' 0 one
  at_terminal TERM=dumb works.lua; expect 'no progress where no line can be erased' 0 one
fi
ran works.lua; expect 'no progress in a pipe' 0 one
LC_ALL=C.UTF-8 COLORTERM=truecolor ran shows.lua
expect 'no colour in a pipe' 0 "    ${newline}@@@@${newline}0 .. 1$newline▁*█${newline}0.5 .. 178, a cell is the mean of 2.25"

# ---- the demonstrations on the CPU alone; devices.sh runs them on devices
export OCL_ICD_VENDORS="$here/nothing"
mkdir demo
alone='*the CPU alone: *available: cpu*'
ran "$demos/karate.lua"; expect karate 0 "*156  ok*45  ok*33  ok*9  ok$alone"
ran "$demos/debrank.lua" demo; expect debrank 0 "*1.000000000  ok*libc6  ok$alone"
ran "$demos/groupby.lua" demo; expect groupby 0 "*section  *packages  *plain Lua *ok*true  ok$alone"
ran "$demos/voxels.lua" demo; expect voxels 0 "*1000000  ok*39.25  ok$alone"
ran "$demos/florence.lua"; expect florence 0 "*Medici, 79 %*Lua finds them *16  ok*once *2  ok$alone"
ran "$demos/gcn.lua"; expect gcn 0 "*right 32 of 34*1 1 1${newline}at least*true  ok*true  ok*e0c5dc565b085664$alone"
ran "$demos/attention.lua"; expect attention 0 "*step  60  loss 0.0*at least 85 are right *true  ok$alone"
ran "$demos/hough.lua" demo; expect hough 0 "*line 1 *30 degrees, 150  ok*line 3 *ok$alone"
ran "$demos/stream.lua" demo; expect stream 0 "*chunks*140000  ok*944  ok$alone"
ran --memory 40M "$demos/stream.lua" demo 60
expect 'a file larger than the limit' 0 '*59 MB, *2140000  ok*944  ok*alone*'
ran "$demos/questions.lua" demo 5000; expect questions 0 "*sum of v3, count*id0000000050 *50  ok*5000  ok$alone"
ran "$demos/slits.lua" demo; expect slits 0 "*same bits *true  ok*brightest, at row *80  ok*true  ok$alone"
ls demo >out; status=0 && : >err
expect 'their files' 0 "hough_found.png*hough_noisy.png*hough_votes.png*sections.npz*slits.png*voxels.png"
sample='*is not there: a stored sample takes its place*'
PATH=/nowhere ran "$demos/debrank.lua" --all; expect 'debrank without apt-cache' 0 "${sample}libc6  ok$alone"
PATH=/nowhere ran "$demos/groupby.lua" demo; expect 'groupby without dpkg-query' 0 "*dpkg-query is missing*libs *$alone"
unset OCL_ICD_VENDORS
cat >wrong.lua <<END
local common = dofile "$demos/common.lua"
common.check("one and one", 1 + 1, 3)
common.finish()
END
ran wrong.lua; expect 'a demonstration that finds something else' 1 '*2  EXPECTED 3*'

# The module in another Lua says which one it needs: as an error, not as a missing symbol.
module=${program%/*}/strew.so
for other in lua5.1 lua5.2 lua5.3 luajit; do
  if [ ! -e "$module" ] || [ -n "${SANITIZE-}" ] || ! command -v "$other" >/dev/null; then continue; fi
  case $other in lua5.1 | luajit) name='Lua 5.1 or LuaJIT' ;; *) name="Lua ${other#lua}" ;; esac
  got=$(LUA_CPATH="${program%/*}/?.so" "$other" -e 'print(select(2, pcall(require, "strew")))' 2>&1)
  case $got in
    "strew: this module is for Lua 5."[45]", the program has $name"*) passed=$((passed + 1)) ;;
    *) failed=$((failed + 1)) && printf 'FAILED the module in %s:\n%s\n' "$other" "$got" ;;
  esac
done

# The benchmark runs through, in sizes that take no time; its assertions compare bits with the plain loop. Every line of
# input is answered, as peers.py expects. (It allocates more memory than there is, which a sanitizer reports.)
ASAN_OPTIONS=allocator_may_return_null=1 SCALE=10000 ran "$bench/bench.lua" 0.0001
expect 'the benchmark' 0 '*copy of 40 MB*into 1 M*rows: gather (PyTorch: index_select)*a + b*the rest of the family*segment_csr*softmax over*start of the program: *' '*'
printf 'list add_1M,four\nprepare add_1M 1\ntime 0\ndrop\nprepare add_2M 1\n' >lines
input=lines
SCALE=10000 ran "$bench/worker.lua"
expect "the benchmark's worker" 0 "strew *add_1M|add, 10 M into 1 M|family|1*four|*|call|10000*ready *.*dropped*absent *no such case"
input=empty

echo "$passed passed, $failed failed"
[ "$failed" = 0 ]
