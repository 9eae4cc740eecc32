"""What each test costs in processor time, that of its processes included, and who costs too much.

Processor time, since machines are busy: a test that waits costs nothing, and one that is made to
wait costs what it always does.
"""

import os
import time
from collections.abc import Generator
from pathlib import Path

import pytest

_COST = "processor seconds"
_NOMINAL = 0.125  # processor seconds of `_piece` on the machine for which limits are written
_SHOWN = 15
_WHOLE = 5000  # tests, of which a run is more than a part
_PATH = Path(__file__).resolve().parents[2] / "build" / "costs.txt"


def spent() -> float:
    """Processor seconds of this process and of those that it has waited for."""
    times = os.times()
    return times.user + times.system + times.children_user + times.children_system


def _piece() -> float:
    """Processor seconds of a fixed piece of work: how fast this machine is just now."""
    begin = time.process_time()
    sum(n * n % 7 for n in range(1_000_000))
    return time.process_time() - begin


def slowness() -> float:
    """How many times slower this machine is now than that for which limits are written, or 1."""
    return max(1.0, min(_piece() for _ in range(3)) / _NOMINAL)


class Costs:
    """Measures every test, and fails a test that costs more than the option allows."""

    def __init__(self, config: pytest.Config) -> None:
        self.limit: float | None = config.getoption("--most-seconds")
        # A process among several reports to the one that hands out the tests, which writes.
        self.path = None if hasattr(config, "workerinput") else os.environ.get("COSTS")
        self.begin = 0.0
        self.found: dict[str, float] = {}

    @pytest.hookimpl(wrapper=True, tryfirst=True)
    def pytest_runtest_protocol(self) -> Generator[None, object, object]:
        self.begin = spent()
        return (yield)

    @pytest.hookimpl(wrapper=True, trylast=True)
    def pytest_runtest_makereport(
        self, call: pytest.CallInfo[None]
    ) -> Generator[None, pytest.TestReport, pytest.TestReport]:
        report = yield
        if call.when == "teardown":
            cost = spent() - self.begin
            report.user_properties.append((_COST, cost))
            if self.limit is not None and cost > self.limit and report.passed:
                slow = slowness()
                if cost > slow * self.limit:
                    report.outcome = "failed"
                    report.longrepr = (
                        f"{report.nodeid} took {cost:.1f} s of processor time; the limit is "
                        f"{self.limit:g} s on a machine {slow:.1f} times as fast: make "
                        "it cheaper, or mark it as `thorough` or `deep`"
                    )
        return report

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        for name, value in report.user_properties:
            if name == _COST and report.when == "teardown":
                assert isinstance(value, float)
                self.found[report.nodeid] = value
                if self.path:
                    with Path(self.path).open("a") as file:
                        file.write(f"{value:.3f}\t{report.nodeid}\n")

    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter) -> None:
        if not self.found:
            return
        dearest = sorted(self.found.items(), key=lambda item: -item[1])
        total = sum(self.found.values())
        terminalreporter.section(f"processor time: {total:.0f} s in {len(self.found)} tests")
        lines = [f"{cost:7.2f} s  {name}" for name, cost in dearest[:_SHOWN]]
        for line in lines:
            terminalreporter.write_line(line)
        if len(self.found) >= _WHOLE:  # `make counts` shows it
            head = f"processor time of {len(self.found)} tests: {total:.0f} s, the dearest:"
            _PATH.parent.mkdir(exist_ok=True)
            _PATH.write_text("\n".join([head, *lines, ""]), "utf-8")
