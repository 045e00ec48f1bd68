"""A calibration in progress: LiteRT runs the model while the planning modules are imported."""

from __future__ import annotations

from threading import Thread
from types import TracebackType

from litecheck.conversion.calibration.litert_child import KERNELS, OWN, LitertChild, runtime_of
from litecheck.conversion.calibration.observe import calls_others
from litecheck.conversion.model_calibration import Calibration, calibrate_model
from litecheck.conversion.sample_progress import Told
from litecheck.conversion.session_setup import ConversionSession
from litecheck.devices.port import Limits
from litecheck.devices.process import WorkerProcess

#: Seconds to wait for samples that are read quickly. Other samples are read in parallel to other work.
_AHEAD = 0.2
#: Seconds to wait for the thread of a calibration after its child ended.
_LEAVING = 1.0


class BackgroundCalibration:
    """The calibration of a session, started at once, and the child process that runs models during and after it."""

    def __init__(
        self, session: ConversionSession, tell: Told | None = None, started: WorkerProcess | None = None
    ) -> None:
        """Start LiteRT in a thread. Otherwise ``result`` calibrates. A process in ``started`` is used.

        Raises ConfigError if the device is not available or the disk is full, ModelError.
        """
        self._session, self._tell = session, tell or (lambda done, what: None)
        self._found: Calibration | None = None
        self._fault: BaseException | None = None
        self._thread: Thread | None = None
        settings = session.settings
        kernels = KERNELS.get(settings.device, KERNELS["litert:xnnpack"])
        self.child = LitertChild(kernels, Limits(settings.seconds), started)
        runs = session.calibrates and session.data is not None and not session.reads_statistics
        if runs and runtime_of(settings.device, calls_others(session.base)) != OWN:
            self.child.file_of(session.base)  # the work that follows would delay the thread
            self._thread = Thread(target=self._run, daemon=True)
            self._thread.start()
            self.child.asked.wait(_AHEAD)  # imports would delay the samples

    def __enter__(self) -> BackgroundCalibration:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.child.close()
        if self._thread is not None:
            self._thread.join(_LEAVING)

    @property
    def waits(self) -> bool:
        """True while the thread of the calibration runs."""
        return self._thread is not None and self._thread.is_alive()

    def result(self) -> Calibration | None:
        """Return the calibration when it is done, or None if the session needs none.

        Raises the errors of ``calibrate_model``.
        """
        if self._thread is not None:
            self._thread.join()
            if self._fault is not None:
                raise self._fault
            return self._found
        return self._calibrate() if self._session.calibrates else None

    def _run(self) -> None:
        try:
            self._found = self._calibrate()
        except BaseException as error:  # raised again in the caller of result
            self._fault = error
        finally:
            self.child.asked.set()

    def _calibrate(self) -> Calibration:
        session = self._session
        return calibrate_model(session.base, session.data, session.settings, self._tell, self.child)
