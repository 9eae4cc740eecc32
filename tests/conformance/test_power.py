"""What a run is said to meet it meets: what people type, what depends on others, what is slow."""

import io
from collections.abc import Callable
from functools import cache

import msgspec
import pytest
from conformance.faking import FRESH, Faked, judged
from rich.console import Console

from dporacle import fast
from dporacle.conformance.ask.fresh import DRAWN, random_cases
from dporacle.conformance.ask.power import POWER, SHARE, rounds_for
from dporacle.conformance.grade.functions import State
from dporacle.conformance.grade.runs import judgement
from dporacle.conformance.judge.outcomes import Outcome
from dporacle.conformance.libraries.targets import Target
from dporacle.conformance.protocol import Capabilities, Function
from dporacle.conformance.quantities import QUANTITIES
from dporacle.conformance.run.runner import Fresh, Patience, TargetResult, judge_child
from dporacle.conformance.run.target import TargetRun
from dporacle.conformance.run.tasks import Tasks
from dporacle.report import terminal
from dporacle.report.terminal.summary import met
from support.dear import mostly_dear

ROUNDS = rounds_for(share=SHARE, power=POWER)
SEEDS = range(60)


def function(quantity: str) -> Function:
    return Function(name="f", quantity=quantity, arguments=list(QUANTITIES[quantity].arguments))


@cache
def drawn(quantity: str) -> tuple[list[dict[str, float]], ...]:
    """What each of the seeds asks anew of a quantity, but for what is to be refused."""
    return tuple(
        [case.arguments for case in random_cases(function(quantity), seed=s, rounds=ROUNDS)[0]]
        for s in SEEDS
    )


def n_to_the(delta: float) -> bool:
    count = float(f"{delta ** (-1 / 1.1):.0e}") if 1e-15 < delta < 1 else 0.0
    return count > 0 and abs(delta * count**1.1 - 1) < 1e-12


TEN = {float(f"1e-{n}") for n in range(3, 13)}
MET: dict[str, tuple[str, Callable[[dict[str, float]], bool]]] = {
    "(8, 1e-5)": (
        "calibrate_sigma",
        lambda g: (g["epsilon"], g["delta"], g["sensitivity"]) == (8, 1e-5, 1),
    ),
    "a power of ten": (
        "calibrate_sigma",
        lambda g: g["sensitivity"] == 1 and g["delta"] in TEN and g["epsilon"] in (0.2, 0.3, 3),
    ),
    "n^-1.1": ("calibrate_sigma", lambda g: g["sensitivity"] == 1 and n_to_the(g["delta"])),
    "a large ε": ("calibrate_sigma", lambda g: g["sensitivity"] == 1 and 120 < g["epsilon"] <= 680),
    "a popular σ": (
        "delta_at_epsilon",
        lambda g: g["sensitivity"] == 1 and g["sigma"] in (0.7, 1.1, 1.3),
    ),
    "a popular scale": (
        "laplace_epsilon_at_delta",
        lambda g: g["sensitivity"] == 1 and g["scale"] in (0.25, 1.5, 20),
    ),
    "σ < 1 of DP-SGD": ("subsampled_epsilon", lambda g: g["sigma"] < 1),
}


@pytest.mark.parametrize("name", mostly_dear(MET, 3))
def test_what_people_type_is_met(name: str) -> None:
    """In 57 of 60 seeds at least, as the power of a run says; they were missed in up to 60."""
    quantity, faulty = MET[name]
    met = sum(any(faulty(given) for given in run) for run in drawn(quantity))
    assert met >= 57


def test_so_many_rounds_as_are_asked_for_are_made() -> None:
    """DP-SGD gets 16 draws by default, and more where somebody asks for more."""
    for quantity in ("subsampled_epsilon", "rank_one_delta_at_epsilon"):
        for rounds, least in ((2, 6), (ROUNDS, 16), (2000, 200)):
            cases, _ = random_cases(function(quantity), seed=1, rounds=rounds)
            assert sum(case.flags[0] in DRAWN for case in cases) >= least


def sigma(epsilon: float, delta: float, sensitivity: float) -> float:
    return float(fast.calibrate_sigma(epsilon=epsilon, delta=delta, sensitivity=sensitivity))


def both(
    calibrate: Callable[..., float], delta: Callable[..., float], **limits: float
) -> TargetResult:
    child = Faked({"s": ("calibrate_sigma", calibrate), "d": ("delta_at_epsilon", delta)})
    return judge_child(child, "two", Patience(**limits), lambda case: True, FRESH)  # type: ignore[arg-type]


