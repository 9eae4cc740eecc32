"""What a function refuses becomes a refusal of the command, by the names of its options."""

import re
from collections.abc import Iterator
from contextlib import contextmanager

import click

_WORD = re.compile(r"(?<![\w-])[a-z_]+(?![\w-])")
_NAME = re.compile(r"\b[a-z]+(?:_[a-z]+)+\b")


@contextmanager
def wrong_input(out_of_reach: str = "") -> Iterator[None]:
    """Turn a refused number or file into wrong usage, and what is out of reach into no answer.

    Args:
        out_of_reach: what stands before the reason why there is no answer.
    """
    try:
        yield
    except OSError as error:
        if not error.filename:
            raise  # of what is printed: a pipe that is closed
        raise click.UsageError(f"{error.filename}: {error.strerror or error}") from error
    except (ValueError, TypeError) as error:
        raise click.UsageError(by_options(str(error))) from error
    except ArithmeticError as error:
        raise click.ClickException(f"{out_of_reach}{error}") from error


def by_options(message: str) -> str:
    """Return a message in which arguments have the names of the command's options."""
    context = click.get_current_context(silent=True)
    if context is None:
        return message
    names = {each.name: each.opts[0] for each in context.command.params if each.name}
    culprits, must, rest = message.partition(" must ")
    if must:  # before it stand names alone, also such as are words of the language
        culprits = _WORD.sub(lambda found: names.get(found[0], found[0]), culprits)
    return _NAME.sub(lambda found: names.get(found[0], found[0]), f"{culprits}{must}{rest}")
