"""A runtime that starts a thread when it is loaded: its child cannot be forked."""

from __future__ import annotations

import threading

from tests.verification import misbehaving

threading.Thread(target=threading.Event().wait, daemon=True).start()


class Adapter(misbehaving.Adapter):
    """The misbehaving adapter in a process with a thread."""
