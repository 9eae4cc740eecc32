"""What is to be done by several threads, the earlier targets first."""

import heapq
import itertools
import threading
import time
from collections.abc import Callable


class Tasks:
    """Tasks, in the order of their ranks; so many at a time that do more than wait."""

    def __init__(self, busy: int = 1) -> None:
        """Begin with no task.

        Args:
            busy: how many may be under way at a time, but for those that pause.
        """
        self._busy = threading.Semaphore(busy)
        self._waiting: list[tuple[int, int, Callable[[], None]]] = []
        self._count = itertools.count()
        self._change = threading.Condition()
        self.stopping = False

    def add(self, rank: int, task: Callable[[], None]) -> None:
        """Add a task; those of a lower rank are done before."""
        with self._change:
            heapq.heappush(self._waiting, (rank, next(self._count), task))
            self._change.notify()

    def stop(self) -> None:
        """Begin no other task."""
        with self._change:
            self.stopping = True
            self._change.notify_all()

    def pause(self, seconds: float) -> None:
        """Wait within a task, and let another one begin."""
        self._busy.release()
        try:
            time.sleep(seconds)
        finally:
            self._busy.acquire()

    def run(self) -> None:
        """Do what is to be done until `stop`, or until a task ends a thread: then all end."""
        while self._is_there():
            with self._busy:
                if task := self._next():
                    try:
                        task()
                    except BaseException:
                        self.stop()  # who waits for what this one would have added waits in vain
                        raise

    def _is_there(self) -> bool:
        """Wait for a task; return whether there is one."""
        with self._change:
            self._change.wait_for(lambda: self.stopping or bool(self._waiting))
            return not self.stopping

    def _next(self) -> Callable[[], None] | None:
        """Return the first task, unless another thread has taken the last one."""
        with self._change:
            return heapq.heappop(self._waiting)[2] if self._waiting and not self.stopping else None
