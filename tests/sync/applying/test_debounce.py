"""Repeated triggers make one run."""

from __future__ import annotations

from sightline.sync.applying import Debounce


class Clock:
    now = 0.0

    def __call__(self) -> float:
        return self.now


def test_a_run_is_due_after_a_quiet_while_and_once() -> None:
    clock = Clock()
    debounce = Debounce(3, clock)
    assert debounce.wait_s() is None
    assert not debounce.take()
    for clock.now in (0, 1, 2):
        debounce.trigger()
        assert not debounce.take()
    assert debounce.wait_s() == 3
    clock.now = 5
    assert debounce.take()
    assert not debounce.take()
    assert debounce.wait_s() is None


def test_triggers_without_end_do_not_put_a_run_off_for_ever() -> None:
    clock = Clock()
    debounce = Debounce(3, clock, longest_s=10)
    runs = 0
    for second in range(31):
        clock.now = float(second)
        debounce.trigger()
        runs += debounce.take()
    assert runs == 2
