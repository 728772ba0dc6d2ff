#!/bin/sh
# usage: sh tests/mpi_test.sh BUILD
# strew.mpi on 1 to 4 ranks of this machine: results of random calls, with one process's bits; failures of one rank, as
# all ranks see them; ways to end on one rank alone. By the program, and by lua5.4.
set -u
cd "$(dirname "$0")/.." || exit 1
build=$1
if ! command -v mpirun >/dev/null || [ ! -e "$build/modules/strew/mpi.so" ]; then
  echo 'mpi: left out, mpicc or mpirun is missing (Debian: libopenmpi-dev, openmpi-bin)'
  exit
fi
here=$(mktemp -d) || exit 1
trap 'rm -rf "$here"' EXIT INT TERM
passed=0 failed=0

# Open MPI: as root, more ranks than processors, without a login on this machine, and without spinning.
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMPI_MCA_rmaps_base_oversubscribe=1 \
  OMPI_MCA_plm=isolated OMPI_MCA_mpi_yield_when_idle=1 OMPI_MCA_btl=^tcp STREW_THREADS=1
# The same of Open MPI 5: more ranks than processors.
export PRTE_MCA_rmaps_default_mapping_policy=:oversubscribe
# All ranks print to one pipe: timeout's group ends with it.
ranks() { # N COMMAND...
  n=$1
  shift
  timeout 400 mpirun -np "$n" "$@" 2>&1
}

verdict() { # NAME WRONG: error text; empty: passed
  if [ -z "$2" ]; then
    passed=$((passed + 1))
  else
    failed=$((failed + 1))
    printf 'FAILED %s:\n%s\n' "$1" "$2" | head -n 40
  fi
}
same() { # NAME EXPECTED GOT
  if [ "$2" = "$3" ]; then verdict "$1" ''; else verdict "$1" "$3${2:+ and not $2}"; fi
}

# ------------------------------------------------------------------------------------------------------------- results

calls=300
alone=$("$build/strew" tests/mpi/operations.lua $calls "$here" 2>&1)
case $alone in *' results, digest '*) verdict 'a world of one, without mpirun' '' ;; *) verdict 'a world of one' "$alone" ;; esac
for n in 1 2 3 4; do same "$n ranks" "$alone" "$(ranks $n "$build/strew" tests/mpi/operations.lua $calls "$here")"; done
same 'in rounds of 24 bytes' "$alone" "$(STREW_MPI_STAGING=24 ranks 3 "$build/strew" tests/mpi/operations.lua $calls "$here")"
same 'lua5.4' "$alone" "$(LUA_CPATH="$build/modules/?.so" ranks 2 lua5.4 tests/mpi/operations.lua $calls "$here")"

case $(ranks 3 "$build/strew" scripts/demos/ranks.lua) in
  *' have the bits of the plain loop in one process') verdict 'PageRank' '' ;;
  *) verdict 'PageRank' "$(ranks 3 "$build/strew" scripts/demos/ranks.lua)" ;;
esac
device=opencl:portable
if "$build/strew" -d $device -e 'print(1)' >/dev/null 2>&1; then
  same "tensors on $device" "$("$build/strew" tests/mpi/operations.lua 40 "$here" 2>&1)" \
    "$(POCL_MAX_PTHREAD_COUNT=1 ranks 2 "$build/strew" -d $device tests/mpi/operations.lua 40 "$here")"
else
  echo "mpi: no $device: tensors on devices are left out"
fi

# ------------------------------------------------------------------------------------------------------------ failures

"$build/strew" -e "strew.save('$here/ten.npy', strew.arange(10))"
for n in 2 3; do
  same "failures on $n ranks" '' "$(ranks $n "$build/strew" tests/mpi/errors.lua "$here")"
  rank=1
  while [ $rank -lt $n ]; do
    same "rank $rank of $n sees the same" '' "$(diff "$here/errors.0" "$here/errors.$rank" 2>&1)"
    rank=$((rank + 1))
  done
done
same "messages on 3 ranks" '' "$(sed "s|$here|FOLDER|g; s/tests.mpi.errors.lua:[0-9]*: //g; s/[0-9.]* [A-Za-z]* in use.*GiB/BYTES/g; s/memory: [0-9.]* [GM]iB/memory: BYTES/g" "$here/errors.0" |
  diff tests/data/mpi_errors.txt -)"

# ----------------------------------------------------------------------------------------------------------------- ends

ends() { # NAME STATUS PATTERN COMMAND...
  name=$1 status=$2 pattern=$3
  shift 3
  said=$(timeout 60 mpirun "$@" 2>&1)
  code=$?
  if [ $code = "$status" ] && printf '%s\n' "$said" | tr '\n' ' ' | grep -q -e "$pattern"; then
    verdict "$name" ''
  else
    verdict "$name" "ended with $code, expected $status and '$pattern': $said"
  fi
}
script=tests/mpi/ends.lua
ends 'a rank exits' 3 '' -np 3 "$build/strew" $script exit
ends 'a rank fails' 1 'one rank alone' -np 3 "$build/strew" $script error
ends 'a rank is killed' 137 'rank 2.*signal 9' -np 3 "$build/strew" $script kill
ends 'a rank returns' 0 'false.*mpi: rank 2 has reached the end of its script, rank 0 calls barrier' -np 3 "$build/strew" $script return
# strew, on rank 2 with a limit. (Open MPI 5.0.7 ends with a fault if one call of mpirun
# names several programs.)
# shellcheck disable=SC2016
limited='[ "$OMPI_COMM_WORLD_RANK" = 2 ] || { shift 3; exec "$0" "$@"; }; shift; exec "$0" "$@"'
ends 'a limit of memory' 0 'rank 2: scatter_add_: out of memory.*' -np 3 sh -c "$limited" "$build/strew" - \
  --memory 60M $script memory
ends 'a limit of time' 0 'rank 2: .*time limit of 4 s' -np 3 sh -c "$limited" "$build/strew" - --time 4 $script time
ends 'all ranks fail' 1 'rank 1: scatter_add_: .index. has value 10' -np 2 "$build/strew" -e \
  'local mpi = require "strew.mpi" mpi.zeros(10):scatter_add_(strew.tensor{9 + mpi.rank()}, strew.ones(1))'

echo "mpi: $passed passed, $failed failed"
[ "$failed" = 0 ]
