#!/bin/sh
# Executes a command in new namespaces for users, mounts and processes, as user 0 of the namespace,
# which is user 100000 of this machine. For tests that need such a container (container_fixture.h).
#
# usage: enter_user_namespace.sh COMMAND...
set -e
exec 3<&0
fifo=$(mktemp -u)
mkfifo "$fifo"
# shellcheck disable=SC2016  # the words are for the inner shell
unshare --user --keep-caps --mount --pid --fork --kill-child sh -c \
  'read -r go <"$1"; shift; exec setpriv --reuid 0 --regid 0 --clear-groups "$@"' \
  sh "$fifo" "$@" <&3 &
child=$!
while [ "$(readlink /proc/$child/ns/user)" = "$(readlink /proc/$$/ns/user)" ]; do sleep 0.02; done
echo "0 100000 65536" >/proc/$child/uid_map
echo "0 100000 65536" >/proc/$child/gid_map
echo go >"$fifo"
rm "$fifo"
wait $child
