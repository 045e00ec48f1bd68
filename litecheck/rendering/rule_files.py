"""Rule files as text: template of a profile, schema of profiles, and numbered lines as findings cite them."""

from __future__ import annotations

import os
from pathlib import Path

from litecheck.data import rules_dir, schemas_dir
from litecheck.errors import ConfigError, ProfileError
from litecheck.files import read_file
from litecheck.profile.types import Profile
from litecheck.rendering.escape import visible

_SCHEMA = "profile.schema.json"


def template() -> str:
    """Return a commented, valid profile; it names its schema as a file in the same folder."""
    return _read(rules_dir() / "template.yaml").replace(f"../schemas/{_SCHEMA}", _SCHEMA)


def schema() -> str:
    """Return the JSON Schema of profiles, for editors."""
    return _read(schemas_dir() / _SCHEMA)


def number_lines(profile: Profile) -> str:
    """Return the file of a profile: its name as in findings, and each line after its number."""
    file = Path(profile.file)
    there = file if os.path.isfile(file) else rules_dir().parent / file
    there = there if os.path.isfile(there) else rules_dir() / file.relative_to("rules")
    lines = _read(there).splitlines()
    width = len(str(len(lines)))
    return "\n".join(
        [
            visible(profile.file),
            *(f"{n:>{width}}  {visible(line)}".rstrip() for n, line in enumerate(lines, 1)),
            "",
        ]
    )


def _read(file: Path) -> str:
    try:
        return read_file(file).decode()
    except (ConfigError, UnicodeDecodeError) as error:
        raise ProfileError(str(file), None, "the file changed while it was used") from error
