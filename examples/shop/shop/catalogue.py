"""What the shop sells."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Item:
    """Something with a name and a price in cents."""

    name: str
    cents: int


class Catalogue:
    """Items by name."""

    def __init__(self) -> None:
        self._items: dict[str, Item] = {}

    def add(self, item: Item) -> None:
        self._items[item.name] = item

    def find(self, name: str) -> Item | None:
        return self._items.get(name)
