"""Models of ``litecheck validate``: checked one after another, or in several processes."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import cache, partial
from itertools import repeat

from litecheck.checks.validate import unreadable, validate_file
from litecheck.cli import complete
from litecheck.cli.config import Options
from litecheck.cli.console import OutputOptions
from litecheck.cli.progress import progress
from litecheck.errors import ModelError
from litecheck.report import ModelReport, Report
from litecheck.version import __version__

Reports = tuple[ModelReport, ...]


def check_models(
    found: Sequence[str | ModelError], options: Options, manner: OutputOptions, survey: bool, jobs: int = 1
) -> Report:
    """Check the models. With ``jobs`` above 1, that many processes each check one file at a time.

    The report is the same for every number of processes. ``survey`` adds the statistics of tensors that an HTML page shows.
    """
    from litecheck.checks.policy import as_level

    origin = options.origin("fail-on")
    fail_on = as_level(options.fail_on or "violation", f"fail-on{origin}" if origin else "--fail-on")
    judged: dict[str, Reports] = {
        one.file: (unreadable(one, one.file),) for one in found if isinstance(one, ModelError)
    }
    names = [one.file if isinstance(one, ModelError) else one for one in found]
    files = [name for name in dict.fromkeys(names) if name not in judged]
    settings = (tuple(options.profile), bool(options.compile), survey)
    with (
        _check_files(files, settings, min(jobs, len(files))) as reports,
        progress(files, manner) as one_by_one,
    ):
        judged |= {file: next(reports) for file in one_by_one}
    models = tuple(model for name in names for model in judged[name])
    return Report(
        __version__, models, fail_on, bool(options.require_coverage), (), bool(options.fail_on_fallback),
        options.max_partitions, options.configuration, bool(options.require_integer_io), bool(options.allow_float),
    )  # fmt: skip


@contextmanager
def _check_files(
    files: Sequence[str], settings: tuple[tuple[str, ...], bool, bool], jobs: int
) -> Iterator[Iterator[Reports]]:
    """Yield the reports of the files, in their order."""
    check = _checker(*settings)  # a wrong profile fails here, before a process starts
    if jobs <= 1:
        yield map(check, files)
        return
    from litecheck.processes.worker_pool import ProcessPool

    with ProcessPool(jobs) as pool:
        yield pool.map(_check_file, files, repeat(settings))


def _check_file(file: str, settings: tuple[tuple[str, ...], bool, bool]) -> Reports:
    return _checker(*settings)(file)


@cache
def _checker(profile_names: tuple[str, ...], compiled: bool, survey: bool) -> Callable[[str], Reports]:
    """Return the check of a file. A process loads its profiles and compilers once."""
    profiles = complete.selected_profiles(profile_names) if profile_names else None
    beside = None
    if compiled:
        from litecheck.checks.compilation import compilers_of, with_compiler_reports

        beside = partial(with_compiler_reports, compilers_of(profiles or ()))
    return partial(validate_file, profiles=profiles, survey=survey, beside=beside)
