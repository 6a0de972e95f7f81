"""The code tools, in the order in which they are listed."""

from sightline.code.tools.check_edit import CHECK_EDIT
from sightline.code.tools.check_types import CHECK_TYPES
from sightline.code.tools.find_references import FIND_REFERENCES
from sightline.code.tools.find_symbol import FIND_SYMBOL
from sightline.code.tools.get_call_hierarchy import GET_CALL_HIERARCHY
from sightline.code.tools.get_completions import GET_COMPLETIONS
from sightline.code.tools.get_hover import GET_HOVER
from sightline.code.tools.get_outline import GET_OUTLINE
from sightline.code.tools.get_server_status import GET_SERVER_STATUS
from sightline.code.tools.get_signature import GET_SIGNATURE
from sightline.code.tools.go_to_definition import GO_TO_DEFINITION
from sightline.code.tools.list_servers import LIST_SERVERS
from sightline.code.tools.rename_symbol import RENAME_SYMBOL
from sightline.code.tools.restart_server import RESTART_SERVER
from sightline.tool import AnyTool

TOOLS: tuple[AnyTool, ...] = (
    CHECK_TYPES,
    CHECK_EDIT,
    GET_HOVER,
    GO_TO_DEFINITION,
    FIND_REFERENCES,
    FIND_SYMBOL,
    GET_CALL_HIERARCHY,
    GET_OUTLINE,
    GET_COMPLETIONS,
    GET_SIGNATURE,
    RENAME_SYMBOL,
    LIST_SERVERS,
    GET_SERVER_STATUS,
    RESTART_SERVER,
)
