"""TensorFlow's converter on a SavedModel, a Keras file or a float .tflite. This module only runs in a child process."""

from __future__ import annotations

import json
import zipfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import tensorflow as tf

from litecheck.conversion.other_converters.converter_program import samples_of
from litecheck.conversion.tensorflow_formats import DEFAULT


class OldKerasError(Exception):
    """A file of Keras 2, without tf-keras to read it."""


class UnknownShapeError(Exception):
    """An input with unknown dimensions after the first."""


class NoSignatureError(Exception):
    """A SavedModel without the requested signature, or without signatures."""


class SeveralSignaturesError(Exception):
    """A SavedModel with signatures that cannot be converted together: their names, and the class and text of the error."""

    def __init__(self, keys: Sequence[str], error: Exception) -> None:
        super().__init__(f"{', '.join(keys)}\n{type(error).__name__}\n{error}")


def to_float(request: Mapping[str, Any], samples: Path) -> bytes:
    """Return the float32 .tflite of a Keras file, or of a SavedModel with all signatures or the requested signature."""
    with TemporaryDirectory() as folder:
        if request["kind"] == "keras":
            return bytes(_keras_converter(Path(request["source"]), folder).convert())
        loaded = tf.saved_model.load(request["source"])
        keys = _signatures(loaded, request["signature"])
        try:
            return bytes(_saved_model_converter(request["source"], loaded, keys, folder).convert())
        except Exception as error:
            if len(keys) == 1:
                raise
            raise SeveralSignaturesError(keys, error) from error


def to_integers(request: Mapping[str, Any], samples: Path) -> bytes:
    """Return the int8 or int16x8 .tflite by TensorFlow's calibration and quantizer. Unsupported operators stay float."""
    if request["kind"] == "tflite":
        return _quantize(Path(request["source"]).read_bytes(), request["to"], samples)
    sets = tf.lite.OpsSet
    wide = request["to"] == "int16x8"
    with TemporaryDirectory() as folder:
        converter = _converter(request, folder)
        converter.optimizations = [tf.lite.Optimize.DEFAULT]
        converter.representative_dataset = lambda: samples_of(samples)
        first = (
            sets.EXPERIMENTAL_TFLITE_BUILTINS_ACTIVATIONS_INT16_WEIGHTS_INT8
            if wide
            else sets.TFLITE_BUILTINS_INT8
        )
        converter.target_spec.supported_ops = [first, sets.TFLITE_BUILTINS]
        converter.inference_input_type = converter.inference_output_type = tf.int16 if wide else tf.int8
        return bytes(converter.convert())


def _quantize(model: bytes, to: str, samples: Path) -> bytes:
    """Quantize the converter's own float model, from a calibrated copy of it."""
    from tensorflow.lite.python.convert import mlir_quantize
    from tensorflow.lite.python.optimize import calibrator

    model = calibrator.add_intermediate_tensors(model)
    interpreter = tf.lite.Interpreter(model_content=model)
    available = next(samples_of(samples)).keys()
    fitting = (
        (k, s["inputs"]) for k, s in interpreter.get_signature_list().items() if available >= set(s["inputs"])
    )
    key, inputs = next(fitting, ("", [one["name"] for one in interpreter.get_input_details()]))

    def feed() -> Iterator[Any]:
        """Yield samples by name for a signature, or in the order of the inputs for a model without one."""
        for sample in samples_of(samples):
            yield (key, {name: sample[name] for name in inputs}) if key else [sample[n] for n in inputs]

    if to == "int16x8":
        quantized = calibrator.Calibrator(model).calibrate_and_quantize(
            feed, tf.int16, tf.int16, True, tf.int16, tf.int64
        )
        return bytes(quantized)
    calibrated = calibrator.Calibrator(model).calibrate(feed)
    return bytes(mlir_quantize(calibrated, input_data_type=tf.int8, output_data_type=tf.int8))


