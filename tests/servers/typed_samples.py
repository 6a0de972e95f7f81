"""A bakery in the languages that have types: prices, orders that use them, bills that use both, ovens."""

from __future__ import annotations

from tests.servers.sample import Change, Sample

PYTHON = Sample(
    files={
        "pyproject.toml": '[project]\nname = "bakery"\nversion = "1.0"\n\n'
        '[tool.basedpyright]\ntypeCheckingMode = "standard"\n',
        "prices.py": 'def loaf_price(grams: int) -> int:\n    """By weight."""\n    return grams * 2\n',
        "orders.py": (
            "from prices import loaf_price\n\n\n"
            "def order_price(count: int) -> int:\n    return count * loaf_price(500)\n"
        ),
        "bills.py": (
            "from orders import order_price\nfrom prices import loaf_price\n\n\n"
            'def bill(count: int) -> str:\n    return f"{order_price(count)} {loaf_price(250)}"\n'
        ),
        "ovens.py": (
            "from abc import ABC, abstractmethod\n\n\n"
            "class Oven(ABC):\n    @abstractmethod\n    def heat(self, degrees: int) -> int: ...\n\n\n"
            "class StoneOven(Oven):\n    def heat(self, degrees: int) -> int:\n        return degrees + 10\n"
        ),
        "broken.py": "from prices import loaf_price\n\nweight: str = loaf_price(100)\n",
    },
    function="loaf_price",
    home="prices.py",
    user="orders.py",
    hover="grams: int",
    broken=("broken.py", "weight: str"),
    wrong=Change("orders.py", "loaf_price(500)", 'loaf_price("heavy")'),
    breaking=Change("prices.py", "grams: int", "grams: str"),
    broken_by=("prices.py", "orders.py"),
    newcomer=("gifts.py", "from prices import loaf_price\n\nbasket = loaf_price(900)\n"),
    interface=("ovens.py", "class Oven(ABC)", "class StoneOven"),
    outline=("ovens.py", "StoneOven"),
    callers=("order_price", "bill"),
)

TYPESCRIPT = Sample(
    files={
        "tsconfig.json": '{"compilerOptions": {"strict": true, "module": "nodenext", "noEmit": true}}\n',
        "package.json": '{"name": "bakery", "private": true}\n',
        "prices.ts": "/** By weight. */\nexport function loafPrice(grams: number): number {\n  return grams * 2;\n}\n",
        "orders.ts": (
            'import { loafPrice } from "./prices.js";\n\n'
            "export function orderPrice(count: number): number {\n  return count * loafPrice(500);\n}\n"
        ),
        "shelf.ts": 'export * from "./prices.js";\n',
        "bills.ts": (
            'import { orderPrice } from "./orders.js";\nimport { loafPrice } from "./shelf.js";\n\n'
            "export function bill(count: number): string {\n"
            "  return `${orderPrice(count)} ${loafPrice(250)}`;\n}\n"
        ),
        "ovens.ts": (
            "export interface Oven {\n  heat(degrees: number): number;\n}\n\n"
            "export class StoneOven implements Oven {\n"
            "  heat(degrees: number): number {\n    return degrees + 10;\n  }\n}\n"
        ),
        "broken.ts": 'import { loafPrice } from "./prices.js";\n\nexport const weight: string = loafPrice(100);\n',
    },
    function="loafPrice",
    home="prices.ts",
    user="orders.ts",
    hover="grams: number",
    broken=("broken.ts", "weight: string"),
    wrong=Change("orders.ts", "loafPrice(500)", 'loafPrice("heavy")'),
    breaking=Change("prices.ts", "grams: number", "grams: string"),
    broken_by=("prices.ts", "orders.ts", "bills.ts"),
    newcomer=("gifts.ts", 'import { loafPrice } from "./prices.js";\n\nexport const basket = loafPrice(900);\n'),
    interface=("ovens.ts", "interface Oven", "class StoneOven"),
    outline=("ovens.ts", "StoneOven"),
    callers=("orderPrice", "bill"),
)

