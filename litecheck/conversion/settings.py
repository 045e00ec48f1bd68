"""Settings of a conversion: types of the new model, operators that stay float32, data, and files."""

from __future__ import annotations

from dataclasses import dataclass

from litecheck.conversion.calibration.data_sources import DataSource, DataSources, data_sources, words
from litecheck.conversion.calibration.dataset import DataOptions
from litecheck.conversion.formulas import Generation
from litecheck.conversion.recipe import QuantizationRecipe, RecipeRule
from litecheck.conversion.request import REAL, REAL_KINDS, Request


@dataclass(frozen=True, slots=True)
class ConversionSettings:
    """Settings of a conversion.

    ``to`` is ``int8``, ``int16x8``, ``dynamic`` or ``float16``. ``profile`` is a rule file in place of the default.
    ``keep`` selects operators that stay float32, by ``#12``, opcode, or name of an output, with wildcards. ``inputs``
    and ``outputs`` are the types of inputs and outputs. ``data`` is a file, folder or array of samples, or several.
    ``random`` is the number of samples drawn from ``seed`` in place of data. ``calibrate`` selects how ranges are
    chosen (``mse``, ``conv*=percentile:99.9``), ``ranges`` states ranges of tensors (``image=0:1``), and ``device`` runs
    the model. ``evaluate`` are samples on which both models are compared besides ``data``. ``statistics`` is a file of
    calibration statistics, read if it exists and written otherwise. ``scales_from`` is a file of a quantized form of the
    model, whose activation scales are copied. ``plan`` is a file of a plan that is applied instead of a new plan.
    ``agreement`` runs both models on the data and compares them. ``equalize`` first rescales channels between layers: all
    channels, none (False), or only outliers, by powers of two (None).
    ``correct_bias`` subtracts the mean error of each channel from its bias. ``int16x8`` selects operators with 16-bit
    activations. ``recipe`` is a file of rules for operators, or a recipe; it decides ``to``. ``sensitivity`` ranks that
    many operators by the cost of quantizing each alone (-1: all operators). ``budget`` (``size=2MB``, ``snr=30``) chooses
    int8, int16x8 or float32 for each operator.
    ``samples`` is the maximum number of samples of each source; with ``budget`` and ``sensitivity``, of the search only.
    ``max_float`` and ``min_snr`` are gates: the largest number of operators that stay float32, and the lowest SNR of an
    output in dB. A model that fails a gate is written only with ``force``. ``runtimes`` (``reference``, ``optimized``,
    ``xnnpack``, ``tflm``) are those whose known faults decide: operators that they compute wrongly stay float32.
    ``ties`` are pairs of names of inputs and outputs that are one state. ``budget_rules`` are those that ``budget`` chose.
    """

    to: str = "int8"
    profile: str = ""
    keep: tuple[str, ...] = ()
    int16x8: tuple[str, ...] = ()
    recipe: str | QuantizationRecipe = ""
    equalize: bool | None = None
    correct_bias: bool = False
    sensitivity: int = 0
    budget: str = ""
    max_float: int | None = None
    min_snr: float | None = None
    force: bool = False
    inputs: str = REAL
    outputs: str = REAL
    generation: Generation = "new"
    data: DataSources = ()
    random: int | None = None
    seed: int = 0
    sequences: bool = False
    samples: int | None = None
    preprocessing: str = ""
    signature: str | None = None
    calibrate: tuple[str, ...] = ()
    ranges: tuple[str, ...] = ()
    evaluate: DataSources = ()
    device: str = "auto"
    statistics: str = ""
    scales_from: str = ""
    plan: str = ""
    agreement: bool = True
    seconds: float = 60.0
    runtimes: tuple[str, ...] = ()
    ties: tuple[tuple[str, str], ...] = ()
    budget_rules: tuple[RecipeRule, ...] = ()

    def __post_init__(self) -> None:
        """Make tuples of single paths, arrays and texts. Raises TypeError."""
        for name in ("data", "evaluate"):
            object.__setattr__(self, name, data_sources("convert", getattr(self, name)))
        for name in ("keep", "int16x8", "calibrate", "ranges", "runtimes"):
            object.__setattr__(self, name, words("convert", name, getattr(self, name)))

    @property
    def sources(self) -> tuple[DataSource, ...]:
        """Paths, arrays and sets of samples for the calibration."""
        return data_sources("convert", self.data)

    @property
    def rescales(self) -> bool:
        """True if outlier channels are rescaled: the options ask neither for other weights nor for known scales."""
        known = self.scales_from or self.recipe or self.to in REAL_KINDS
        return self.equalize is None and self.generation == "new" and not known

    @property
    def request(self) -> Request:
        """Request for the new model."""
        recipe = self.recipe if isinstance(self.recipe, QuantizationRecipe) else None
        return Request(
            self.to,
            self.profile,
            self.keep,
            self.inputs,
            self.outputs,
            self.generation,
            self.int16x8,
            self.runtimes,
            self.ties,
            recipe,
            budget_rules=self.budget_rules,
        )

    @property
    def data_options(self) -> DataOptions:
        """Options for reading files as samples."""
        return DataOptions(self.signature, self.sequences, self.samples, self.preprocessing)
