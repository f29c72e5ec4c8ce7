"""Executes the instructions of a Dockerfile on this machine, and runs the result as a container.

The base image is this machine's /usr with its JDK, read-only. COPY, ENV and CMD are executed as
written, in separate namespaces for mounts and processes.
"""

import json
import os
import shutil
import subprocess
import time

# Mounts the base image into the folder $1 and executes a command there. Arguments: the folder,
# "ro" or "rw", a folder for /tmp or "", the arguments of setpriv (one word), the command.
ENTER = """set -e
root=$1 mode=$2 tmp=$3 rights=$4; shift 4
mount --bind "$root" "$root"
for folder in usr lib lib64 bin sbin etc; do
  if [ -L "/$folder" ]; then [ -L "$root/$folder" ] || cp -P "/$folder" "$root"; else
    mkdir -p "$root/$folder"; mount --rbind -o ro "/$folder" "$root/$folder"; fi
done
mkdir -p "$root/proc" "$root/dev" "$root/tmp"
chmod 1777 "$root/tmp"
mount -t proc none "$root/proc"
mount --rbind /dev "$root/dev"
if [ -n "$tmp" ]; then chmod 1777 "$tmp"; mount --bind "$tmp" "$root/tmp"; fi
if [ $mode = ro ]; then mount -o remount,bind,ro "$root"; fi
exec chroot "$root" setpriv $rights env "$@"
"""

# The capabilities that containerd gives a container (defaultUnixCaps in pkg/oci/spec.go of
# containerd/containerd).
DEFAULT_CAPABILITIES = ["chown", "dac_override", "fsetid", "fowner", "mknod", "net_raw", "setgid",
                        "setuid", "setfcap", "setpcap", "net_bind_service", "sys_chroot", "kill",
                        "audit_write"]


def rights(user, capabilities):
    """Returns the arguments with which setpriv becomes the user of a container."""
    bounds = ",".join(["-all"] + [f"+{each}" for each in capabilities])
    return (f"--bounding-set={bounds} --inh-caps=-all"
            f" --reuid={user} --regid={user} --clear-groups")


def child_of(program):
    """Waits for the only child of a process, the first process of its container, and returns its
    pid."""
    for _ in range(1000):
        with open(f"/proc/{program.pid}/task/{program.pid}/children", encoding="ascii") as file:
            children = file.read().split()
        if children:
            return int(children[0])
        time.sleep(0.02)
    raise AssertionError(f"process {program.pid} has no child")


class Image:
    """An image that a Dockerfile makes from the files in `context`, in the folder `root`."""

    def __init__(self, dockerfile, context, root):
        self.root, self.environment, self.command = root, [], None
        shutil.rmtree(root, ignore_errors=True)
        os.makedirs(root)
        for line in dockerfile.splitlines():
            instruction, words = line.split(" ", 1)
            getattr(self, instruction.lower())(words, context)

    def from_(self, *_):
        """The base is the machine itself."""

    def copy(self, words, context):
        source, target = (path.lstrip("/") for path in words.split())
        target = os.path.join(self.root, target)
        os.makedirs(os.path.dirname(target), exist_ok=True)
        source = os.path.join(context, source)
        (shutil.copytree if os.path.isdir(source) else shutil.copy)(source, target)

    def env(self, words, _):
        name, value = words.split("=", 1)
        self.environment.append(f"{name}={json.loads(value)}")

    def cmd(self, words, _):
        self.command = json.loads(words)

    def run(self, command=None, user=0, capabilities=None, read_only=False, tmp="", share=None):
        """Starts a container. `tmp`: a folder for /tmp; `share`: a process whose pid namespace the
        container joins, in place of a new one."""
        bounds = DEFAULT_CAPABILITIES if capabilities is None else capabilities
        enter = ["unshare", "--mount"] + ([] if share else ["--pid", "--fork"])
        if share:
            enter = ["nsenter", f"--pid=/proc/{share}/ns/pid"] + enter
        return subprocess.Popen(
            [*enter, "sh", "-c", ENTER, "sh", self.root, "ro" if read_only else "rw", tmp,
             rights(user, bounds), *self.environment, *(command or self.command)],
            text=True, stdin=subprocess.PIPE, stdout=subprocess.PIPE)


setattr(Image, "from", Image.from_)