GO = Sample(
    files={
        "go.mod": "module bakery.test\n\ngo 1.21\n",
        "prices/prices.go": (
            "package prices\n\n// By weight.\nfunc LoafPrice(grams int) int {\n\treturn grams * 2\n}\n"
        ),
        "prices/large.go": "package prices\n\n// Large is for two.\nfunc Large() int {\n\treturn LoafPrice(1000)\n}\n",
        "orders/orders.go": (
            'package orders\n\nimport (\n\t"bakery.test/prices"\n)\n\n'
            "func OrderPrice(count int) int {\n\treturn count * prices.LoafPrice(500)\n}\n"
        ),
        "main.go": (
            'package main\n\nimport (\n\t"fmt"\n\n\t"bakery.test/orders"\n\t"bakery.test/prices"\n)\n\n'
            "func main() {\n\tfmt.Println(orders.OrderPrice(2), prices.LoafPrice(250))\n}\n"
        ),
        "ovens/ovens.go": (
            "package ovens\n\ntype Oven interface {\n\tHeat(degrees int) int\n}\n\n"
            "type StoneOven struct{}\n\nfunc (StoneOven) Heat(degrees int) int {\n\treturn degrees + 10\n}\n"
        ),
        "broken/broken.go": (
            'package broken\n\nimport "bakery.test/prices"\n\nvar Weight string = prices.LoafPrice(100)\n'
        ),
    },
    function="LoafPrice",
    home="prices/prices.go",
    user="orders/orders.go",
    hover="grams int",
    broken=("broken/broken.go", "Weight string"),
    wrong=Change("orders/orders.go", "LoafPrice(500)", 'LoafPrice("heavy")'),
    breaking=Change("prices/prices.go", "grams int", "grams string"),
    broken_by=("prices/prices.go", "prices/large.go", "orders/orders.go"),
    newcomer=(
        "gifts/gifts.go",
        'package gifts\n\nimport "bakery.test/prices"\n\nvar Basket = prices.LoafPrice(900)\n',
    ),
    interface=("ovens/ovens.go", "type Oven interface", "type StoneOven"),
    outline=("ovens/ovens.go", "StoneOven"),
    callers=("OrderPrice", "Large", "main"),
)

RUST = Sample(
    files={
        "Cargo.toml": '[package]\nname = "bakery"\nversion = "1.0.0"\nedition = "2021"\n',
        "src/prices.rs": "/// By weight.\npub fn loaf_price(grams: i32) -> i32 {\n    grams * 2\n}\n",
        "src/orders.rs": (
            "use crate::prices::loaf_price;\n\n"
            "pub fn order_price(count: i32) -> i32 {\n    count * loaf_price(500)\n}\n"
        ),
        "src/ovens.rs": (
            "pub trait Oven {\n    fn heat(&self, degrees: i32) -> i32;\n}\n\npub struct StoneOven;\n\n"
            "impl Oven for StoneOven {\n    fn heat(&self, degrees: i32) -> i32 {\n        degrees + 10\n    }\n}\n"
        ),
        "src/broken.rs": "pub fn weight() -> String {\n    crate::prices::loaf_price(100)\n}\n",
        "src/main.rs": (
            "mod broken;\nmod orders;\nmod ovens;\nmod prices;\n\nfn main() {\n"
            '    println!("{} {}", orders::order_price(2), prices::loaf_price(250));\n}\n'
        ),
    },
    function="loaf_price",
    home="src/prices.rs",
    user="src/orders.rs",
    hover="grams: i32",
    broken=("src/broken.rs", "loaf_price(100)"),
    wrong=Change("src/orders.rs", "loaf_price(500)", 'loaf_price("heavy")'),
    breaking=Change("src/prices.rs", "grams: i32", "grams: &str"),
    broken_by=("src/orders.rs",),
    interface=("src/ovens.rs", "trait Oven", "impl Oven for StoneOven"),
    outline=("src/ovens.rs", "StoneOven"),
    callers=("order_price", "main"),
    user_settings="[code]\nrun_project_code = true\n",
)
