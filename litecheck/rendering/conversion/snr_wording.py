"""Wording of SNRs, and of shares of equal integers, which have no SNR."""

from __future__ import annotations

import math
from collections.abc import Sequence

from litecheck.conversion.agreement import Agreement, TensorAgreement
from litecheck.conversion.fixes import LARGE_LOSS, lowest_channel

#: Difference in dB from which the lowest channel is stated beside its output.
_LOWER = 3.0


def worst_output(outputs: Sequence[TensorAgreement]) -> str:
    """Return the lowest SNR of outputs and their logits, or the smallest share of equal values of integer outputs."""
    reals = [one for one in outputs if not one.is_integer]
    worst = (
        min(reals, key=lambda one: one.lowest_snr)
        if reals
        else min(outputs, key=lambda one: one.equal, default=None)
    )
    return f"{ratio(worst)}{logits_text(worst)}" if worst else ""


def logits_text(one: TensorAgreement) -> str:
    """Return the SNR of an output's logits if the output hides their loss, else "". Example: `` (logits 14.0 dB)``."""
    return "" if one.worse_logits is None else f" (logits {decibels(one.worse_logits.snr)})"


def low_channel_text(found: Agreement) -> str:
    """Return the SNR of the channel with a large loss, else "". Example: `` (channel 6: -23.7 dB)``."""
    snr, channel = lowest_channel(found)
    whole = min((one.lowest_snr for one in found.outputs if not one.is_integer), default=snr)
    return f" (channel {channel}: {snr:.1f} dB)" if snr < min(LARGE_LOSS, whole - _LOWER) else ""


def ratio(one: TensorAgreement) -> str:
    """Return the SNR of an output, or the share of equal values of integers. Example: ``98.44 % equal``."""
    return f"{100 * one.equal:.2f} % equal" if one.is_integer else decibels(one.snr)


def decibels(snr: float) -> str:
    """Return ``35.2 dB``, ``exact``, or ``no signal`` if the float model's output is all zeros."""
    return f"{snr:.1f} dB" if not math.isinf(snr) else "exact" if snr > 0 else "no signal"


def snr_without_mean(one: TensorAgreement) -> str:
    """Return the SNR without the mean, in dB, for a signal that is mostly its mean; "" for other tensors."""
    found = one.distortion
    return decibels(found.snr_without_dc) if found.mostly_dc and found.noise and not one.is_integer else ""
