"""A wire to a service that can be cut and mended: a forwarder on loopback."""

from __future__ import annotations

import contextlib
import socket
import threading


class CutWire:
    """Forwards connections while it is whole; cutting ends them all."""

    def __init__(self, address: tuple[str, int]) -> None:
        self._address = address
        self._listening = socket.create_server(("127.0.0.1", 0))
        self._is_whole = True
        self._open: list[socket.socket] = []
        self._threads = [threading.Thread(target=self._accept)]
        self._threads[0].start()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self._listening.getsockname()[1]}"

    def cut(self) -> None:
        self._is_whole = False
        for each in self._open:
            with contextlib.suppress(OSError):
                each.shutdown(socket.SHUT_RDWR)

    def mend(self) -> None:
        self._is_whole = True

    def __enter__(self) -> CutWire:
        return self

    def __exit__(self, *_: object) -> None:
        self._listening.shutdown(socket.SHUT_RDWR)
        self.cut()
        for thread in self._threads:
            thread.join(timeout=5)
        for each in (*self._open, self._listening):
            each.close()

    def _accept(self) -> None:
        while True:
            try:
                near, _ = self._listening.accept()
            except OSError:
                return
            if not self._is_whole:
                near.close()
                continue
            far = socket.create_connection(self._address)
            self._open += [near, far]
            for pair in ((near, far), (far, near)):
                thread = threading.Thread(target=_forward, args=pair)
                self._threads.append(thread)
                thread.start()


def _forward(source: socket.socket, sink: socket.socket) -> None:
    with contextlib.suppress(OSError):
        while data := source.recv(65_536):
            sink.sendall(data)
    with contextlib.suppress(OSError):
        sink.shutdown(socket.SHUT_WR)
