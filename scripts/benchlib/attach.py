"""A client of HotSpot's attach protocol, so that the time of a profiler is measured without its
tool's.

A client makes .attach_pidN in the process's working directory or in /tmp, sends SIGQUIT, and
connects to /tmp/.java_pidN (jdk-21+35 src/hotspot/os/posix/attachListener_posix.cpp).
"""

import os
import signal
import socket
import time

from benchlib import processes

WORDS = 4  # a command and three arguments
PATIENCE_SECONDS = 30


def _connect(path):
    channel = socket.socket(socket.AF_UNIX)
    try:
        channel.connect(path)
    except OSError:
        channel.close()
        return None
    return channel


def _open(pid):
    path = f"/tmp/.java_pid{pid}"
    channel = _connect(path)
    if channel:
        return channel
    asks = f"/tmp/.attach_pid{pid}"
    with open(asks, "w", encoding="ascii"):
        pass
    try:
        os.kill(pid, signal.SIGQUIT)
        end = time.monotonic() + PATIENCE_SECONDS
        while time.monotonic() < end:
            channel = _connect(path)
            if channel:
                return channel
            time.sleep(0.0005)
    finally:
        if os.path.exists(asks):
            os.remove(asks)
    raise TimeoutError(f"process {pid} does not listen at {path}")


def ask(pid, words):
    """Returns the answer of the JVM to a request, which has at most WORDS words."""
    with _open(pid) as channel:
        padded = list(words) + [""] * (WORDS - len(words))
        channel.sendall(b"".join(word.encode() + b"\0" for word in ["1"] + padded))
        answer = b""
        while block := channel.recv(65536):
            answer += block
    return answer.decode(errors="replace")


def tell(pid, words):
    """Does the same as ask(), but raises processes.Failed if the JVM, or the agent it loads,
    refuses."""
    answer = ask(pid, words)
    taken = answer.split("\n", 1)[0].strip() == "0"
    if not taken or words[0] == "load" and "return code: 0" not in answer:
        raise processes.Failed(answer)
