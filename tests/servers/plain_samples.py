"""The bakery in languages without types: scripts, and files that hold data or pages."""

from __future__ import annotations

from tests.servers.sample import Change, Sample

_SCHEMA = (
    '{\n  "type": "object",\n  "properties": {\n    "$schema": {"type": "string"},\n'
    '    "loaf": {"type": "string", "description": "What is baked."},\n    "grams": {"type": "integer"}\n  }\n}\n'
)
_SCHEMA_LINE = "# yaml-language-server: $schema=./bread.schema.json\n"

SHELL = Sample(
    files={
        "prices.sh": "#!/usr/bin/env bash\n\n# By weight.\nloaf_price() {\n  echo $(($1 * 2))\n}\n",
        "orders.sh": '#!/usr/bin/env bash\nsource ./prices.sh\n\norder_price() {\n  loaf_price "$1"\n}\n',
        "bills.sh": "#!/usr/bin/env bash\nsource ./orders.sh\nsource ./prices.sh\n\norder_price 2\nloaf_price 250\n",
        "broken.sh": "#!/usr/bin/env bash\nsource ./prices.sh\n\nif loaf_price 100; then\n",
    },
    function="loaf_price",
    home="prices.sh",
    user="orders.sh",
    hover="loaf_price",
    broken=("broken.sh", "if loaf_price"),
    wrong=Change("orders.sh", 'loaf_price "$1"', 'loaf_price "$1'),
    newcomer=("gifts.sh", "#!/usr/bin/env bash\nsource ./prices.sh\n\nloaf_price 900\n"),
    outline=("prices.sh", "loaf_price"),
)

YAML = Sample(
    files={
        "bread.schema.json": _SCHEMA,
        "rye.yaml": _SCHEMA_LINE + "loaf: rye\ngrams: 750\nnote: &sour sour\nagain: *sour\n",
        "broken.yaml": _SCHEMA_LINE + "loaf: wheat\ngrams: heavy\n",
    },
    user="rye.yaml",
    broken=("broken.yaml", "grams: heavy"),
    wrong=Change("rye.yaml", "grams: 750", "grams: light"),
    breaking=Change("bread.schema.json", '"grams": {"type": "integer"}', '"grams": {"type": "string"}'),
    broken_by=("rye.yaml",),
    outline=("rye.yaml", "grams"),
    renamed=Change("rye.yaml", "sour", "sourdough"),
)

JSON = Sample(
    files={
        "bread.schema.json": _SCHEMA,
        "rye.json": '{\n  "$schema": "./bread.schema.json",\n  "loaf": "rye",\n  "grams": 750\n}\n',
        "broken.json": '{\n  "$schema": "./bread.schema.json",\n  "grams": "heavy"\n}\n',
    },
    user="rye.json",
    broken=("broken.json", '"grams": "heavy"'),
    wrong=Change("rye.json", '"grams": 750', '"grams": "light"'),
    breaking=Change("bread.schema.json", '"grams": {"type": "integer"}', '"grams": {"type": "string"}'),
    broken_by=("rye.json",),
    outline=("rye.json", "grams"),
)

CSS = Sample(
    files={
        "loaf.css": ":root {\n  --crust: brown;\n}\n\n.loaf {\n  color: var(--crust);\n}\n",
        "broken.css": ".loaf {\n  color: brown\n  width: 3px;\n}\n",
    },
    user="loaf.css",
    broken=("broken.css", "width: 3px"),
    wrong=Change("loaf.css", "color: var(--crust);", "color: var(--crust"),
    outline=("loaf.css", ".loaf"),
)

HTML = Sample(
    files={
        "loaf.html": "<html>\n<body>\n<script>\nlet crust = 1;\ncrust = crust + 1;\n</script>\n</body>\n</html>\n",
        "broken.html": "<html>\n<body>\n<style>\n.loaf { color: ; }\n</style>\n</body>\n</html>\n",
    },
    user="loaf.html",
    broken=("broken.html", "color: ;"),
    wrong=Change("loaf.html", "let crust = 1;", "let crust = ;"),
    outline=("loaf.html", "body"),
)
