"""`external:COMMAND`: an agent that is a program of its own and speaks JSON Lines (docs/external-agents.md).

Owns what happens at the table: which program sits on which seat of which hand, what its answer has to be, and what becomes of
a hand in which it breaks the rules. The messages are `external_story`'s, the process is `external_process`'s.

A program plays one seat of one hand at a time. Where an agent sits on several seats of a hand it has as many programs, so that none
sees another's tiles.
"""

from __future__ import annotations

import ctypes
import json
import logging
import re
import shlex
import shutil
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from mjsim.actions import parse_action
from mjsim.agents.external_process import Fault, Program
from mjsim.agents.external_story import Message, Story, legal, luck_of, passive, question, standing
from mjsim.agents.python_agent import CALLBACK, Called, record_at
from mjsim.errors import MjsimError, UsageError
from mjsim.hand_record import CLAIM, HAND, PHASES
from mjsim.ruleset import Rules, rules_at_address
from mjsim.ruleset import rules as make_rules

#: Seconds for an answer, and for the first one of a program that has just been started.
LIMIT, START_LIMIT = 5.0, 30.0
#: An agent that breaks the rules in each of its first hands, so many, ends the run.
FIRST_HANDS = 5
#: Programs of one agent at most: hands in play at the same time, times its seats.
MAX_PROGRAMS = 16

_OPTION = re.compile(r"(limit|start)=([^:]*):")
_SEAT = HAND.fields["seat"][1]
_log = logging.getLogger("mjsim")


def of_text(text: str, rest: str) -> External:
    """The agent of `external:[limit=SECONDS:][start=SECONDS:]COMMAND`."""
    options = {"limit": LIMIT, "start": START_LIMIT}
    while found := _OPTION.match(rest):
        try:
            options[found[1]] = float(found[2])
        except ValueError:
            raise UsageError(f"agent {text!r}: {found[1]}={found[2]} is no number of seconds") from None
        rest = rest[found.end() :]
    try:
        command = shlex.split(rest)
    except ValueError as error:
        raise UsageError(f"agent {text!r}: the command cannot be read: {error}") from None
    return External(text, command, **options)


@dataclass
class _Talk:
    """One seat of one hand: its program, until it breaks the rules, and what it has been told."""

    luck: tuple[Any, ...]
    decisions: int
    story: Story | None
    program: Program | None