def violating(result: TargetResult) -> list[int]:
    return [sum(v.outcome is Outcome.VIOLATING for v in item.judged) for item in result.functions]


@pytest.mark.parametrize("first", ["sigma", "delta"])
def test_a_state_across_functions_is_met(first: str) -> None:
    """Each function is asked after each other one, in one process or in the next."""
    called: set[str] = set()

    def calibrate(**given: float) -> float:
        called.add("sigma")
        return sigma(**given) / (2 if first == "delta" and "delta" in called else 1)

    def delta(**given: float) -> float:
        called.add("delta")
        found = float(fast.delta_at_epsilon(**given))
        return found / (2 if first == "sigma" and "sigma" in called else 1)

    assert sum(violating(both(calibrate, delta))) > 5
    assert sum(violating(both(sigma, lambda **given: float(fast.delta_at_epsilon(**given))))) == 0


@pytest.mark.parametrize("apart", [False, True])
def test_a_pause_is_met(apart: bool) -> None:
    """Where all functions have one process, and where each has its own, as in known libraries."""
    waited: list[float] = []
    seen = 0

    class Pausing(Tasks):
        def pause(self, seconds: float) -> None:
            waited.append(seconds)
            super().pause(seconds)

    def calibrate(**given: float) -> float:
        """Give half of σ at first after a pause: a clock would measure the machine's load."""
        nonlocal seen
        before, seen = seen, len(waited)
        return sigma(**given) / (2 if seen > before else 1)

    for pause, found in ((0.0, 0), (0.01, 1)):
        child = Faked({"s": ("calibrate_sigma", calibrate)})
        target = Target("pausing", lambda: (), apart=apart, forks=apart)
        limits = Patience(pause=pause)
        run = TargetRun(0, target, limits, lambda *args: None, lambda case: True, FRESH, Pausing())
        run.plan(child.start(timeout=1))
        run.ask(child, run.answered)  # type: ignore[arg-type]
        assert waited == [pause] * found
        assert violating(run.judged()) == [found]


def test_slow_is_believed_only_when_it_is_measured() -> None:
    """How many drawn inputs are wanted decides nothing about it."""
    for seconds, rounds, believed in (
        (0.0, 30, False),
        (0.001, 30, False),
        (0.005, 149, False),
        (0.05, 30, True),
    ):
        child = Faked({"f": ("calibrate_sigma", sigma)}, seconds)
        slow = [msgspec.structs.replace(f, slow=True) for f in child.start(timeout=1).functions]
        said = Capabilities(id="", protocol=2, name="slow", version="0", functions=slow)
        child.start = lambda *, timeout, said=said: said  # type: ignore[method-assign, misc]
        fresh = Fresh(rounds=rounds, seed=1)
        result = judge_child(child, "slow", Patience(), lambda case: True, fresh)
        (item,) = result.functions
        assert item.function.slow is believed
        (standing,) = judgement([result]).standings
        assert standing.state is State.CONFORMANT
        assert (standing.coverage[0].left_out > 0) is believed


@pytest.mark.parametrize(("rounds", "state"), [(1, State.NOT_JUDGED), (2, State.CONFORMANT)])
def test_less_than_the_least_power_is_not_judged(rounds: int, state: State) -> None:
    result = judged("calibrate_sigma", sigma, fresh=Fresh(rounds=rounds, seed=1))
    (standing,) = judgement([result]).standings
    assert standing.state is state
    if state is State.NOT_JUDGED:
        assert "3 of the drawn inputs were answered; 6 are needed" in standing.reasons[0]


@pytest.mark.parametrize(
    ("quantity", "rounds", "words"),
    [
        ("gdp_delta", ROUNDS, ""),
        ("gdp_auc", 4, "power: a fault on 2 % of the inputs is found with 7 % or more"),
    ],
)
def test_the_screen_says_where_little_was_asked(quantity: str, rounds: int, words: str) -> None:
    """Of who is sound: another grade says enough."""
    right = getattr(fast, quantity)
    sound = judged(quantity, lambda **given: float(right(**given)), fresh=Fresh(rounds, seed=1))
    text = io.StringIO()
    terminal.show(judgement([sound], fresh=Fresh(rounds, seed=1)), Console(file=text, width=100))
    assert ("power:" in text.getvalue()) == bool(words)
    assert words in text.getvalue()
    wrong = judged(quantity, lambda **given: float(right(**given)) / 2, fresh=Fresh(4, seed=1))
    assert met(judgement([wrong])) == ""
    both = met(judgement([sound, judged(quantity, right, fresh=Fresh(4, seed=1))]))
    assert ("95 % in 1 of 2 sound functions, in the others with" in both) == (rounds == ROUNDS)
