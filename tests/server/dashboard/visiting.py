"""A visitor without a browser: enters by a link, then sends cookie and token as the page does."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import httpx2

from sightline.server.dashboard.run_file import LINKS_PATH, RunningService, running_services
from tests.support.http_service import HttpServer


def service_of(home: Path, server: HttpServer) -> RunningService:
    """What the running service told its owner."""
    found = running_services(home / ".local" / "share" / "sightline")
    return next(each for each in found if each.url == server.url)


def new_token(home: Path, server: HttpServer) -> str:
    secret = service_of(home, server).secret
    answer = server.client.post(server.url + LINKS_PATH, headers={"authorization": f"Bearer {secret}"})
    assert answer.status_code == 200, answer.text
    return json.loads(answer.text)["link"]


def enter(server: HttpServer, link: str, **headers: str) -> httpx2.Response:
    return post(server, "/dashboard/visit", {"link": link}, headers)


def post(server: HttpServer, path: str, data: Any, headers: Mapping[str, str]) -> httpx2.Response:
    given = {"content-type": "application/json", "origin": server.url, **_dashed(headers)}
    return httpx2.post(server.url + path, content=json.dumps(data).encode(), headers=given)


@dataclass(frozen=True, slots=True)
class Visitor:
    """A visit: both halves of it, and the service."""

    server: HttpServer
    cookie: str = field(repr=False)
    token: str = field(repr=False)

    @property
    def proof(self) -> dict[str, str]:
        return {"cookie": self.cookie, "x-sightline-token": self.token}

    def get(self, path: str, **headers: str) -> httpx2.Response:
        return httpx2.get(self.server.url + path, headers={**self.proof, **_dashed(headers)})

    def post(self, path: str, data: Any, **headers: str) -> httpx2.Response:
        return post(self.server, path, data, {**self.proof, **_dashed(headers)})


def visitor_at(home: Path, server: HttpServer) -> Visitor:
    answer = enter(server, new_token(home, server))
    assert answer.status_code == 200, answer.text
    cookie = answer.headers["set-cookie"].partition(";")[0]
    return Visitor(server, cookie, json.loads(answer.text)["token"])


def _dashed(headers: Mapping[str, str]) -> dict[str, str]:
    return {name.replace("_", "-"): value for name, value in headers.items()}
