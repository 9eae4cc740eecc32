"""Record the batches of a PyTorch loader as they are used, for `dporacle batches`.

    python examples/record_batches.py shuffled > batches.jsonl
    dporacle batches batches.jsonl --dataset-size 1000 --claimed poisson

`shuffled` is PyTorch's own loader, which drops the last incomplete batch; `poisson` is the loader
that Opacus makes of it.
"""

import json
import sys
from collections.abc import Iterable, Iterator
from typing import IO


class RecordedBatches:
    """A batch sampler that writes each batch's indices, as one line of JSON, when it is used."""

    def __init__(self, sampler: Iterable[list[int]], file: IO[str]) -> None:
        self._sampler = sampler
        self._file = file

    def __iter__(self) -> Iterator[list[int]]:
        for batch in self._sampler:
            indices = [int(index) for index in batch]
            print(json.dumps(indices), file=self._file, flush=True)
            yield indices

    def __len__(self) -> int:
        return len(self._sampler)  # type: ignore[arg-type]


def main() -> None:
    """Go through three epochs of a loader."""
    import torch
    from torch.utils.data import DataLoader, TensorDataset

    data = TensorDataset(torch.arange(1000.0))
    loader = DataLoader(data, batch_size=50, shuffle=True, drop_last=True)
    if sys.argv[1:] == ["poisson"]:
        from opacus.data_loader import DPDataLoader

        loader = DPDataLoader.from_data_loader(loader)
    recorded = DataLoader(
        data,
        batch_sampler=RecordedBatches(loader.batch_sampler, sys.stdout),
        collate_fn=loader.collate_fn,
    )
    for _ in range(3):  # epochs
        for _ in recorded:
            pass  # one step of training


if __name__ == "__main__":
    main()
