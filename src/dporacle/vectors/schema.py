"""The JSON Schema of the files, from the types that read them."""

from typing import Any

import msgspec

from dporacle.vectors.vector_file import FORMAT, VectorFile


def document(kind: Any, title: str) -> dict[str, Any]:
    """Return the JSON Schema (2020-12) of a type that msgspec reads, with a title."""
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": title,
        **msgspec.json.schema(kind),
    }


def schema() -> dict[str, Any]:
    """Return the JSON Schema of a file of vectors."""
    return document(VectorFile, FORMAT)


def render(content: dict[str, Any]) -> bytes:
    """Return a schema as it is written to a file."""
    return msgspec.json.format(msgspec.json.encode(content), indent=2) + b"\n"
