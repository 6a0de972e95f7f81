"""The four wire formats in which agent CLIs talk to a model, each as a script of tool calls and what came back."""

from tests.clients.dialects.anthropic_messages import AnthropicMessages
from tests.clients.dialects.chat_completions import ChatCompletions
from tests.clients.dialects.generate_content import GenerateContent
from tests.clients.dialects.openai_responses import CodeModeResponses, OpenAiResponses

__all__ = ["AnthropicMessages", "ChatCompletions", "CodeModeResponses", "GenerateContent", "OpenAiResponses"]
