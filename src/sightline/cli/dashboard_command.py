"""`sightline dashboard`: opens the page of a service that runs, by a link that works once."""

from __future__ import annotations

import html
import json
import re
import secrets
from pathlib import Path

import click

from sightline.cli.project_options import project_option, project_root
from sightline.errors import SettingsError
from sightline.places import standard_places
from sightline.server.dashboard.run_file import (
    LINKS_PATH,
    RunningService,
    run_folder,
    running_services,
    write_private,
)

_TIMEOUT_S = 5.0
_START_ONE = "start one with `sightline serve --http`"
_TOKEN = re.compile(r"[A-Za-z0-9_-]{20,100}")


@click.command("dashboard", help="Open the dashboard of the running HTTP service in the browser.")
@click.option("--print", "is_printed", is_flag=True, help="Print the link and open nothing.")
@click.option("--port", type=click.IntRange(1, 65535), help="The service on this port, where several run.")
@project_option
def command(is_printed: bool, port: int | None, project: str | None) -> None:
    data = standard_places().data
    service = _chosen(running_services(data), port, str(project_root(project)), is_named=project is not None)
    link = f"{service.url}/#link={_new_token(service)}"
    if is_printed:
        click.echo(link)
    else:
        _open(link, run_folder(data), service.url)


def _chosen(running: list[RunningService], port: int | None, root: str, *, is_named: bool) -> RunningService:
    """The service that is meant: by port, by project, or because it is the only one."""
    fitting = [each for each in running if port is None or each.url.endswith(f":{port}")]
    of_project = [each for each in fitting if each.root == root]
    fitting = of_project if of_project or is_named else fitting
    if not fitting:
        known = "; ".join(f"{each.url} for {each.root}" for each in running)
        if known:
            raise SettingsError(f"no HTTP service fits; running: {known}", "name one of these with --port or --project")
        raise SettingsError("no HTTP service of yours is running", _START_ONE)
    if len(fitting) > 1:
        known = "; ".join(f"{each.url} for {each.root}" for each in fitting)
        raise SettingsError(f"several services are running: {known}", "choose one with --port")
    return fitting[0]


def _new_token(service: RunningService) -> str:
    """Ask the service for a link. Proxies are for other machines: the secret goes to this one alone."""
    import httpx2

    try:
        with httpx2.Client(trust_env=False, timeout=_TIMEOUT_S) as client:
            answer = client.post(service.url + LINKS_PATH, headers={"authorization": f"Bearer {service.secret}"})
        token = json.loads(answer.text).get("link", "") if answer.status_code == 200 else ""
    except (httpx2.HTTPError, ValueError):
        token = ""
    if not _TOKEN.fullmatch(token):
        raise SettingsError(f"the service at {service.url} (process {service.pid}) does not answer", _START_ONE)
    return token


def _open(link: str, folder: Path, url: str) -> None:
    """By a file that only its owner can read: the arguments of a program can be read by every user."""
    import webbrowser

    for old in folder.glob("open-*.html"):
        old.unlink(missing_ok=True)
    path = folder / f"open-{secrets.token_hex(4)}.html"
    write_private(path, f'<!doctype html><meta http-equiv="refresh" content="0;url={html.escape(link)}">\n')
    if not webbrowser.open(path.as_uri()):
        path.unlink(missing_ok=True)
        raise SettingsError("no browser could be opened", "`sightline dashboard --print` prints the link")
    click.echo(f"opened {url} in the browser")
