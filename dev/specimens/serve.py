"""A specimen behind the conformance protocol, in a process of its own or in ours.

`python -m dporacle.dev.specimens.serve NAME` is an adapter like any other. `InProcess` behaves like
the judge's end of one, and passes the same lines to the same code, without the process.
"""

import json
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeVar

from dporacle import fast
from dporacle.conformance import protocol
from dporacle.conformance.process.adapter import AdapterHungError
from dporacle.conformance.protocol import Capabilities, Ending, Function, Replies, Reply
from dporacle.conformance.quantities import QUANTITIES
from dporacle.dev.specimens.correct import CORRECT
from dporacle.dev.specimens.faulty import FAULTY, NARROW
from dporacle.dev.specimens.specimen import EndlessLoopError, Specimen
from dporacle.vocabulary import Quantity, calibration_of

_T = TypeVar("_T", Capabilities, Reply, Replies)
Message = protocol.Start | protocol.Run | protocol.RunBatch

_REFUSALS = (ValueError, TypeError, NotImplementedError)
_BATCH = 20


class Served:
    """One specimen that answers the judge's lines."""

    def __init__(self, specimen: Specimen) -> None:
        self._calibrator: Any = specimen.make()
        self._batch = specimen.batch
        self._name = specimen.name
        functions = [_function(specimen.name, specimen.function, specimen)]
        self._row = QUANTITIES[specimen.function]
        self._companion = calibration_of(self._row)
        if self._companion is not None:
            # A right calibration beside it, so that its noise is put into the wrong δ or ε.
            functions.append(_function(_beside(self._companion), self._companion.name))
        self._capabilities = Capabilities(
            id="", protocol=2, name=specimen.name, version="0", functions=functions
        )

    def answer(self, line: bytes) -> bytes:
        """Return the line that answers a line.

        Raises:
            EndlessLoopError: if a real library would not have ended.
        """
        message = json.loads(line)
        if message["command"] == "start":
            reply = protocol.plain(self._capabilities)
        else:
            name, arguments = message["function"], message["arguments"]
            call = self._calibrator
            if self._companion is not None and name == _beside(self._companion):
                call = self._companion.of(fast)
            counts = self._row.counts
            if isinstance(next(iter(arguments.values())), list):
                columns = (
                    [_read(value, whole=key in counts) for value in each]
                    for key, each in arguments.items()
                )
                inputs = [
                    dict(zip(arguments, row, strict=True)) for row in zip(*columns, strict=True)
                ]
                reply = {"answers": self._together(inputs)}
            else:
                given = {key: _read(value, whole=key in counts) for key, value in arguments.items()}
                reply = _ending(call, given, batch=self._batch and name == self._name)
        return json.dumps(reply | {"id": message["id"]}).encode()

    def _together(self, inputs: list[dict[str, float]]) -> list[dict[str, str]]:
        try:
            return [{"value": _number(answer)} for answer in self._calibrator(inputs)]
        except EndlessLoopError:
            raise
        except Exception:  # declined as a whole: each for itself
            return [_ending(self._calibrator, given, batch=True) for given in inputs]


def _read(value: Any, *, whole: bool) -> float:
    """Return a number, as an integer where it counts something."""
    number = float(value)
    return int(number) if whole and number.is_integer() else number


def _beside(companion: Quantity) -> str:
    return f"{companion.name}, exact"


def _function(name: str, quantity: Any, specimen: Specimen | None = None) -> Function:
    return Function(
        name=name,
        quantity=quantity,
        arguments=list(QUANTITIES[quantity].arguments),
        slow=specimen is not None and specimen.every > 1,
        batch=_BATCH if specimen is not None and specimen.batch else 1,
    )


def _ending(call: Callable[..., Any], given: dict[str, float], *, batch: bool) -> dict[str, Any]:
    try:
        return {"value": _number(call([given])[0] if batch else call(**given))}
    except EndlessLoopError:
        raise
    except _REFUSALS as error:
        return {"refused": str(error)}
    except Exception as error:
        return {"error": f"{type(error).__name__}: {error}"}


def _number(answer: Any) -> str:
    value = float(answer)
    return value.hex() if value - value == 0 else str(value)


class InProcess:
    """The judge's view of a specimen that runs in the judge's own process."""

    def __init__(self, specimen: Specimen) -> None:
        self._specimen = specimen
        self._served: Served | None = None
        self.spent = 0.0

    @property
    def running(self) -> bool:
        """Whether it is there to be asked: not after a hang."""
        return self._served is not None

    def start(self, *, timeout: float) -> Capabilities:
        """Make the specimen anew."""
        self._served = Served(self._specimen)
        return self._exchange(protocol.Start(id="start"), Capabilities)

    def run(self, function: str, arguments: Mapping[str, float], *, timeout: float) -> Reply:
        """Ask for one value; a loop without end is a hang."""
        written = {name: protocol.write_number(value) for name, value in arguments.items()}
        return self._exchange(protocol.Run(id="run", function=function, arguments=written), Reply)

    def run_batch(
        self, function: str, inputs: Sequence[Mapping[str, float]], *, timeout: float
    ) -> Sequence[Ending]:
        """Ask for several values at once."""
        columns = {
            name: [protocol.write_number(each[name]) for each in inputs] for name in inputs[0]
        }
        message = protocol.RunBatch(id="run", function=function, arguments=columns)
        return self._exchange(message, Replies).answers

    def stop(self) -> bool:
        """Forget the specimen."""
        self._served = None
        return True

    def _exchange(self, message: Message, kind: type[_T]) -> _T:
        assert self._served is not None
        begun = time.process_time()
        try:
            line = self._served.answer(protocol.encode(message))
        except EndlessLoopError as error:
            self._served = None
            raise AdapterHungError(str(error)) from None
        finally:
            self.spent = time.process_time() - begun
        return protocol.decode(line, kind, token=message.id)


def main(name: str) -> None:
    """Serve one specimen until the judge says stop."""
    (specimen,) = (each for each in (*FAULTY, *NARROW, *CORRECT) if each.name == name)
    served = Served(specimen)
    for line in sys.stdin.buffer:
        if json.loads(line)["command"] == "stop":
            break
        try:
            answer = served.answer(line)
        except EndlessLoopError:
            time.sleep(3600)  # what it stands for
            raise
        sys.stdout.buffer.write(answer + b"\n")
        sys.stdout.buffer.flush()


if __name__ == "__main__":
    main(sys.argv[1])
