"""Which published library is asked to do what with a history: one row a question.

`beyond` names what a library's target API demands and the format the history is in does not,
so that `repair` for this format cannot know it; each is explained in `docs/oracles.md`.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Way:
    """One question: the format it takes, the driver and what that is asked, in words for people."""

    format: str
    driver: str
    asks: str
    package: str
    does: str
    beyond: tuple[str, ...] = ()
    pins: str = "libraries.txt"

    @property
    def name(self) -> str:
        return f"{self.format}: {self.driver} {self.asks}"


def _rows(
    format: str,
    driver: str,
    rows: list[tuple[str, str, str, tuple[str, ...]]],
    pins: str = "libraries.txt",
) -> list[Way]:
    return [Way(format, driver, *row, pins=pins) for row in rows]


# Reused ids over turns are sound in the format, Anthropic refuses them; a window that starts
# with an assistant is sound, Bedrock refuses it; so is an empty result.
ANTHROPIC = ("duplicate-id",)
BEDROCK = ("turn-order", "empty-text", "duplicate-id")

WAYS: list[Way] = [
    *_rows(
        "openai-chat",
        "litellm",
        [
            ("openai", "litellm", "`completion`, OpenAI", ()),
            ("anthropic", "litellm", "`completion`, Anthropic", ANTHROPIC),
            ("gemini", "litellm", "`completion`, Gemini", ()),
            ("bedrock", "litellm", "`completion`, Bedrock", BEDROCK),
        ],
    ),
    *_rows(
        "anthropic",
        "litellm",
        [
            ("from-anthropic-anthropic", "litellm", "`messages`, Anthropic", ()),
            ("from-anthropic-openai", "litellm", "`messages`, OpenAI Responses", ()),
            ("from-anthropic-gemini", "litellm", "`messages`, Gemini", ()),
            ("from-anthropic-bedrock", "litellm", "`messages`, Bedrock", BEDROCK),
        ],
    ),
    *_rows(
        "openai-responses",
        "openai_agents",
        [
            ("sqlite", "openai-agents", "`Runner` on `SQLiteSession`", ()),
            ("sqlalchemy", "openai-agents", "`Runner` on `SQLAlchemySession`", ()),
            ("chat", "openai-agents", "`Runner`, Chat Completions", ()),
            ("model", "openai-agents", "`OpenAIResponsesModel` alone", ()),
            ("chat-model", "openai-agents", "`OpenAIChatCompletionsModel` alone", ()),
        ],
    ),
    *_rows(
        "langchain",
        "langchain",
        [
            ("agent", "langgraph-prebuilt", "`create_react_agent`", ()),
            ("openai", "langchain-openai", "`ChatOpenAI`", ()),
            ("openai-responses", "langchain-openai", "`ChatOpenAI`, Responses", ()),
            ("anthropic", "langchain-anthropic", "`ChatAnthropic`", ANTHROPIC),
            ("google", "langchain-google-genai", "`ChatGoogleGenerativeAI`", ()),
            ("aws", "langchain-aws", "`ChatBedrockConverse`", BEDROCK),
        ],
    ),
    *_rows(
        "pydantic-ai",
        "pydantic_ai",
        [
            ("agent", "pydantic-ai-slim", "`Agent` on `FunctionModel`", ()),
            ("openai", "pydantic-ai-slim", "`OpenAIChatModel`", ()),
            ("openai-responses", "pydantic-ai-slim", "`OpenAIResponsesModel`", ()),
            ("anthropic", "pydantic-ai-slim", "`AnthropicModel`", ANTHROPIC),
            ("google", "pydantic-ai-slim", "`GoogleModel`", ()),
            ("bedrock", "pydantic-ai-slim", "`BedrockConverseModel`", BEDROCK),
        ],
    ),
    *_rows(
        "gemini",
        "adk",
        [
            ("contents", "google-adk", "`Runner` on `DatabaseSessionService`", ()),
            ("client", "google-genai", "`Client`", ()),
        ],
    ),
    *_rows("adk", "adk", [("events", "google-adk", "`Runner` on `DatabaseSessionService`", ())]),
    *_rows(
        "bedrock",
        "strands",
        [
            ("agent", "strands-agents", "`Agent` on `BedrockModel`", ()),
            ("session", "strands-agents", "`Agent` on `FileSessionManager`", ()),
            ("openai", "strands-agents", "`OpenAIModel`", ()),
            ("anthropic", "strands-agents", "`AnthropicModel`", ANTHROPIC),
            ("client", "boto3", "`converse`", ()),
        ],
    ),
    *_rows(
        "llamaindex",
        "llama_index",
        [
            ("openai", "llama-index-llms-openai", "`OpenAI`", ()),
            ("openai-responses", "llama-index-llms-openai", "`OpenAIResponses`", ()),
            ("anthropic", "llama-index-llms-anthropic", "`Anthropic`", ANTHROPIC),
        ],
        "llama_index.txt",
    ),
]
