"""The JSON Schema of the protocol's messages, made from the types that read them."""

from typing import Any

import msgspec

from dporacle.conformance import protocol

_JUDGE = (protocol.Start, protocol.Run, protocol.RunBatch, protocol.Draw, protocol.Stop)
_ADAPTER = (protocol.Capabilities, protocol.Reply, protocol.Replies, protocol.Draws)
_OFFERED = ("functions", "samplers")
_ENDINGS = ("value", "refused", "error", "skip")


def protocol_schema() -> dict[str, Any]:
    """Return the schema: any message fits it, and `$defs` has each kind by its name.

    What a schema cannot say is in `docs/protocol.md`: that the id is repeated, that lists are of
    the same length, and which texts are numbers.
    """
    references, parts = msgspec.json.schema_components(
        (*_JUDGE, *_ADAPTER), ref_template="#/$defs/{name}"
    )
    for name in ("Ending", "Reply"):  # the types read four optional fields, of which one is given
        parts[name]["oneOf"] = [{"required": [field]} for field in _ENDINGS]
    parts["Draws"]["oneOf"] = [{"required": [field]} for field in ("draws", *_ENDINGS[1:])]
    said = parts["Capabilities"]
    said["properties"]["protocol"]["enum"] = list(protocol.VERSIONS)
    some = [{"required": [kind], "properties": {kind: {"minItems": 1}}} for kind in _OFFERED]
    said["anyOf"] = some
    for part in parts.values():
        if "description" in part:
            part["description"] = part["description"].partition("\n\n")[0]
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": f"dporacle conformance protocol, version {protocol.VERSIONS[-1]}",
        "description": "Start, Run, RunBatch, Draw and Stop are the judge's, the others adapters'.",
        "anyOf": list(references),
        "$defs": parts,
    }
