"""`dporacle risk`: what an attacker gains from a mechanism, in proved figures."""

from __future__ import annotations

import json
from collections.abc import Iterator
from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
from click.core import ParameterSource

from dporacle import arguments
from dporacle.claims.wording import round_decimal
from dporacle.cli.headed_lines import line, listed
from dporacle.cli.options import RelationChoice, options
from dporacle.cli.wrong_input import wrong_input
from dporacle.common.exit_status import ExitStatus
from dporacle.mechanisms.training import read_training

if TYPE_CHECKING:
    from dporacle.risk import Figures, Interval, Setting

_WIDTH = 20  # of headings
_SAMPLED = ("sampling_rate", "batch_size", "dataset_size", "steps", "epochs", "batches_per_epoch")
_OF_DP_SGD = (*_SAMPLED, "participations", "group", "group_cap")
_OF_NUMBERS = ("sampling", "rounded", "direction", "sensitivity", "releases")  # with a default
_FIGURES = 9  # of an end that is printed in words
_EPILOG = "Exit status: 0 all figures are proved, 2 usage, 3 some are out of reach."


@click.command(epilog=_EPILOG, short_help="Prove what an attacker gains.")
@options("risk", direction=RelationChoice(["remove", "add", "add-remove", "replace-one"]))
def risk(
    path: Path | None,
    fpr: tuple[Fraction, ...],
    prior: tuple[Fraction, ...],
    baseline: tuple[Fraction, ...],
    at_epsilon: tuple[Fraction, ...],
    up_to_epsilon: Fraction | None,
    least_error: tuple[Fraction, ...],
    auc: bool,
    plot: Path | None,
    as_json: bool,
    **options: Any,
) -> None:
    """Prove how well an attacker can tell whether a record was used.

    The command prints the true positive rate (TPR) at each false positive rate (FPR), and the
    advantage (largest TPR − FPR). It also prints how often the best guess is right at a prior, and
    the nearest μ of Gaussian noise with its regret. Both ends of each interval are proved. No test
    reaches more than the upper end, whatever the attacker computes.

    The mechanism is DP-SGD, Gaussian noise, or each mechanism in a FILE of claims that has an
    exact δ(ε).
    """
    from dporacle.risk import Figures

    asked = _Asked(
        fpr=fpr or (Fraction(1, 10), Fraction(1, 100), Fraction(1, 1000)),
        prior=prior or (Fraction(1, 2),),
        baseline=baseline,
        at_epsilon=at_epsilon,
        up_to_epsilon=up_to_epsilon,
        least_error=least_error,
        auc=auc,
    )
    found: list[tuple[str, Figures | None, dict[str, Any]]] = []
    with wrong_input("out of reach: "):
        for name, setting in _settings(path, options):
            if isinstance(setting, str):
                found.append((name, None, {"error": setting}))
                continue
            figures = Figures(setting)
            try:
                found.append((name, figures, asked.of(figures)))
            except ArithmeticError as error:
                found.append((name, None, {"error": f"out of reach: {error}"}))
        if plot is not None:
            _draw(plot, found, asked.fpr)
    refused = [content["error"] for _, figures, content in found if figures is None]
    if refused and path is None:
        raise click.ClickException(refused[0])
    if as_json:
        shown = {name: content for name, _, content in found}
        click.echo(json.dumps(found[0][2] if path is None else shown, ensure_ascii=False))
    else:
        for place, (name, shown_of, content) in enumerate(found):
            if place:
                click.echo()
            _show(name, shown_of, content)
    if refused:
        raise click.exceptions.Exit(ExitStatus.NO_ANSWER)


def _draw(
    plot: Path, found: list[tuple[str, Figures | None, dict[str, Any]]], rates: tuple[Fraction, ...]
) -> None:
    drawn = [figures for _, figures, _ in found if figures is not None]
    if len(drawn) != 1:
        raise ValueError(f"--plot draws one mechanism: the FILE has {len(drawn)} with figures")
    from dporacle.plots.risk import draw

    draw(plot, drawn[0], {rate: drawn[0].tpr(rate) for rate in rates})


class _Asked:
    """Which figures are asked for."""

    def __init__(self, **asked: Any) -> None:
        self.__dict__.update(asked)

    fpr: tuple[Fraction, ...]
    prior: tuple[Fraction, ...]
    baseline: tuple[Fraction, ...]
    at_epsilon: tuple[Fraction, ...]
    up_to_epsilon: Fraction | None
    least_error: tuple[Fraction, ...]
    auc: bool

    def of(self, figures: Figures) -> dict[str, Any]:
        """Return the figures, as they stand in the JSON object."""
        mu, regret = figures.gdp
        content: dict[str, Any] = {
            "tpr": {_name(rate): figures.tpr(rate) for rate in self.fpr},
            "advantage": figures.advantage,
            "bayes_success": {_name(each): figures.bayes_success(each) for each in self.prior},
            "gdp": {"mu": mu, "regret": regret},
        }
        if figures.mu_note:
            content["gdp"]["note"] = figures.mu_note
        if self.baseline:
            content["reconstruction"] = {
                _name(each): figures.reconstruction(each) for each in self.baseline
            }
        if self.at_epsilon:
            content["mu_at_epsilon"] = {
                _name(each): figures.mu_at(each) for each in self.at_epsilon
            }
        if self.up_to_epsilon is not None:
            content["mu_up_to_epsilon"] = {
                _name(self.up_to_epsilon): figures.mu_over(Fraction(0), self.up_to_epsilon)
            }
        if self.least_error:
            content["mu_at_least_error"] = {
                _name(each): figures.mu_above(each) for each in self.least_error
            }
        if self.auc:
            content["auc"] = figures.auc
        said = [{"id": each.id, "says": each.says} for each in figures.setting.hypotheses]
        return content | {"hypotheses": said}


