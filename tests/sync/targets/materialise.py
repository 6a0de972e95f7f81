"""Puts rendered outputs on disk, into what is there, without a plan."""

from __future__ import annotations

from sightline.sync.formats import jsonc, marked_block, toml_tables
from sightline.sync.outputs import OwnedBlock, OwnedFile, OwnedKeys, Rendered


def materialise(rendered: Rendered) -> None:
    """Write every output, into what is there."""
    for output in rendered.outputs:
        output.path.parent.mkdir(parents=True, exist_ok=True)
        present = output.path.read_bytes() if output.path.exists() else b""
        match output:
            case OwnedFile():
                output.path.write_bytes(output.content)
                output.path.chmod(output.mode)
            case OwnedKeys(format="toml"):
                output.path.write_bytes(toml_tables.set_values(present, output.values).content)
            case OwnedKeys():
                output.path.write_bytes(jsonc.set_values(present, output.values).content)
            case OwnedBlock():
                output.path.write_bytes(marked_block.put_block(present, output.block_id, output.text))
