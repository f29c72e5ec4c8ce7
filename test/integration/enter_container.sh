#!/bin/sh
# Makes a root file system in /mnt of this mount namespace, and executes a command in it, for tests
# that need a container (container_fixture.h).
#
# usage: enter_container.sh FILES TMP MODE USER CLASSES NATIVE HOME COMMAND...
#
#   FILES     whole: this machine's /usr and /etc; jdk-only: the JDK and the libraries it needs
#   TMP       writable, read-only (a folder of the root), or none
#   MODE      ro or rw: of everything but a writable /tmp
#   USER      user and group of the command
#   CLASSES   folder for /app; NATIVE: folder for /native; HOME: folder of the JDK
set -e
root=/mnt files=$1 tmp=$2 mode=$3 user=$4 classes=$5 native=$6 home=$7
shift 7

# Shows a file or folder of this machine at the same path below the root.
bind() {
  if [ -L "$1" ]; then
    cp -P "$1" "$root$1"
    return
  fi
  if [ -d "$1" ]; then
    mkdir -p "$root$1"
  else
    mkdir -p "$root$(dirname "$1")"
    touch "$root$1"
  fi
  mount --rbind "$1" "$root$1"
}

mount -t tmpfs -o mode=755 root "$root"
mkdir "$root/proc" "$root/app" "$root/dev" "$root/native"
mount -t proc none "$root/proc"
mount --rbind "$classes" "$root/app"
mount --rbind "$native" "$root/native"
if [ "$files" = whole ]; then
  for folder in /usr /lib /lib64 /bin /sbin /etc; do bind "$folder"; done
  case $home in
    /usr/*) ;;
    *) bind "$home" ;;
  esac
  mount --rbind /dev "$root/dev"
else
  bind "$home"
  for folder in /etc/java-*; do
    if [ -d "$folder" ]; then bind "$folder"; fi
  done
  # Debian's JDKs have files outside of their folders, and use libraries of the system.
  find "$home/" -name '*.so' -exec ldd {} + 2>/dev/null |
    grep -o '/[^ ]*/\(ld-linux\|libc\|libm\|libdl\|libpthread\|librt\|libz\|libjpeg\|liblcms\|libgcc_s\|libstdc++\)[-.][^ ]*' |
    sort -u | while read -r library; do
    case $library in
      "$home"/*) continue ;;
    esac
    mkdir -p "$root$(dirname "$library")"
    touch "$root$library"
    mount --bind "$(readlink -f "$library")" "$root$library"
  done
  for device in null urandom random; do
    touch "$root/dev/$device"
    mount --bind "/dev/$device" "$root/dev/$device"
  done
fi
case $tmp in
  writable)
    mkdir "$root/tmp"
    mount -t tmpfs -o mode=1777 tmp "$root/tmp"
    ;;
  read-only) mkdir "$root/tmp" ;;
esac
if [ "$mode" = ro ]; then mount -o remount,bind,ro "$root"; fi
exec chroot --userspec="$user:$user" --groups= "$root" "$@"
