"""Tokens of text and fields of CSV tables. Calls run on the CPU. Text is bytes, str (as UTF-8) or any object with a buffer."""
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
# A token: the offset of its first byte, its length in bytes, and the index of its rule.
TOKEN = np.dtype([("first", "u8"), ("size", "u4"), ("kind", "u4")])


class TextError(Error, ValueError):
    """The text is invalid at byte `stopped`. The text before that byte is valid."""

    def __init__(self, message: str, stopped: int):
        super().__init__(message)
        self.stopped = stopped

    def __reduce__(self):
        return TextError, (str(self), self.stopped)


class Lexer:
    """A compiled lexer. Each rule is (name, pattern) or (name, pattern, skip). Lexer.json() and Lexer.c() are ready-made."""

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
                encoded = [text.encode() + b"\0" for text in rule[:2]]
                kept += encoded
                rows += _RULE.pack(_calls.address(encoded[0]), _calls.address(encoded[1]), len(rule) == 3 and bool(rule[2]))
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
        """The names of the rules. A token's kind is an index into this list."""
        return [_calls.lexer_rule_name(self.address, i) for i in range(_calls.lexer_rules(self.address))]

    def __reduce__(self):  # handles cannot be copied: a copy makes its own
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
    """Return an array of (first, size, kind) with one element for each token that is not skipped. Raise TextError for invalid text."""
    text = _bytes(text)
    n, context = memoryview(text).nbytes, _context()
    found = bytearray(_FOUND.size)
    # One pass is enough if there is at most one token for every four bytes.
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
    """Return (ends of the fields, number of records).

    Field k is text[ends[k-1] + 1 : ends[k]], quotes included. The call raises TextError for invalid text.
    """
    text = _bytes(text)
    n, context = memoryview(text).nbytes, _context()
    if len(separator) != 1 or ord(separator) > 127:
        raise BadArgument(f"csv_fields: the separator is {separator!r}; give one ASCII character")
    found = bytearray(_FIELDS.size)
    _calls.fields(context.address, text, n, ord(separator), None, 0, found)
    fields, records, complete, stopped = _FIELDS.unpack(found)
    if not complete:
        raise TextError(f"csv_fields: the quote at byte {stopped} and the text after it are not a valid field", stopped)
    ends = np.empty(fields, np.uint64)
    _calls.fields(context.address, text, n, ord(separator), ends, fields, found)
    return ends, records
