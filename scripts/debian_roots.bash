# Makes root file systems of Debian, for scripts/try-debian and scripts/releaselib/trials.py, which
# source this file. Needs root and network.

# inside ROOT COMMAND...: runs a command in the root file system ROOT, with the kernel's file
# systems mounted.
inside() {
  # shellcheck disable=SC2016
  unshare --mount bash -ec '
    mount --make-rprivate /
    for folder in proc sys dev; do mount --rbind "/$folder" "$1/$folder"; done
    exec chroot "$@"
  ' inside "$@"
}

# make_root NAME SUITE PACKAGE...: makes the root file system /var/cache/jprof/NAME of a suite, with
# these packages, unless it exists. Sets `root` to its path. The folder gets this name when it is
# complete.
make_root() {
  local name=$1 suite=$2 log=/var/cache/jprof/$1.log
  root=/var/cache/jprof/$name
  if [[ -d $root ]]; then return; fi
  if ((EUID != 0)); then echo "$0: needs root, for chroot and debootstrap" >&2 && return 1; fi
  rm -rf "$root.part"
  mkdir -p "$root.part"
  {
    debootstrap --variant=minbase "$suite" "$root.part" http://deb.debian.org/debian &&
      echo 'Acquire::Check-Valid-Until "false";' >"$root.part/etc/apt/apt.conf.d/99jprof" &&
      mkdir -p "$root.part/usr/share/man/man1" &&
      inside "$root.part" env DEBIAN_FRONTEND=noninteractive sh -c \
        'apt-get update && apt-get install -y --no-install-recommends "$@"' install "${@:3}"
  } >"$log" 2>&1 || { echo "$0: no root file system of $suite: $(tail -n 1 "$log")" >&2 && return 1; }
  mv "$root.part" "$root"
}
