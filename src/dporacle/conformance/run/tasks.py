"""What is to be done by several threads, the earlier targets first."""

import heapq
import itertools
import threading
from collections.abc import Callable


class Tasks:
    """Tasks, in the order of their ranks."""

    def __init__(self) -> None:
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

    def run(self) -> None:
        """Do what is to be done until `stop`."""
        while True:
            with self._change:
                self._change.wait_for(lambda: self.stopping or bool(self._waiting))
                if self.stopping:
                    return
                _, _, task = heapq.heappop(self._waiting)
            task()
