"""Restrict a worker process to its own memory and pipes.

Two parts of Linux do this; both work without privileges and cannot be undone. *Landlock* lets a process read the files
of the interpreter and of libraries, and no others. *seccomp* allows only the system calls in the tables below: no
sockets, no new processes or programs, no signals to others, no files opened for writing. If the kernel has only one of
them, that one applies; ``lock`` returns which do.
"""

import ctypes
import os
import struct
import sys
from collections.abc import Iterable, Iterator, Sequence
from errno import ENOSYS, ENOTTY, EPERM
from importlib.machinery import PathFinder
from typing import NamedTuple

LANDLOCK, SECCOMP = "landlock", "seccomp"
COMPLETE = (LANDLOCK, SECCOMP)


class JailPolicy(NamedTuple):
    """The one program that workers may run, and whether a complete jail is required."""

    run: str | None = None
    required: bool = False


# Where systems keep shared libraries, what the loader and the resolver of fonts read, and harmless devices.
_SYSTEM = (
    "/lib", "/lib64", "/usr/lib", "/usr/lib64", "/usr/local/lib", "/etc/ld.so.cache", "/usr/share/fonts",
    "/usr/local/share/fonts", "/usr/share/zoneinfo", "/dev/null", "/dev/zero", "/dev/urandom",
)  # fmt: skip
# Folders that Ghostscript reads, beside its library.
_GHOSTSCRIPT = ("/usr/share/ghostscript", "/usr/local/share/ghostscript", "/etc/ghostscript", "/var/lib/ghostscript",
                "/usr/share/color", "/usr/share/poppler", "/etc/fonts", "/var/cache/fontconfig")  # fmt: skip
# The loaders that start a program: the kernel executes them.
_LOADERS = ("/lib64/ld-linux-x86-64.so.2", "/lib/ld-linux-aarch64.so.1", "/lib/ld-musl-x86_64.so.1",
            "/lib/ld-musl-aarch64.so.1")  # fmt: skip

# Landlock (linux/landlock.h): the calls have these numbers everywhere. Rights of files are those that a rule for a file
# and not a folder may give.
_CREATE_RULESET, _ADD_RULE, _RESTRICT_SELF = 444, 445, 446
_EXECUTE, _READ_FILE, _READ_DIR = 1 << 0, 1 << 2, 1 << 3
# Rights that each version handles: all are refused but those that a rule gives.
_FILE_RIGHTS = {1: (1 << 13) - 1, 2: (1 << 14) - 1, 3: (1 << 15) - 1, 5: (1 << 16) - 1}
_NETWORK_FROM, _NETWORK_RIGHTS = 4, 0b11
_SCOPE_FROM, _SCOPES = 6, 0b11

# seccomp (linux/seccomp.h, linux/filter.h).
_SET_NO_NEW_PRIVS, _SET_SECCOMP, _FILTER_MODE = 38, 22, 2
_KILL, _ERROR, _ALLOW = 0x8000_0000, 0x0005_0000, 0x7FFF_0000
_LOAD, _IF_EQUAL, _IF_ANY, _RETURN = 0x20, 0x15, 0x45, 0x06
_ARCHITECTURES = {"x86_64": 0xC000_003E, "aarch64": 0xC000_00B7}
_NUMBER_AT, _ARCHITECTURE_AT, _ARGUMENTS_AT = 0, 4, 16

