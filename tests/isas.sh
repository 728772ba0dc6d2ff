#!/bin/sh
# usage: sh tests/isas.sh BUILD ISA...
# The digest is the same under each instruction set that STREW_CPU can force on this machine. Sets that this processor
# lacks are left out.
set -u
cd "$(dirname "$0")/.." || exit 1
build=$1
shift
first='' passed=0 failed=0
for isa in "$@"; do
  described=$(STREW_CPU=$isa "$build/strew" -e 'print(strew.devices()[1].description)' 2>&1)
  case $described in
    *", $isa loops") ;;
    *)
      echo "$isa is not there: $described"
      continue
      ;;
  esac
  number=$(STREW_CPU=$isa "$build/strew" tests/digest.lua 300 1 2 | sed -n 's/^digest.*threads: //p')
  first=${first:-$number}
  if [ -n "$number" ] && [ "$number" = "$first" ]; then
    passed=$((passed + 1))
  else
    failed=$((failed + 1))
    echo "FAILED $isa: digest $number, elsewhere $first"
  fi
done
[ $passed = 1 ] && echo "there is one instruction set here: nothing to compare it with"
echo "instruction sets: $passed passed, $failed failed"
[ $failed = 0 ] && [ $passed != 0 ]
