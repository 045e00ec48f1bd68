"""What a conversion is asked for: the new model's types, what stays float32, the data, and the files read and written."""

from __future__ import annotations

from dataclasses import dataclass

from litecheck.convert.calibration.dataset import CalibrationData, DataOptions
from litecheck.convert.formulas import Generation
from litecheck.convert.request import REAL, Request


@dataclass(frozen=True, slots=True)
class ConversionSettings:
    """``to`` is ``int8``, ``int16x8``, ``dynamic`` or ``float16``; ``profile`` a rule file in place of the customary one.

    ``keep`` names operators that stay float32, by ``#12``, opcode, or the name of a result, with wildcards; ``inputs`` and
    ``outputs`` are the types of what goes in and out. ``data`` are files and folders of samples, or samples themselves,
    ``random`` how many are drawn in place of them, from ``seed``; ``calibrate`` how ranges are chosen (``mse``,
    ``conv*=percentile:99.9``), ``device`` what runs the model. ``statistics`` is a file of calibration statistics, read
    where it exists and written else; ``scales_from`` one of a quantized form of the model, whose activations' scales are
    taken over; ``plan`` one of a plan, to be carried out instead of making one. ``agreement`` says
    whether both models are run on the data and compared. ``equalize`` rescales channels between layers first,
    ``correct_bias`` takes the mean error of each channel from its bias, ``int16x8`` names operators that compute with 16-bit
    activations, ``sensitivity`` ranks so many operators by what quantizing each alone costs (-1: all of them).
    """

    to: str = "int8"
    profile: str = ""
    keep: tuple[str, ...] = ()
    int16x8: tuple[str, ...] = ()
    equalize: bool = False
    correct_bias: bool = False
    sensitivity: int = 0
    inputs: str = REAL
    outputs: str = REAL
    generation: Generation = "new"
    data: tuple[str | CalibrationData, ...] = ()
    random: int | None = None
    seed: int = 0
    sequences: bool = False
    samples: int | None = None
    preprocessing: str = ""
    signature: str | None = None
    calibrate: tuple[str, ...] = ()
    device: str = "auto"
    statistics: str = ""
    scales_from: str = ""
    plan: str = ""
    agreement: bool = True
    seconds: float = 60.0

    @property
    def request(self) -> Request:
        """What the new model shall be."""
        return Request(
            self.to, self.profile, self.keep, self.inputs, self.outputs, self.generation, self.int16x8
        )

    @property
    def data_options(self) -> DataOptions:
        """How files become samples."""
        return DataOptions(self.signature, self.sequences, self.samples, self.preprocessing)
