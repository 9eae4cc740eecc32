"""All faulty specimens: those that the modules of this folder named `faulty_*` collect."""

from dporacle.dev.specimens.specimen import Collection
from dporacle.vocabulary.discovery import modules

_ALL = tuple(
    specimen
    for module in modules("dporacle.dev.specimens", prefix="faulty_")
    for collected in vars(module).values()
    if isinstance(collected, Collection)
    for specimen in collected
)

FAULTY = tuple(each for each in _ALL if not each.power)
"""The faulty calibrators; those with a `source` reproduce what a real library has done."""

NARROW = tuple(each for each in _ALL if each.power)
"""Those whose fault no vector meets, and fresh inputs do in a share of the runs."""
