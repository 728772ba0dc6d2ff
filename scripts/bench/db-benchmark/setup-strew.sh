#!/bin/bash
# Installs strew to strew/local from its source: SOURCE is the folder of a checkout, or what git clones.
set -e

: "${SOURCE:?the folder or address of the source of strew}"

sudo apt-get install -y gcc libc6-dev make pkg-config liblua5.4-dev libpthreadpool-dev libzip-dev libpng-dev zlib1g-dev opencl-headers

[ -d strew/source ] || git clone "$SOURCE" strew/source

./strew/upg-strew.sh

./strew/ver-strew.sh
