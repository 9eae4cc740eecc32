"""Run the notebook of a tour from its first cell on, and keep what the cells print.

    python tools/run_notebook.py docs/tours/notebook.ipynb

What changes from run to run is left out, so that the same outputs give the same file.
"""

import argparse
from pathlib import Path
from typing import Any

import nbformat
from nbclient import NotebookClient

_SECONDS = 120  # for one cell


def run(path: Path) -> Any:
    """Return the notebook with fresh outputs.

    Raises:
        nbclient.exceptions.CellExecutionError: with the cell that fails and its traceback.
    """
    notebook = nbformat.read(path, as_version=4)
    client = NotebookClient(notebook, timeout=_SECONDS, resources={"metadata": {"path": "."}})
    client.execute()
    for cell in notebook.cells:
        cell.metadata.pop("execution", None)
    notebook.metadata = {"kernelspec": notebook.metadata["kernelspec"]}
    return notebook


def main() -> None:
    """Run the notebook that is named, in place."""
    parser = argparse.ArgumentParser(description="Run a notebook and keep its outputs.")
    parser.add_argument("notebook", type=Path)
    path = parser.parse_args().notebook
    nbformat.write(run(path), path)


if __name__ == "__main__":
    main()
