"""What a customer wants to buy. It has two mistakes that a type checker finds."""

from shop.catalogue import Catalogue, Item


class Basket:
    """Items and how many of each."""

    def __init__(self, catalogue: Catalogue) -> None:
        self._catalogue = catalogue
        self._counts: dict[Item, int] = {}

    def put(self, name: str, count: int = 1) -> None:
        item = self._catalogue.find(name)
        self._counts[item] = self._counts.get(item, 0) + count

    def total_cents(self) -> int:
        return sum(item.cents * count for item, count in self._counts.items())

    def receipt(self) -> str:
        return "Total: " + self.total_cents()
