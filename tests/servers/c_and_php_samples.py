"""The bakery in C++, whose server needs a list of compile commands, and in PHP."""

from __future__ import annotations

import json

from tests.servers.sample import Change, Sample

_SOURCES = ("prices.cpp", "orders.cpp", "bills.cpp", "broken.cpp")
_COMMANDS = [{"directory": "{root}", "file": name, "command": f"c++ -std=c++17 -c {name}"} for name in _SOURCES]

CPP = Sample(
    files={
        "compile_commands.json": json.dumps(_COMMANDS),
        "prices.h": "#pragma once\n\n// By weight.\nint loaf_price(int grams);\n",
        "prices.cpp": '#include "prices.h"\n\nint loaf_price(int grams) {\n  return grams * 2;\n}\n',
        "orders.h": "#pragma once\n\nint order_price(int count);\n",
        "orders.cpp": (
            '#include "orders.h"\n#include "prices.h"\n\n'
            "int order_price(int count) {\n  return count * loaf_price(500);\n}\n"
        ),
        "bills.cpp": (
            '#include "orders.h"\n#include "prices.h"\n\n'
            "int bill(int count) {\n  return order_price(count) + loaf_price(250);\n}\n"
        ),
        "ovens.h": (
            "#pragma once\n\nclass Oven {\npublic:\n  virtual ~Oven() = default;\n"
            "  virtual int heat(int degrees) = 0;\n};\n\n"
            "class StoneOven : public Oven {\npublic:\n  int heat(int degrees) override { return degrees + 10; }\n};\n"
        ),
        "broken.cpp": '#include "prices.h"\n\nconst char *weight = loaf_price(100);\n',
    },
    function="loaf_price",
    home="prices.cpp",
    user="orders.cpp",
    hover="int grams",
    broken=("broken.cpp", "*weight"),
    wrong=Change("orders.cpp", "loaf_price(500)", 'loaf_price("heavy")'),
    breaking=Change("prices.h", "int grams", "const char *grams"),
    broken_by=("orders.cpp", "bills.cpp"),
    newcomer=("gifts.cpp", '#include "prices.h"\n\nint basket = loaf_price(900);\n'),
    interface=("ovens.h", "class Oven {", "class StoneOven"),
    outline=("ovens.h", "StoneOven"),
    callers=("order_price", "bill"),
)

PHP = Sample(
    files={
        "composer.json": '{"name": "sightline/bakery"}\n',
        "prices.php": (
            "<?php\n\n/** By weight. */\nfunction loaf_price(int $grams): int\n{\n    return $grams * 2;\n}\n"
        ),
        "orders.php": ("<?php\n\nfunction order_price(int $count): int\n{\n    return $count * loaf_price(500);\n}\n"),
        "bills.php": (
            "<?php\n\nfunction bill(int $count): string\n{\n"
            "    return order_price($count) . ' ' . loaf_price(250);\n}\n"
        ),
        "ovens.php": (
            "<?php\n\ninterface Oven\n{\n    public function heat(int $degrees): int;\n}\n\n"
            "class StoneOven implements Oven\n{\n"
            "    public function heat(int $degrees): int\n    {\n        return $degrees + 10;\n    }\n}\n"
        ),
        "broken.php": "<?php\n\n$weight = loaf_prise(100);\n",
    },
    function="loaf_price",
    home="prices.php",
    user="orders.php",
    hover="int $grams",
    broken=("broken.php", "loaf_prise"),
    wrong=Change("orders.php", "loaf_price(500)", "loaf_price(500) + bun_price(1)"),
    breaking=Change("prices.php", "function loaf_price", "function loaf_cost"),
    broken_by=("orders.php", "bills.php"),
    newcomer=("gifts.php", "<?php\n\n$basket = loaf_price(900);\n"),
    outline=("ovens.php", "StoneOven"),
)
