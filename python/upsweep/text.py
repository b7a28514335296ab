"""Text cut into tokens, and tables cut into fields. On the CPU, of bytes, str (as UTF-8) or whatever has a buffer."""
from __future__ import annotations

import struct
from collections.abc import Sequence
from typing import Any

import numpy as np

from . import _calls
from .devices import chosen, opened
from .errors import BadArgument, Error

_RULE = struct.Struct("@PPi0P")
_FOUND = struct.Struct("@QiQ")
_FIELDS = struct.Struct("@QQiQ")
# Of one token: its first byte, how many, and the rule that it is by.
TOKEN = np.dtype([("first", "u8"), ("size", "u4"), ("kind", "u4")])


class TextError(Error, ValueError):
    """The text is wrong at byte `stopped`; what is before it would be as it would be."""

    def __init__(self, message: str, stopped: int):
        super().__init__(message)
        self.stopped = stopped

    def __reduce__(self):
        return TextError, (str(self), self.stopped)


class Lexer:
    """Rules compiled: (name, pattern) or (name, pattern, skip) each; or Lexer.json(), Lexer.c()."""

    def __init__(self, rules: Sequence[tuple[str, str] | tuple[str, str, bool]], _make: Any = None):
        handle = bytearray(8)
        self.address = 0
        self._made_of = tuple(map(tuple, rules)), _make
        if _make is not None:
            _make(handle)
        else:
            kept, rows = [], b""
            for rule in rules:
                if len(rule) not in (2, 3) or not all(isinstance(text, str) for text in rule[:2]):
                    raise BadArgument(f"Lexer: a rule is (name, pattern) or (name, pattern, skip), not {rule!r}")
                texts = [text.encode() + b"\0" for text in rule[:2]]
                kept += texts
                rows += _RULE.pack(_calls.address(texts[0]), _calls.address(texts[1]), len(rule) == 3 and bool(rule[2]))
            _calls.lexer_make(rows, len(rules), handle)
        self.address = int.from_bytes(handle, "little")

    @classmethod
    def json(cls) -> Lexer:
        return cls((), _calls.lexer_json)

    @classmethod
    def c(cls) -> Lexer:
        return cls((), _calls.lexer_c)

    @property
    def kinds(self) -> list[str]:
        """The rules' names; a token's kind is a place among them."""
        return [_calls.lexer_rule_name(self.address, i) for i in range(_calls.lexer_rules(self.address))]

    def __reduce__(self):  # a copy has a handle of its own
        return Lexer, self._made_of

    def __del__(self, free=_calls.lexer_free):
        if self.address:
            free(self.address)


def _bytes(text):
    return text.encode() if isinstance(text, str) else text


def _context():
    context = chosen()
    return context if context is not None and context.backend == "cpu" else opened("cpu")


def tokenize(text, lexer):
    """An array of (first, size, kind), one for each token that is not skipped. TextError where the text is wrong."""
    text = _bytes(text)
    n, context = memoryview(text).nbytes, _context()
    found = bytearray(_FOUND.size)
    # One pass: as a guess there is room for a token for every four bytes.
    tokens = np.empty(n // 4 + 16, TOKEN)
    for _ in range(2):
        try:
            _calls.tokenize(context.address, lexer.address, text, n, tokens.view(np.uint8), len(tokens), found, None)
            break
        except ValueError:
            _calls.tokenize(context.address, lexer.address, text, n, None, 0, found, None)
            kept, complete, stopped = _FOUND.unpack(found)
            if kept <= len(tokens):
                raise
            tokens = np.empty(kept, TOKEN)
    kept, complete, stopped = _FOUND.unpack(found)
    if not complete:
        raise TextError(f"tokenize: no token can have byte {stopped}", stopped)
    return tokens[:kept].copy() if kept * 2 < len(tokens) else tokens[:kept]


def csv_fields(text, separator=","):
    """(where each field ends, how many records): field k is text[ends[k-1] + 1 : ends[k]], quotes and all. TextError where the text is wrong."""
    text = _bytes(text)
    n, context = memoryview(text).nbytes, _context()
    if len(separator) != 1 or ord(separator) > 127:
        raise BadArgument(f"csv_fields: the separator is {separator!r}; give one character of ASCII")
    found = bytearray(_FIELDS.size)
    _calls.fields(context.address, text, n, ord(separator), None, 0, found)
    fields, records, complete, stopped = _FIELDS.unpack(found)
    if not complete:
        raise TextError(f"csv_fields: the quote of byte {stopped} and what follows is no field", stopped)
    ends = np.empty(fields, np.uint64)
    _calls.fields(context.address, text, n, ord(separator), ends, fields, found)
    return ends, records
