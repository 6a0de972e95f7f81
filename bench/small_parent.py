"""Runs one command and prints its exit code, milliseconds and peak memory as Linux counts it.

Linux counts the memory of whoever starts a process as that of the process, so that a bench with its libraries would be
the floor of every figure. This one imports next to nothing.
"""

from __future__ import annotations

import os
import sys
import time


def main() -> None:
    command = sys.argv[1:]
    silent = [(os.POSIX_SPAWN_OPEN, number, os.devnull, os.O_RDWR, 0) for number in range(3)]
    started = time.perf_counter()
    child = os.posix_spawn(command[0], command, os.environ, file_actions=silent)
    _, status, usage = os.wait4(child, 0)
    elapsed = (time.perf_counter() - started) * 1000
    print(os.waitstatus_to_exitcode(status), elapsed, usage.ru_maxrss)


if __name__ == "__main__":
    main()
