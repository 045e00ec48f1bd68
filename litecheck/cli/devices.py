"""``litecheck devices``: the devices that ``--device`` can name."""

from __future__ import annotations

from litecheck.cli.console import NoColor, PlainFormat, console, handle_errors, write_stdout


@handle_errors
def devices(output: PlainFormat = "text", no_color: NoColor = False) -> None:
    """List the devices for --device of verify, diagnose and suite run.

    The list contains litecheck's own devices and those of installed packages.

    \b
    [bold]Examples[/]
      litecheck devices
      litecheck devices -f json
    """
    from litecheck.devices.listing import listed_devices
    from litecheck.rendering.listings import devices_json, print_devices

    if output == "json":
        write_stdout(devices_json(listed_devices()))
    else:
        print_devices(listed_devices(), console(no_color))
