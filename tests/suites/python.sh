#!/bin/sh
# usage: PYTHON=python3 SEED= sh tests/suites/python.sh BUILD onnx|array_api
# Suites that others wrote, which scripts/setup.sh suites fetches to build/suites. With a SEED, of make test: ONNX's node
# tests without the scoreboard, and a few examples of the array API's suite.
set -u
cd "$(dirname "$0")/../.." || exit 1
build=$PWD/$1 suites=$PWD/build/suites
: "${PYTHON:=python3}" "${SEED=}"
if [ -x "$suites/python/bin/python" ]; then PYTHON=$suites/python/bin/python; fi
export STREW_LIBRARY="$build/strew.so" STREW_THREADS=1 PYTHONPYCACHEPREFIX="$build/pycache" PYTHONPATH="$PWD/scripts/hosts:$PWD/tests/suites"

# True if Python has these modules.
has() { "$PYTHON" -c 'import importlib.util, sys; sys.exit(not all(map(importlib.util.find_spec, sys.argv[1:])))' "$@" 2>/dev/null; }

test_onnx() {
  has onnx || { echo 'onnx: left out, sh scripts/setup.sh suites fetches ONNX and its tests' && return; }
  data=$("$PYTHON" -c 'import importlib.util as u; print(u.find_spec("onnx").submodule_search_locations[0])')/backend/test/data/node
  [ -d "$data" ] || { echo "onnx: left out, this version of ONNX has no tests in $data" && return; }
  "$build/strew" tests/suites/onnx_nodes.lua "$data" || return
  [ -n "$SEED" ] || "$PYTHON" -B tests/suites/onnx_scoreboard.py
}

test_array_api() {
  if [ ! -d "$suites/array-api-tests" ] || ! has pytest hypothesis ndindex; then
    echo 'array_api: left out, scripts/setup.sh suites fetches its tests by SUITES_FROM'
    return
  fi
  cd "$suites/array-api-tests" || return
  export ARRAY_API_TESTS_MODULE=array_api ARRAY_API_TESTS_SKIP_DTYPES=complex64,complex128 PYTHONPATH="$PWD:$PYTHONPATH"
  set -- array_api_tests --max-examples 10
  [ -z "$SEED" ] || set -- array_api_tests/test_operators_and_elementwise_functions.py \
    array_api_tests/test_manipulation_functions.py array_api_tests/test_statistical_functions.py --max-examples 2
  "$PYTHON" -m pytest -q -p array_api_plugin -p no:cacheprovider --disable-deadline --hypothesis-seed=1 --tb=short -W ignore "$@"
}

"test_$2"
