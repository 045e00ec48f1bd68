"""``litecheck certify``: a certificate of a device's results of a suite, which can be checked again."""

from __future__ import annotations

from collections.abc import Callable
from itertools import count
from typing import TYPE_CHECKING, Annotated, NamedTuple

import typer

from litecheck.cli import suite_options as options
from litecheck.cli.console import NoColor, OutputOptions, Quiet, check_output, handle_errors, log
from litecheck.cli.outputs import Output, format_option, parse_outputs, write
from litecheck.cli.panels import CHECK, OUTPUT, option
from litecheck.cli.progress import samples_done
from litecheck.errors import ConfigError

if TYPE_CHECKING:
    from litecheck.suite.certificate_verification import CertificateCheck


@handle_errors
def certify(
    suite: options.JudgedFolder = None,
    results: options.JudgedResults = None,
    claims: options.ClaimsFile = None,
    waivers: options.WaiverFiles = None,
    date: options.Day = None,
    output: Annotated[
        str | None,
        option("--output -o FILE", OUTPUT, "Write the certificate to this file."),
    ] = None,
    bundle: Annotated[
        str | None,
        option(
            "--bundle FILE.zip",
            OUTPUT,
            "Write certificate, claims, results and page also as one archive, which --check accepts.",
        ),
    ] = None,
    sign: Annotated[
        str | None,
        option("--sign KEY.pem", OUTPUT, "Sign the certificate with this ed25519 key: FILE.sig."),
    ] = None,
    check: Annotated[
        str | None,
        option(
            "--check FILE",
            CHECK,
            "Check this certificate, or this archive of --bundle, in place of a new certificate.",
        ),
    ] = None,
    public_key: Annotated[
        str | None,
        option("--public-key KEY.pem", CHECK, "Check the signature beside the certificate with this key."),
    ] = None,
    outputs: Annotated[list[str] | None, format_option("certify")] = None,
    quiet: Quiet = False,
    no_color: NoColor = False,
) -> None:
    """Certify the results of a suite, or check a certificate.

    A certificate contains the verdict, the counts of every operator, and the SHA-256 of every file behind them: suite,
    claims, rules, arithmetics, results and outputs. --check makes the suite anew from its settings, reads each of these
    files, derives every number again, and names each difference.

    \b
    [bold]Exit codes[/]
      0   the device conforms; with --check: the certificate is right
      1   the device does not conform; with --check: a difference
      2   nothing was judged or checked
      64  invalid command or option
      74  the disk is full

    \b
    [bold]Examples[/]
      litecheck certify suite results --claims claims.yaml -o certificate.json
      litecheck certify suite results --claims c.yaml -o c.json -f html:c.html
      litecheck certify suite results --claims c.yaml -o c.json --bundle c.zip
      litecheck certify suite results --check certificate.json
      litecheck certify --check c.zip
      litecheck certify suite results --check cert.json --public-key key.pub.pem
    """
    targets, manner = parse_outputs(outputs or (), "certify"), OutputOptions(quiet=quiet, no_color=no_color)
    if check is None:
        if claims is None or output is None:
            raise ConfigError(
                "no certificate: got neither --check FILE nor --claims FILE and -o FILE, expected one"
            )
        if public_key is not None:
            raise ConfigError("--public-key goes with --check")
        if output.lower().endswith(".zip"):
            raise ConfigError(
                f"-o {output}: a certificate is a JSON file; --bundle {output} writes an archive beside it"
            )
        order = _Order(*_folders(suite, results), claims, tuple(waivers or ()), date, output, sign, bundle)
        raise typer.Exit(_make_certificate(order, targets, manner))
    if any(option is not None for option in (date, output, sign, bundle)):
        raise ConfigError(
            "--check takes neither --date, --output, --bundle nor --sign: the certificate states its own date"
        )
    with samples_done(None, manner) as tell:
        numbers = count(1)
        found = _check_certificate(
            check,
            suite,
            results,
            claims or "",
            waivers or [],
            public_key,
            lambda opcode: tell(next(numbers), opcode),
        )
    write(found, targets, manner)
    raise typer.Exit(found.exit_code)


def _folders(suite: str | None, results: str | None) -> tuple[str, str]:
    if suite is None or results is None:
        raise ConfigError(
            "no suite and results: got fewer than two folders, expected SUITE and RESULTS. Only an archive of --bundle "
            "is checked alone"
        )
    return suite, results


class _Order(NamedTuple):
    """Files and settings of a new certificate."""

    suite: str
    results: str
    claims: str
    waivers: tuple[str, ...]
    date: str | None
    output: str
    key: str | None
    bundle: str | None


def _make_certificate(order: _Order, targets: tuple[Output, ...], manner: OutputOptions) -> int:
    """Write the certificate, its signature if a key is given, and its bundle; print it. Return the exit code."""
    from litecheck.cli.file_conflicts import check_conflicts
    from litecheck.dates import iso_date
    from litecheck.files import atomic_write
    from litecheck.rendering.formats import render
    from litecheck.suite.bundle import write_bundle
    from litecheck.suite.certificate import certify as certified
    from litecheck.suite.manifest import read_suite
    from litecheck.suite.results import read_results
    from litecheck.suite.signature import SUFFIX, private_key
    from litecheck.suite.signature import sign as sign_file

    check_output(order.output)
    if order.key:
        check_conflicts([("--sign", order.output + SUFFIX)], [], [order.key, order.claims, *order.waivers])
    signer = private_key(order.key) if order.key else None
    suite = read_suite(order.suite)
    results = read_results(order.results, suite)
    day = iso_date(order.date) if order.date else ""
    made = certified(suite, results, order.claims, order.waivers, day)
    atomic_write(order.output, made.text())
    write(made, targets, manner)
    log(f"wrote {order.output}", manner.quiet)
    if signer is not None:
        log(f"wrote {sign_file(order.output, signer)}", manner.quiet)
    if order.bundle:
        page = render(made, "html")
        write_bundle(order.bundle, order.output, made, page, suite, results, order.claims, order.waivers)
        log(f"wrote {order.bundle}", manner.quiet)
    return made.exit_code


def _check_certificate(
    certificate: str,
    suite: str | None,
    results: str | None,
    claims: str,
    waivers: list[str],
    key: str | None,
    progress: Callable[[str], None],
) -> CertificateCheck:
    """Return the differences from the certificate, with a wrong signature first if a key is given."""
    from litecheck.rendering.formats import render
    from litecheck.suite.bundle_files import is_bundle
    from litecheck.suite.bundle_verification import check_bundle
    from litecheck.suite.certificate_verification import check, with_signature
    from litecheck.suite.signature import has_valid_signature, public_key

    author = public_key(key) if key else None
    if is_bundle(certificate):
        if suite is not None or claims or waivers:
            raise ConfigError(
                f"{certificate}: a bundle has its own results, claims and waivers; give --check alone"
            )
        return check_bundle(
            certificate, author, progress=progress, render=lambda stated: render(stated, "html")
        )
    found = check(certificate, *_folders(suite, results), claims, waivers, progress=progress)
    return found if author is None else with_signature(found, has_valid_signature(certificate, author))
