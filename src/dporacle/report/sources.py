"""Records from where they are: folders and files of this machine, and https addresses.

What comes from an address is somebody else's. It has a limit of size and of time, is read as
strictly as a file, and must say who made it; where it was read is kept with it.
"""

import datetime
import urllib.error
import urllib.parse
import urllib.request
from collections.abc import Sequence
from http.client import HTTPException, HTTPMessage
from pathlib import Path
from typing import IO, Final

import msgspec

from dporacle.report.history import MAX_BYTES, Record, in_order, load, of_bytes, of_file

SECONDS: Final = 30
"""The longest wait for an address to answer, or to go on."""

_CHUNK = 1 << 16
_MOST_ROWS = 20_000


def read(sources: Sequence[str], today: datetime.date) -> list[Record]:
    """Return the records of all sources, the oldest first, without what is private.

    Args:
        sources: folders, files and https addresses; a file or an address has a record, or several
            as `dporacle history --json` prints them.
        today: the day; a record of an address may be a day ahead at most.

    Raises:
        OSError: if one cannot be read.
        ValueError: naming the source that is none, or has no records.
    """
    found = [record for each in sources for record in _of(each, today)]
    rows = sum(len(each.rows) for each in found)
    if rows > _MOST_ROWS:
        raise ValueError(f"all records together have at most {_MOST_ROWS} rows, got {rows}")
    return in_order(found)


def _of(source: str, today: datetime.date) -> list[Record]:
    if "://" in source:
        return _of_address(source, today)
    path = Path(source)
    return load(path) if path.is_dir() else of_file(path)


def _of_address(address: str, today: datetime.date) -> list[Record]:
    found = []
    for record in of_bytes(_fetched(address), address):
        if record.made is None:
            raise ValueError(f"{address}: a record does not say who made it (made)")
        if record.date > today + datetime.timedelta(days=1):
            raise ValueError(f"{address}: a record is of {record.date}, and today is {today}")
        made = msgspec.structs.replace(record.made, address=address)
        found.append(msgspec.structs.replace(record, made=made))
    return found


class _OnlyHttps(urllib.request.HTTPRedirectHandler):
    """Follows to another address only if that is https, too."""

    def redirect_request(
        self,
        req: urllib.request.Request,
        fp: IO[bytes],
        code: int,
        msg: str,
        headers: HTTPMessage,
        newurl: str,
    ) -> urllib.request.Request | None:
        if not newurl.startswith("https://"):
            fp.close()
            raise ValueError(f"{req.full_url}: it leads to {newurl[:200]!r}, which is not https")
        return super().redirect_request(req, fp, code, msg, headers, newurl)


def _fetched(address: str) -> bytes:
    if not address.startswith("https://") or len(address) > 500 or not address.isascii():
        raise ValueError(f"{address[:200]!r} is not an https address")
    try:
        urllib.parse.urlsplit(address)
    except ValueError as error:  # such as of a bracket that is not closed
        raise ValueError(f"{address!r} is not an https address: {error}") from None
    opener = urllib.request.build_opener(_OnlyHttps)
    end = datetime.datetime.now(datetime.UTC) + datetime.timedelta(seconds=2 * SECONDS)
    data = bytearray()
    try:
        with opener.open(address, timeout=SECONDS) as answer:
            # Not `read`: that waits for a whole chunk, however slowly its bytes come.
            while chunk := answer.read1(_CHUNK):
                data += chunk
                if len(data) > MAX_BYTES:
                    raise ValueError(f"{address}: records have at most {MAX_BYTES} bytes")
                if datetime.datetime.now(datetime.UTC) > end:
                    raise ValueError(f"{address}: it takes more than {2 * SECONDS} s")
    except urllib.error.HTTPError as error:
        error.close()
        raise ValueError(f"{address}: {error}") from None
    except urllib.error.URLError as error:
        raise ValueError(f"{address}: {error.reason}") from error
    except (HTTPException, OSError) as error:  # among them TimeoutError
        raise ValueError(f"{address}: {error or type(error).__name__}") from error
    return bytes(data)
