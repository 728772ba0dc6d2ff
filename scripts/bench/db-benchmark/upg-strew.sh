#!/bin/bash
# Updates strew/source, builds it, and installs it to strew/local.
set -e

echo 'upgrading strew...'

git -C strew/source pull --ff-only > /dev/null
make -C strew/source -j install PREFIX="$PWD/strew/local" > /dev/null
