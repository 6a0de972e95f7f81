"""Every bench, in the order in which they run; a new one is one module and one line here."""

from __future__ import annotations

from collections.abc import Mapping

from bench.check import CHECK
from bench.command_line import COMMAND_LINE
from bench.http_load import HTTP_LOAD
from bench.large import LARGE
from bench.library_docs import LIBRARY_DOCS
from bench.measure import Bench
from bench.navigation import NAVIGATION
from bench.overhead import OVERHEAD
from bench.rival import RIVAL
from bench.start import START
from bench.sync import SYNC

BENCHES: Mapping[str, Bench] = {
    bench.name: bench
    for bench in (
        START,
        OVERHEAD,
        COMMAND_LINE,
        CHECK,
        NAVIGATION,
        LIBRARY_DOCS,
        LARGE,
        RIVAL,
        SYNC,
        HTTP_LOAD,
    )
}
