"""Time how long commands take to start, each as a ratio to `import numpy`.

Processor time, the best of several tries: what a busy machine adds does not count, and a ratio says
the same on another machine.
"""

import resource
import subprocess
import sys

COMMANDS = (
    *("--help", "sigma --help", "audit --help", "conform --help", "prove --help"),
    "audit --epsilon 1 --delta 1e-5 --sigma 3.73",
    "dp-sgd --noise-multiplier 1.1 --sampling-rate 256/60000 --steps 14063 --delta 1e-5",
)


def started(code: str) -> float:
    """Seconds of processor time of a whole process."""
    words = [sys.executable, "-c", code]
    subprocess.run(words, capture_output=True, check=True)  # compiles what it imports
    least = float("inf")
    for _ in range(5):
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        subprocess.run(words, capture_output=True, check=True)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        least = min(least, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime)
    return least


def command(words: str) -> str:
    """A program that is a command, whatever its exit status is."""
    run = f"from dporacle.cli import main; main({words.split()})"
    return f"import contextlib\nwith contextlib.suppress(SystemExit): {run}"


def main() -> None:
    """Print a line for each program: its time, and the ratio."""
    floor = started("import numpy")
    programs = {
        "import dporacle": "import dporacle",
        "first σ": "import dporacle; dporacle.calibrate_sigma(epsilon=1.0, delta=1e-5)",
        **{f"dporacle {words}": command(words) for words in COMMANDS},
    }
    for name, code in programs.items():
        spent = started(code)
        print(f"{spent * 1e3:7.0f} ms  {spent / floor:5.2f} × `import numpy`  {name}")


if __name__ == "__main__":
    main()
