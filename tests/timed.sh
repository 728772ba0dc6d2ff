#!/bin/sh
# usage: sh tests/timed.sh TARGET COMMAND
# The shell of make for the targets of make test: runs COMMAND, then prints the time of TARGET.
start=$(date +%s)
sh -c "$2"
status=$?
echo "time: $1 $(($(date +%s) - start)) s"
exit $status
