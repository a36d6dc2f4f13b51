"""What the sandbox must survive: functions that run in a worker, most of them badly behaved."""

import ctypes
import mmap
import os
import re
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path


def echo(*values):
    return values


def double(number):
    return 2 * number


def nap(number, seconds):
    time.sleep(seconds)
    return number


def pid():
    return os.getpid()


def slow():
    while True:
        sum(range(1000))


def slow_without_its_timer():
    signal.setitimer(signal.ITIMER_PROF, 0)
    slow()


def wait_for_ever():
    time.sleep(86_400)


def endless_in_c():
    """Holds the interpreter's lock for ever, so no thread of the worker can do anything about it."""
    re.match(r"(a+)+$", "a" * 64 + "b")


def allocate(size):
    return len(bytearray(size))


def allocate_array(size):
    import numpy as np  # which takes a part of a short limit of time

    return np.ones(size, np.uint8).size


def allocate_shared(size):
    mapping = mmap.mmap(-1, size)
    for place in range(0, size, mmap.PAGESIZE):
        mapping[place] = 1


def grow():
    held = []
    while True:
        held.append(b"x" * 100_000)


def abort_without_memory():
    """What tree-sitter does when it is refused memory."""
    libc = ctypes.CDLL(None)
    libc.malloc.restype = ctypes.c_void_p
    libc.malloc.argtypes = [ctypes.c_size_t]
    while address := libc.malloc(10_000_000):
        ctypes.memset(address, 1, 10_000_000)
    os.abort()


LEAK: list[bytes] = []


def leak(size):
    LEAK.append(b"x" * size)
    return len(LEAK)


def segfault():
    ctypes.string_at(0)


def exit_now(status):
    os._exit(status)


def leave():
    sys.exit("enough")


def kill(number):
    os.kill(os.getpid(), number)
    time.sleep(60)


def recurse(depth=0):
    return recurse(depth + 1)


def nest(depth):
    return 0 if depth == 0 else 1 + nest(depth - 1)


def overflow_c_stack():
    """Recursion in C without any check, as in a careless parser: a bracket of a pattern is a call."""
    room = ctypes.create_string_buffer(1 << 10)  # for what POSIX calls a regex_t
    return ctypes.CDLL(None).regcomp(room, b"(" * 10**6, 1)


def shout():
    raise ValueError("\x1b[31mbad\nline " + "x" * 10_000_000)


class MuteError(Exception):
    def __str__(self):
        raise RuntimeError("no words")


def mute():
    raise MuteError


def missing(key):
    return {}[key]


def produce(size):
    import numpy as np

    return np.zeros(size, np.uint8)


def produce_items(count):
    return [10**18] * count


def unsendable():
    return {"a": object()}


def chatter():
    print("garbage " * 100_000)
    os.write(1, b"\0\xff" * 10_000)
    os.write(2, b"\0\xff" * 10_000)
    return "said"


def opened():
    """The worker's descriptors, with what each of them is."""
    there = (fd for fd in range(4096) if os.path.lexists(f"/proc/self/fd/{fd}"))
    return {fd: str(Path(f"/proc/self/fd/{fd}").readlink()) for fd in there}


def pipes():
    return [fd for fd, name in opened().items() if name.startswith("pipe:")]


def write_pipes(data, then):
    for fd in pipes():
        try:
            os.write(fd, data)
        except OSError:
            continue
    if then == "wait":
        time.sleep(60)
    return then


def write_later(seconds):
    threading.Timer(seconds, write_pipes, (b"late", "return")).start()
    return os.getpid()


def close_pipes():
    for fd in pipes():
        os.close(fd)
    time.sleep(60)


def fork_and_exit():
    if os.fork() == 0:
        time.sleep(60)
    os._exit(3)


def fork_and_return():
    child = os.fork()
    if child == 0:
        time.sleep(60)
    return child


def fork_both_return():
    return os.fork()


def descriptors():
    return list(opened().values())


def environment():
    return [f"{name}={value}" for name, value in os.environ.items()]


def write_file(path):
    with Path(path).open("wb", buffering=0) as file:
        return file.write(b"x")


def run_alone(*command):
    from whorl.sandbox.jail import forbid_children

    return subprocess.run(command, stdout=subprocess.PIPE, check=True, preexec_fn=forbid_children).stdout


def run_program(*command):
    return subprocess.run(command, capture_output=True, check=True).stdout
