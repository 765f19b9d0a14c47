"""Warnings that point at the user's line."""

import sys
import warnings
from types import FrameType


class EoccWarning(UserWarning):
    """A note on how data was read or judged; ``warnings.simplefilter("error", eocc.EoccWarning)`` makes it an error."""


class DriftWarning(EoccWarning):
    """The samples differ from the training samples; ``warnings.simplefilter("ignore", eocc.DriftWarning)`` silences
    it."""


def warn(text: str, category: type[EoccWarning] = EoccWarning) -> None:
    """Warns at the first frame outside this package: methods call each other in several ways."""
    level = 1
    frame: FrameType | None = sys._getframe(0)
    while frame is not None and frame.f_globals.get("__name__", "").partition(".")[0] == "eocc":
        level, frame = level + 1, frame.f_back
    warnings.warn(text, category, stacklevel=level)
