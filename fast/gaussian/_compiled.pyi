from collections.abc import Sequence
from typing import Any

_Rows = Sequence[Sequence[float]]

def load(
    mills: _Rows,
    slope: _Rows,
    exp: _Rows,
    log: _Rows,
    start: _Rows,
    constants: dict[str, Any],
    /,
) -> None: ...
def sigma_one(k: Any, delta: Any, sensitivity: Any, /) -> float: ...
def sigma_many(k: Any, delta: Any, sensitivity: Any, out: Any, /) -> int: ...
def delta_one(k: Any, sigma: Any, sensitivity: Any, /) -> float: ...
def delta_many(k: Any, sigma: Any, sensitivity: Any, out: Any, /) -> int: ...