# System calls that need no look at their arguments: numbers on x86-64 and aarch64, -1 where there is none. They reach
# what is open, the process's own memory, threads, time and handlers, and the names and sizes of files.
_FREE = {
    "read": (0, 63), "write": (1, 64), "close": (3, 57), "stat": (4, -1), "fstat": (5, 80), "lstat": (6, -1),
    "poll": (7, -1), "lseek": (8, 62), "mmap": (9, 222), "mprotect": (10, 226), "munmap": (11, 215), "brk": (12, 214),
    "rt_sigaction": (13, 134), "rt_sigprocmask": (14, 135), "rt_sigreturn": (15, 139), "pread64": (17, 67),
    "readv": (19, 65), "writev": (20, 66), "access": (21, -1), "pipe": (22, -1), "select": (23, -1),
    "sched_yield": (24, 124), "mremap": (25, 216), "madvise": (28, 233), "dup": (32, 23), "dup2": (33, -1),
    "nanosleep": (35, 101), "setitimer": (38, 103), "getpid": (39, 172), "exit": (60, 93), "wait4": (61, 260),
    "uname": (63, 160), "getcwd": (79, 17), "readlink": (89, -1), "gettimeofday": (96, 169), "getrlimit": (97, 163),
    "getrusage": (98, 165), "sysinfo": (99, 179), "times": (100, 153), "getuid": (102, 174), "getgid": (104, 176),
    "geteuid": (107, 175), "getegid": (108, 177), "getppid": (110, 173), "sigaltstack": (131, 132),
    "statfs": (137, 43), "fstatfs": (138, 44), "arch_prctl": (158, -1), "gettid": (186, 178), "time": (201, -1),
    "futex": (202, 98), "sched_getaffinity": (204, 123), "getdents64": (217, 61), "set_tid_address": (218, 96),
    "restart_syscall": (219, 128), "fadvise64": (221, 223), "clock_gettime": (228, 113), "clock_getres": (229, 114),
    "clock_nanosleep": (230, 115), "exit_group": (231, 94), "waitid": (247, 95), "newfstatat": (262, 79),
    "readlinkat": (267, 78), "faccessat": (269, 48), "pselect6": (270, 72), "ppoll": (271, 73),
    "set_robust_list": (273, 99), "eventfd2": (290, 19), "dup3": (292, 24), "pipe2": (293, 59),
    "getrandom": (318, 278), "membarrier": (324, 283), "statx": (332, 291), "rseq": (334, 293),
    "close_range": (436, 436), "faccessat2": (439, 439),
}  # fmt: skip
_FORK, _VFORK, _EXECVE = (57, -1), (58, -1), (59, 221)
_OPEN, _OPENAT, _CLONE, _CLONE3 = (2, -1), (257, 56), (56, 220), (435, 435)
_FCNTL, _IOCTL, _KILL_CALL, _TGKILL, _PRCTL, _PRLIMIT = (
    (72, 25),
    (16, 29),
    (62, 129),
    (234, 131),
    (157, 167),
    (302, 261),
)

# Flags of a file that is changed. Flags of a thread, and of a process in namespaces of its own or of another parent.
_CHANGING = os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC
_THREAD, _STRANGE = 0x0001_0000, 0x7E02_A080
# Allowed commands on a descriptor: copies, and flags of this process. Not the receiver of its signals.
_DESCRIPTOR = (0, 1, 2, 3, 1030, 1032)
_CLOSE_ON_EXEC = (0x5450, 0x5451)  # the requests of ioctl that Python makes
_NAMES = (15, 16, 0x53564D41)  # what of prctl only gives names: to a thread, to memory


def describe_jail(jail: Sequence[str]) -> str:
    """Describe the parts of the jail that apply."""
    if tuple(jail) == COMPLETE:
        return "complete"
    missing = " and ".join(part for part in COMPLETE if part not in jail)
    return f"incomplete: this kernel has no {missing}"


def readable(more: Iterable[str] = ()) -> list[str]:
    """In the parent: return the files and folders that a worker must read to import what this process can import.

    Folders of ``sys.path`` that belong to the interpreter count whole. Of others, such as the folder of a script, only
    imported packages and modules count: documents may lie beside them.
    """
    prefixes = tuple({os.path.realpath(prefix) + os.sep for prefix in (sys.prefix, sys.base_prefix)})
    entries = [os.path.realpath(entry) for entry in sys.path]
    whole = {entry for entry in entries if (entry + os.sep).startswith(prefixes)}
    others = {entry for entry in entries if entry not in whole}
    return sorted({*whole, *_imported(others), *_SYSTEM, *more})


def program_readable(program: str) -> list[str]:
    """In the parent: return what a worker must read to run a program."""
    return [os.path.realpath(program), *_GHOSTSCRIPT]


