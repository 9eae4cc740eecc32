"""Which version of the package this is."""

from typing import Final

VERSION: Final = "0.3.0"
