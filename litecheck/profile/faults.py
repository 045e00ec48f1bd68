"""The kinds of faults of one requirement that may end differently: each has a name below the requirement's path.

``CONV_2D/weight/scale/zero`` is what a zero scale of the weights comes to, where ``levels``, ``effects`` or ``reasons``
say something else of it than of ``CONV_2D/weight/scale``.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

#: By verb, the names its check gives to faults.
FAULT_KINDS: Mapping[str, tuple[str, ...]] = MappingProxyType(
    {"scale": ("not_a_number", "infinite", "negative", "zero", "subnormal"), "granularity": ("absent",)}
)
