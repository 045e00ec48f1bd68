"""Callable packages. Example: ``litecheck.verify(model, device)`` is a call, ``litecheck.verify.campaign`` a module."""

from __future__ import annotations

import sys
from importlib import import_module
from types import ModuleType
from typing import Any


class CallablePackage(ModuleType):
    """A package that is also a function.

    Importing any module of the package binds the package to the name of the function, so the package must be callable.
    """

    def __call__(self, *arguments: Any, **named: Any) -> Any:
        """Import the function on the first call and call it."""
        home, name = self.__dict__["_FUNCTION"]
        return getattr(import_module(home), name)(*arguments, **named)


def callable_as(package: str, home: str, name: str) -> None:
    """Make a package callable: a call is forwarded to the function ``name`` of the module ``home``."""
    module = sys.modules[package]
    module.__dict__["_FUNCTION"] = (home, name)
    module.__class__ = CallablePackage