def _imported(folders: set[str]) -> Iterator[str]:
    """Yield the topmost packages and modules that were imported from these folders; Whorl's own among them."""
    for name, module in list(sys.modules.items()):
        if "." in name or name == "__main__":
            continue
        places = [*(getattr(module, "__path__", None) or [getattr(module, "__file__", None)])]
        for place in places:
            if isinstance(place, str) and os.path.dirname(os.path.realpath(place)) in folders:  # noqa: PTH120
                yield os.path.realpath(place)


def lock(read: Sequence[str], run: str | None = None) -> tuple[str, ...]:
    """In the worker: lock this process in for good, and return which parts of the jail apply.

    ``read`` lists what it can still open for reading. With ``run`` it can start that program, and no other.
    """
    if sys.platform != "linux":
        return ()
    PathFinder.find_spec("whorl_nothing")  # lists every folder of the path, while all of them can be listed
    libc = ctypes.CDLL(None, use_errno=True)
    libc.syscall.restype = ctypes.c_long
    if libc.prctl(_SET_NO_NEW_PRIVS, 1, 0, 0, 0):
        return ()
    if os.geteuid() == 0:
        _drop_capabilities(libc)
    jail = (LANDLOCK,) if _restrict_files(libc, read, run) else ()
    return (*jail, SECCOMP) if _filter(libc, _rules(run is not None)) else jail


def forbid_children() -> None:
    """In a process started by a worker, before it becomes the program: forbid it and its threads to start others."""
    libc = ctypes.CDLL(None, use_errno=True)
    libc.prctl(_SET_NO_NEW_PRIVS, 1, 0, 0, 0)  # refused inside a jail, where it holds already
    if os.uname().machine in _ARCHITECTURES and not _filter(libc, _children_refused()):
        os._exit(126)


def _drop_capabilities(libc: ctypes.CDLL) -> None:
    """Drop the capabilities of root; it still owns files, which Landlock closes."""
    header = struct.pack("<Ii", 0x2008_0522, 0)
    if libc.capset(header, bytes(24)):
        raise OSError(ctypes.get_errno(), "capset")


def _restrict_files(libc: ctypes.CDLL, read: Sequence[str], run: str | None) -> bool:
    version = libc.syscall(_CREATE_RULESET, None, ctypes.c_size_t(0), 1)
    if version < 1:
        return False
    handled = _FILE_RIGHTS[max(known for known in _FILE_RIGHTS if known <= version)]
    attributes = struct.pack("<Q", handled)
    if version >= _NETWORK_FROM:
        attributes += struct.pack("<Q", _NETWORK_RIGHTS)
    if version >= _SCOPE_FROM:
        attributes += struct.pack("<Q", _SCOPES)
    rules = libc.syscall(_CREATE_RULESET, attributes, ctypes.c_size_t(len(attributes)), 0)
    if rules < 0:
        return False
    for path in read:
        _allow(libc, rules, path, _READ_FILE | _READ_DIR)
    for path in () if run is None else (os.path.realpath(run), *_LOADERS):
        _allow(libc, rules, path, _READ_FILE | _EXECUTE)
    locked = not libc.syscall(_RESTRICT_SELF, rules, 0)
    os.close(rules)
    return locked


def _allow(libc: ctypes.CDLL, rules: int, path: str, rights: int) -> None:
    """Add a rule for a file or a folder, if there is one of this name."""
    try:
        descriptor = os.open(path, os.O_PATH | os.O_CLOEXEC)
    except OSError:
        return  # most systems lack some of the places
    if not os.path.isdir(path):  # noqa: PTH112  (a fresh interpreter that has not imported pathlib)
        rights &= ~_READ_DIR
    failed = libc.syscall(_ADD_RULE, rules, 1, struct.pack("<Qi", rights, descriptor), 0)
    os.close(descriptor)
    if failed:
        raise OSError(ctypes.get_errno(), "landlock", path)