def _name(number: Fraction) -> str:
    """Return a number as Python's float prints it if that is exact, else as a quotient."""
    short = repr(float(number)).removesuffix(".0")
    return short if Fraction(short) == number else str(number)


def _settings(path: Path | None, options: dict[str, Any]) -> Iterator[tuple[str, Setting | str]]:
    """Yield what is asked about, with its name; in place of what has no curve, the reason.

    Raises:
        ValueError: naming what is wrong.
    """
    from dporacle import risk

    noise = [name for name in ("noise_multiplier", "sigma") if options[name] is not None]
    sampled = options["sampling"] != "poisson" or any(
        options[name] is not None for name in _OF_DP_SGD
    )
    if path is not None:
        if noise or sampled:
            raise ValueError("give a FILE, or the numbers of one mechanism, not both")
        _refuse_given(_OF_NUMBERS, "with a FILE: each of its claims states its mechanism")
        yield from _of_file(path)
        return
    if len(noise) != 1:
        raise ValueError("give --noise-multiplier or --sigma, and only one of them, or a FILE")
    if sampled:
        yield "", _dp_sgd(options)
        return
    if options["direction"] not in ("remove", "add-remove"):
        raise ValueError("--direction is for DP-SGD: Gaussian noise has the same curve for each")
    _refuse_given(("rounded",), "with Gaussian noise: it is for --epochs")
    sensitivity = arguments.positive("sensitivity", options["sensitivity"])
    sigma = arguments.positive(noise[0].replace("_", "-"), options[noise[0]])
    yield (
        "",
        risk.gaussian_releases(
            sigma=sigma if noise == ["sigma"] else sigma * sensitivity,
            sensitivity=sensitivity,
            releases=options["releases"],
        ),
    )


def _refuse_given(names: tuple[str, ...], why: str) -> None:
    """Refuse options that somebody wrote and that nothing would read.

    Raises:
        ValueError: naming the first of them.
    """
    context = click.get_current_context()
    spelt = {each.name: each.opts[0] for each in context.command.params}
    for name in names:
        if context.get_parameter_source(name) is not ParameterSource.DEFAULT:
            raise ValueError(f"{spelt[name]} is not used {why}")


def _dp_sgd(options: dict[str, Any]) -> Setting:
    from dporacle import risk

    if options["noise_multiplier"] is None:
        raise ValueError("give DP-SGD's noise as --noise-multiplier")
    if options["sensitivity"] != 1 or options["releases"] != 1:
        raise ValueError("--sensitivity and --releases are for Gaussian noise, not for DP-SGD")
    if options["group"] is None and options["group_cap"] is not None:
        raise ValueError("--group-cap needs --group")
    if options["epochs"] is None:
        _refuse_given(("rounded",), "without --epochs")
    risk.need_curve(options["sampling"])
    names = ("noise_multiplier", "sampling", *_OF_DP_SGD)
    run = read_training(
        **{name: options[name] for name in names},
        rounding=None if options["epochs"] is None else options["rounded"],
    )
    return risk.training(run, direction=options["direction"])


def _of_file(path: Path) -> Iterator[tuple[str, Setting | str]]:
    """Yield the mechanism of each claim of a file."""
    from dporacle import claims
    from dporacle.claims.risks import setting_of

    for claim in claims.load(path).claims:
        if claim.mechanism is None:
            counted = "what an audit counted; `dporacle audit` says what these counts support"
            about = "not about a mechanism" if claim.about is None else f"about {counted}"
            yield claim.id, f"the claim is {about}"
            continue
        try:
            yield claim.id, setting_of(claim.mechanism)
        except ValueError as error:
            yield claim.id, str(error)


def _show(name: str, figures: Figures | None, content: dict[str, Any]) -> None:
    """Print the figures of a mechanism in words."""
    if name:
        _line("claim", name)
    if figures is None:
        _line("no figures", content["error"])
        return
    setting = figures.setting
    _line("mechanism", setting.words)
    _line("the attacker", f"wants to know {setting.asks}")
    for rate, pair in content["tpr"].items():
        _line(f"TPR at FPR {rate}", _between(pair))
    _line("advantage", f"{_between(content['advantage'])}, the largest TPR − FPR")
    for each, pair in content["bayes_success"].items():
        _line(f"right at prior {each}", _between(pair))
    for each, pair in content.get("reconstruction", {}).items():
        _line("reconstruction", f"{_between(pair)} at most, where it is {each} without the release")
    if "auc" in content:
        _line("AUC", _between(content["auc"]))
    fit = content["gdp"]
    _line("nearest μ", f"{_between(fit['mu'])}, regret {_between(fit['regret'])}")
    for each, pair in content.get("mu_at_epsilon", {}).items():
        _line(f"μ at ε = {each}", _between(pair))
    for each, pair in content.get("mu_up_to_epsilon", {}).items():
        _line("μ of a range", f"{_between(pair)} bounds δ at every ε from 0 to {each}")
    for each, pair in content.get("mu_at_least_error", {}).items():
        _line(
            "μ with a cut-off", f"{_between(pair)} is a bound where both errors are {each} or more"
        )
    if "note" in fit:
        _line("the μ of DP-SGD", fit["note"])
    _line("reached by" if setting.reached else "a bound for", setting.supposes)
    listed("proved under", (each.says for each in setting.hypotheses), _WIDTH)


def _line(heading: str, text: str) -> None:
    line(heading, text, _WIDTH)


def _between(pair: Interval) -> str:
    low = round_decimal(Fraction(pair[0]), _FIGURES, up=False)
    high = round_decimal(Fraction(pair[1]), _FIGURES, up=True)
    return low if low == high else f"[{low}, {high}]"
