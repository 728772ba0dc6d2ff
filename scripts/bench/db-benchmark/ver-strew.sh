#!/bin/bash
set -e

./strew/local/bin/strew -e 'print((strew._VERSION:gsub("[^%d.]", "")))' > strew/VERSION
git -C strew/source rev-parse HEAD > strew/REVISION