class External(Called):
    """An agent in another process.

    Args:
        name: its full text.
        command: the words of its command line.
        limit: seconds for an answer.
        start: seconds for the first answer of a program that has just been started.

    When it breaks the rules (an answer that is not legal, not JSON or late, or its end) the rest of the hand is passed and
    discarded for it (`external_story.passive`), the fault is kept for `take_faults`, and a new program plays from the next hand
    on. One that does so in each of its first hands (FIRST_HANDS), or cannot be started, ends the run.
    """

    def __init__(self, name: str, command: Sequence[str], limit: float = LIMIT, start: float = START_LIMIT) -> None:
        super().__init__(name)
        if not command:
            raise UsageError(f"agent {name!r}: a command is needed, such as external:python bot.py")
        for option, seconds in (("limit", limit), ("start", start)):
            if not 0 < seconds <= 3600:
                raise UsageError(f"agent {name!r}: {option}={seconds:g} is no number of seconds above 0 and up to 3600")
        if shutil.which(command[0]) is None:
            raise UsageError(f"agent {name!r}: there is no command {command[0]!r}")
        self.command = list(command)
        self.limit, self.start = float(limit), max(float(start), float(limit))
        self._talks: dict[tuple[int, int], _Talk] = {}
        self._idle: list[Program] = []
        self._programs = 0
        self._faulty = self._sound = 0  # hands, by seat
        self._faults: list[dict[str, Any]] = []
        self._end_callback = CALLBACK(self._ended)
        self.end_address = int(ctypes.cast(self._end_callback, ctypes.c_void_p).value or 0)

    # ---- at the table --------------------------------------------------------------------------------------------------

    def _answer(self, hand: int, rules: int) -> int:
        record = record_at(hand)
        seat = int(record["seat"])
        table = rules_at_address(rules)
        talk = self._talk(hand, seat, record, table)
        claimed = int(record["claim_tile"]) if record["phase"] == CLAIM else None
        if talk.program is not None and talk.story is not None:
            told = [*talk.story.until(record), question(record, table, seat)]
            try:
                return parse_action(self._asked(talk.program, told, legal(record)), claimed)
            except Fault as fault:
                self._give_up(talk, record, seat, str(fault))
        return parse_action(next(passive(record)), claimed)

    def _talk(self, hand: int, seat: int, record: np.void, table: Rules) -> _Talk:
        """The talk of this seat of this hand, begun when it is asked for the first time."""
        key = hand, seat
        luck, decisions = (table.fingerprint, *luck_of(record)), int(record["n_decisions"])
        talk = self._talks.get(key)
        if talk is not None and talk.luck == luck and decisions > talk.decisions:
            talk.decisions = decisions
            return talk
        if talk is not None:  # a hand that was given up before its end
            self._leave(talk)
        talk = self._talks[key] = _Talk(luck, decisions, Story(record, table, seat), self._sit_down())
        return talk

    def _sit_down(self) -> Program:
        """A program that is free, or a new one."""
        while self._idle:
            program = self._idle.pop()
            if program.running:
                return program
            self._end(program)
        if self._programs >= MAX_PROGRAMS:
            raise MjsimError(
                f"agent {self.name!r} plays more than {MAX_PROGRAMS} seats at once; external agents are for a few tables at a time"
            )
        program = Program(self.command)
        self._programs += 1
        return program

    def _asked(self, program: Program, told: list[Message], allowed: list[str]) -> str:
        """Its answer to the last of the messages, checked. Raises Fault."""
        for message in told[:-1]:
            program.tell(json.dumps(message))
        answer = program.ask(json.dumps(told[-1]), self.limit if program.asked else self.start)
        shown = repr(answer[:80] + ("..." if len(answer) > 80 else ""))
        try:
            said = json.loads(answer)
        except (ValueError, RecursionError):
            raise Fault(f"answered {shown}, which is not JSON") from None
        if not isinstance(said, dict) or not isinstance(said.get("action"), str):
            raise Fault(f'answered {shown}, which is not {{"action": "..."}}')
        if said["action"] not in allowed:
            listed = ", ".join(allowed[:40]) + (", ..." if len(allowed) > 40 else "")
            raise Fault(f"answered {said['action'][:80]!r}, which is not legal here (legal: {listed})")
        return said["action"]

    def _give_up(self, talk: _Talk, record: np.void, seat: int, what: str) -> None:
        """Note a fault: its program is ended, the hand goes on without it."""
        assert talk.program is not None
        words = talk.program.last_words
        self._end(talk.program)
        talk.program = talk.story = None
        self._faulty += 1
        match, number, decision = int(record["match"]), int(record["hand"]), int(record["n_decisions"])
        where = f"match {match}, hand {number}, seat {seat}, decision {decision} ({PHASES[int(record['phase'])]})"
        text = f"{where}: {what}" + (f"; its last line on stderr: {words}" if words else "")
        if self._faulty == 1:
            _log.warning("agent %r broke the rules: %s", self.name, text)
        self._faults.append(
            {
                "agent": self.name,
                "match": match,
                "hand": number,
                "seat": seat,
                "decision": decision,
                "what": what,
                "legal": legal(record),
                "stderr": words,
                "text": text,
            }
        )
        if not self._sound and self._faulty >= FIRST_HANDS:
            raise MjsimError(
                f"agent {self.name!r} broke the rules in each of its first {FIRST_HANDS} hands; the last time: {text}"
            )

    def _ended(self, hand: int, rules: int, parameters: int) -> int:
        """A hand is over: those who played in it are told how."""
        try:
            record = record_at(hand)
            for key in [key for key in self._talks if key[0] == hand]:
                talk = self._talks.pop(key)
                if talk.program is not None and talk.story is not None:
                    for message in (*talk.story.until(record), talk.story.result(record)):
                        talk.program.tell(json.dumps(message))
                self._leave(talk)
        except BaseException as error:
            self._failure = self._failure or error
        return 0  # no answer is expected

    def _leave(self, talk: _Talk) -> None:
        if talk.program is not None:
            self._sound += 1
            self._idle.append(talk.program)

    def _end(self, program: Program) -> None:
        program.kill()
        self._programs -= 1

    # ---- from Python ---------------------------------------------------------------------------------------------------

    def act(self, observation: Any, mask: Any, rules: str | Rules | None = None) -> int:
        """Its answer to one question, told without what led to it: `start`, then `ask` with the table as the observation
        shows it, the seat that is asked being seat 0. Raises MjsimError when it breaks the rules.
        """
        table = make_rules(self.rules if rules is None else rules)
        desk = self._own_desk()
        desk.lay(observation, mask, table)
        record = desk.record[0]
        program = self._sit_down()
        try:
            told = [standing(record, table, 0), question(record, table, 0)]
            action = self._asked(program, told, legal(record))
        except Fault as fault:
            words = program.last_words
            self._end(program)
            raise MjsimError(
                f"agent {self.name!r} {fault}" + (f"; its last line on stderr: {words}" if words else "")
            ) from None
        except BaseException:
            self._end(program)
            raise
        self._idle.append(program)
        return parse_action(action, int(record["claim_tile"]) if record["phase"] == CLAIM else None)

    def take_faults(self) -> list[dict[str, Any]]:
        super().take_faults()
        faults, self._faults = self._faults, []
        return faults

    def close(self) -> None:
        """End its programs; those of hands in play are begun anew if the hands go on."""
        for program in self._idle:
            program.close()
        for talk in self._talks.values():
            if talk.program is not None:
                talk.program.kill()
        self._idle, self._talks, self._programs = [], {}, 0