def _converter(request: Mapping[str, Any], folder: str) -> Any:
    """Return a converter of a model with batch 1. ``folder`` must exist until the conversion ends."""
    if request["kind"] == "keras":
        return _keras_converter(Path(request["source"]), folder)
    loaded = tf.saved_model.load(request["source"])
    return _saved_model_converter(request["source"], loaded, _signatures(loaded)[:1], folder)


def _signatures(loaded: Any, wanted: str = "") -> list[str]:
    """Return the signatures to convert: all, with the default first, or only ``wanted``."""
    keys = sorted(loaded.signatures, key=lambda key: (key != DEFAULT, key))
    if wanted and wanted not in keys:
        raise NoSignatureError(f"{wanted!r}; there are {', '.join(keys) or 'none'}")
    if not keys:
        raise NoSignatureError("at all: save it with tf.saved_model.save(..., signatures=...)")
    return [wanted] if wanted else keys


def _saved_model_converter(source: str, loaded: Any, keys: Sequence[str], folder: str) -> Any:
    fixed, stated = {}, True
    for key in keys:
        fixed[key], as_it_is = _set_batch_of_one(loaded.signatures[key])
        stated = stated and as_it_is
    if not stated:
        source = folder
        tf.saved_model.save(loaded, folder, signatures=fixed)
    return tf.lite.TFLiteConverter.from_saved_model(source, signature_keys=list(keys))


def _set_batch_of_one(entry: Any) -> tuple[Any, bool]:
    """Return a signature's function for a single sample, and True if it is the unchanged function of the model."""
    inputs_of_entry = entry.structured_input_signature[1]
    specs = {name: _batch_of_one(spec) for name, spec in inputs_of_entry.items()}
    if all(spec == inputs_of_entry[name] for name, spec in specs.items()):
        return entry, True
    return tf.function(lambda **inputs: entry(**inputs)).get_concrete_function(**specs), False


def _keras_converter(file: Path, folder: str) -> Any:
    if not _is_keras_2(file):
        import keras

        model = keras.models.load_model(file, compile=False)
        specs = [_batch_of_one(x) for x in model.inputs]
        inputs = [keras.Input(batch_shape=tuple(s.shape), dtype=s.dtype.name, name=s.name) for s in specs]
        whole = keras.Model(inputs, model(inputs[0] if len(inputs) == 1 else inputs))
        return tf.lite.TFLiteConverter.from_keras_model(whole)
    try:
        import tf_keras
    except ImportError:
        raise OldKerasError(file.name) from None
    model = tf_keras.models.load_model(file, compile=False)
    specs = [_batch_of_one(x) for x in model.inputs]
    call = tf.function(lambda *inputs: model(inputs[0] if len(inputs) == 1 else list(inputs)))
    # Through a SavedModel, because otherwise LSTMs are not recognized and fused.
    model.save(folder, save_format="tf", signatures=call.get_concrete_function(*specs))
    return tf.lite.TFLiteConverter.from_saved_model(folder)


def _is_keras_2(file: Path) -> bool:
    """Return True for a file of Keras 2, by its version. A .h5 file without a version is older."""
    if zipfile.is_zipfile(file):
        with suppress(KeyError, ValueError), zipfile.ZipFile(file) as archive:
            return str(json.loads(archive.read("metadata.json"))["keras_version"]).startswith("2")
        return False
    import h5py

    with h5py.File(file) as stored:
        version = stored.attrs.get("keras_version", "2")
        return (version.decode() if isinstance(version, bytes) else str(version)).startswith("2")


def _batch_of_one(spec: Any) -> Any:
    """Return the input with a single sample in place of an unknown first dimension."""
    shape = list(spec.shape)
    if shape and shape[0] is None:
        shape[0] = 1
    name = spec.name.split(":")[0]
    if None in shape:
        raise UnknownShapeError(f"{name} has the shape {shape}")
    return tf.TensorSpec(shape, spec.dtype, name=name)
