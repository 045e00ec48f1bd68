"""Packages that are called as the command of their name: ``litecheck.verify(model, device)``, with modules inside."""

from __future__ import annotations

import sys
from importlib import import_module
from types import ModuleType
from typing import Any


class CallablePackage(ModuleType):
    """A package that is a function, too. The package is bound to the name that the function would have, as soon as
    anything in it is imported; so it has to be both."""

    def __call__(self, *arguments: Any, **named: Any) -> Any:
        """The function, imported when it is first called."""
        home, name = self.__dict__["_FUNCTION"]
        return getattr(import_module(home), name)(*arguments, **named)


def callable_as(package: str, home: str, name: str) -> None:
    """Makes a package callable: it passes on to the function of that name in the module ``home``."""
    module = sys.modules[package]
    module.__dict__["_FUNCTION"] = (home, name)
    module.__class__ = CallablePackage
