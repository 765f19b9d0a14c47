"""A progress bar for `verbose=True`."""

from types import TracebackType
from typing import Any


class Bar:
    """Shows one stage after another with tqdm; shows nothing if not requested."""

    def __init__(self, show: bool | int) -> None:
        self._bar: Any = None
        self._stage = ""
        self.callback = self._update if show else None

    def _update(self, stage: str, done: int, total: int) -> None:
        try:
            from tqdm.auto import tqdm
        except ImportError as error:
            raise ImportError("verbose=True shows its progress with tqdm, which is not installed") from error
        if self._bar is None or stage != self._stage:
            self._close()
            self._stage = stage
            self._bar = tqdm(desc=stage, total=total)
        self._bar.total = total
        self._bar.update(done - self._bar.n)

    def _close(self) -> None:
        if self._bar is not None:
            self._bar.close()
            self._bar = None

    def __enter__(self) -> "Bar":
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._close()
