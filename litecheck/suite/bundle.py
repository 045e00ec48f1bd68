"""Bundle of a certificate: a deterministic zip archive with every file that a check needs, except the suite's cases.

The cases follow from the settings in the suite's manifest, and a check makes them again.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from pathlib import Path
from zipfile import ZIP_DEFLATED, ZipFile, ZipInfo

from litecheck.errors import ConfigError
from litecheck.files import atomic_write, is_relative, read_file
from litecheck.profile.load import load_profile, profile_names
from litecheck.profile.types import Profile
from litecheck.suite.certificate import Certificate
from litecheck.suite.claims_file import load_claims
from litecheck.suite.manifest import MANIFEST, RESULTS, Suite
from litecheck.suite.results import SuiteResults
from litecheck.suite.signature import SUFFIX

CERTIFICATE, PAGE = "certificate.json", "certificate.html"
SUITE_FOLDER, RESULTS_FOLDER = "suite", "results"


def write_bundle(
    path: str | Path,
    certificate: str | Path,
    made: Certificate,
    page: str,
    suite: Suite,
    results: SuiteResults,
    claims: str | Path,
    waivers: Sequence[str | Path] = (),
) -> None:
    """Write the bundle of the certificate ``made`` with the file ``certificate``; the same files give the same bytes.

    ``page`` is the certificate as HTML. Raise ConfigError for a file of the claims that is outside their folder, and if
    the archive cannot be written.
    """
    contents: dict[str, bytes] = {CERTIFICATE: read_file(certificate), PAGE: page.encode()}
    if os.path.exists(f"{certificate}{SUFFIX}"):
        contents[CERTIFICATE + SUFFIX] = read_file(f"{certificate}{SUFFIX}")
    contents[f"{SUITE_FOLDER}/{MANIFEST}"] = read_file(suite.folder / MANIFEST)
    if results.sha256:
        contents[f"{RESULTS_FOLDER}/{RESULTS}"] = read_file(results.folder / RESULTS)
    for output in made.outputs:
        contents[f"{RESULTS_FOLDER}/{output.file}"] = read_file(results.folder / output.file)
    for name, file in claim_files(made, Path(claims), waivers):
        contents[name] = read_file(file)
    atomic_write(path, [_archive(contents)])


def claim_files(made: Certificate, claims: Path, waivers: Sequence[str | Path]) -> Iterator[tuple[str, Path]]:
    """Yield the files of claims, waivers, arithmetics and profiles, with their names relative to the claims."""
    yield made.claims.file, claims
    yield from zip((one.file for one in made.waiver_files), map(Path, waivers), strict=True)
    own = (one.file for one in made.arithmetics if not one.file.startswith("rules/"))
    files = [
        *((name, claims.parent / name) for name in own),
        *(
            (_relative_to_claims(file, claims), file)
            for p in load_claims(claims).profiles.values()
            for file in _own_profile_files(p)
        ),
    ]
    for name, file in files:
        if not is_relative(name):
            raise ConfigError(
                f"{file}: lies outside the folder of the claims: a bundle takes files beside them"
            )
        yield name, file


def _relative_to_claims(file: Path, claims: Path) -> str:
    return Path(os.path.relpath(file, claims.parent)).as_posix()


def _own_profile_files(profile: Profile) -> Iterator[Path]:
    """Yield the files of a profile that is not part of litecheck, and of those it extends."""
    if profile.name in profile_names():
        return
    yield Path(profile.file)
    if profile.extends and profile.extends.endswith((".yaml", ".yml")):
        yield from _own_profile_files(
            load_profile(Path(profile.file).parent / profile.extends, quoting=False)
        )


def _archive(contents: dict[str, bytes]) -> memoryview:
    """Return a zip archive with the files in the order of their names, without times and rights."""
    from io import BytesIO

    file = BytesIO()
    with ZipFile(file, "w") as archive:
        for name, content in sorted(contents.items()):
            member = ZipInfo(name)
            member.compress_type = ZIP_DEFLATED
            member.external_attr = 0o644 << 16
            archive.writestr(member, content)
    return file.getbuffer()