def _filter(libc: ctypes.CDLL, rules: Sequence[bytes]) -> bool:
    """Install a filter of system calls; return False if the kernel or the processor is unknown."""
    architecture = _ARCHITECTURES.get(os.uname().machine)
    if architecture is None:
        return False
    begin = (_step(_LOAD, _ARCHITECTURE_AT), _step(_IF_EQUAL, architecture, 1, 0), _step(_RETURN, _KILL),
             _step(_LOAD, _NUMBER_AT))  # fmt: skip
    steps = b"".join((*begin, *rules))
    code = ctypes.create_string_buffer(steps, len(steps))
    program = struct.pack("<HxxxxxxQ", len(steps) // 8, ctypes.addressof(code))
    return not libc.prctl(_SET_SECCOMP, _FILTER_MODE, program, 0, 0)


def _rules(may_run: bool) -> list[bytes]:
    """Yield the allowed system calls, each with the conditions on its arguments; every other one fails."""
    pid = os.getpid()
    rules = [step for call in _FREE.values() for step in _if(call, [_step(_RETURN, _ALLOW)])]
    rules += _if(_OPEN, _none_of(1, _CHANGING)) + _if(_OPENAT, _none_of(2, _CHANGING))
    rules += _if(_KILL_CALL, _one_of(0, (pid,))) + _if(_TGKILL, _one_of(0, (pid,)))
    rules += _if(_FCNTL, _one_of(1, _DESCRIPTOR)) + _if(_IOCTL, _one_of(1, _CLOSE_ON_EXEC, ENOTTY))
    # A process that is to become a program adds a filter of its own, which can only forbid more.
    rules += _if(_PRCTL, _one_of(0, (*_NAMES, _SET_SECCOMP) if may_run else _NAMES))
    rules += _if(_PRLIMIT, _zero(0) + _zero(2) + [_step(_RETURN, _ALLOW)])
    rules += _if(_CLONE, _none_of(0, _STRANGE) if may_run else _all_of(0, _THREAD))
    rules += _if(_CLONE3, [_step(_RETURN, _ERROR | ENOSYS)])  # its flags lie in memory; libraries then use clone
    if may_run:
        rules += [step for call in (_FORK, _VFORK, _EXECVE) for step in _if(call, [_step(_RETURN, _ALLOW)])]
    return [*rules, _step(_RETURN, _ERROR | EPERM)]


def _children_refused() -> list[bytes]:
    refused = [_step(_RETURN, _ERROR | EPERM)]
    rules = _if(_FORK, refused) + _if(_VFORK, refused) + _if(_CLONE, _all_of(0, _THREAD))
    return [*rules, _step(_RETURN, _ALLOW)]


def _number(call: tuple[int, int]) -> int:
    """Return the number of a system call on this processor."""
    return call[0] if os.uname().machine == "x86_64" else call[1]


def _step(code: int, value: int, then: int = 0, otherwise: int = 0) -> bytes:
    """Return one instruction. ``then`` and ``otherwise`` are the numbers of instructions to skip."""
    return struct.pack("<HBBI", code, then, otherwise, value & 0xFFFF_FFFF)


def _if(call: tuple[int, int], body: list[bytes]) -> list[bytes]:
    """Return the body, which ends with an answer, for one system call; nothing if the processor has no such call."""
    number = _number(call)
    return [] if number < 0 else [_step(_IF_EQUAL, number, 0, len(body)), *body]


def _argument(place: int, half: int = 0) -> bytes:
    return _step(_LOAD, _ARGUMENTS_AT + 8 * place + 4 * half)


def _none_of(place: int, flags: int) -> list[bytes]:
    return [_argument(place), _step(_IF_ANY, flags, 0, 1), _step(_RETURN, _ERROR | EPERM), _step(_RETURN, _ALLOW)]


def _all_of(place: int, flags: int) -> list[bytes]:
    return [_argument(place), _step(_IF_ANY, flags, 0, 1), _step(_RETURN, _ALLOW), _step(_RETURN, _ERROR | EPERM)]


def _one_of(place: int, values: Sequence[int], error: int = EPERM) -> list[bytes]:
    allowed = [step for value in values for step in (_step(_IF_EQUAL, value, 0, 1), _step(_RETURN, _ALLOW))]
    return [_argument(place), *allowed, _step(_RETURN, _ERROR | error)]


def _zero(place: int) -> list[bytes]:
    """Continue if both halves of an argument are 0."""
    checks = ((_argument(place, half), _step(_IF_EQUAL, 0, 1, 0), _step(_RETURN, _ERROR | EPERM)) for half in (0, 1))
    return [step for check in checks for step in check]
