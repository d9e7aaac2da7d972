"""Which published library is asked to do what with a history: one row a question.

`beyond` names what a library or its API demands and the format of the history does not, so that
`repair` for this format cannot know it; a text of `unlike` is found in histories that another of the
library's models wrote, which this one misreads. `docs/oracles.md` explains both.
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
    unlike: tuple[str, ...] = ()
    pins: str = "libraries.txt"

    @property
    def name(self) -> str:
        return f"{self.format}: {self.driver} {self.asks}"


Row = tuple[str, str, str, tuple[str, ...]] | tuple[str, str, str, tuple[str, ...], tuple[str, ...]]


def _rows(
    format: str,
    driver: str,
    rows: list[Row],
    pins: str = "libraries.txt",
) -> list[Way]:
    return [Way(format, driver, *row, pins=pins) for row in rows]


ANTHROPIC = RESPONSES = ("duplicate-id",)
BEDROCK = GEMINI = ("turn-order", "empty-text", "duplicate-id")
USE, TEXT, FUNCTION = '"type": "tool_use"', '"tool_kwargs": "', '"type": "function"'

WAYS: list[Way] = [
    *_rows(
        "openai-chat",
        "litellm",
        [
            ("openai", "litellm", "`completion`, OpenAI", ()),
            ("anthropic", "litellm", "`completion`, Anthropic", ANTHROPIC),
            ("gemini", "litellm", "`completion`, Gemini", (*GEMINI, "identical-calls")),
            ("bedrock", "litellm", "`completion`, Bedrock", BEDROCK),
        ],
    ),
    *_rows(
        "anthropic",
        "litellm",
        [
            ("from-anthropic-anthropic", "litellm", "`messages`, Anthropic", ()),
            ("from-anthropic-openai", "litellm", "`messages`, OpenAI Responses", RESPONSES),
            (
                "from-anthropic-gemini",
                "litellm",
                "`messages`, Gemini",
                (*GEMINI, "identical-calls", "refused"),
            ),
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
            ("openai-responses", "langchain-openai", "`ChatOpenAI`, Responses", RESPONSES),
            ("anthropic", "langchain-anthropic", "`ChatAnthropic`", ANTHROPIC),
            ("google", "langchain-google-genai", "`ChatGoogleGenerativeAI`", GEMINI),
            ("aws", "langchain-aws", "`ChatBedrockConverse`", BEDROCK),
        ],
    ),
    *_rows(
        "pydantic-ai",
        "pydantic_ai",
        [
            ("agent", "pydantic-ai-slim", "`Agent` on `FunctionModel`", ()),
            ("openai", "pydantic-ai-slim", "`OpenAIChatModel`", ()),
            ("openai-responses", "pydantic-ai-slim", "`OpenAIResponsesModel`", RESPONSES),
            ("anthropic", "pydantic-ai-slim", "`AnthropicModel`", ANTHROPIC),
            ("google", "pydantic-ai-slim", "`GoogleModel`", GEMINI),
            ("bedrock", "pydantic-ai-slim", "`BedrockConverseModel`", BEDROCK),
        ],
    ),
    *_rows(
        "gemini",
        "adk",
        [
            ("client", "google-genai", "`Client`", GEMINI),
        ],
    ),
    *_rows(
        "adk", "adk", [("events", "google-adk", "`Runner` on `DatabaseSessionService`", GEMINI)]
    ),
    *_rows(
        "bedrock",
        "strands",
        [
            ("agent", "strands-agents", "`Agent` on `BedrockModel`", BEDROCK),
            ("session", "strands-agents", "`Agent` on `FileSessionManager`", BEDROCK),
            ("openai", "strands-agents", "`OpenAIModel`", ()),
            ("anthropic", "strands-agents", "`AnthropicModel`", ANTHROPIC),
            ("client", "boto3", "`converse`", BEDROCK),
        ],
    ),
    *_rows(
        "llamaindex",
        "llama_index",
        [
            ("openai", "llama-index-llms-openai", "`OpenAI`", (), (USE,)),
            (
                "openai-responses",
                "llama-index-llms-openai",
                "`OpenAIResponses`",
                RESPONSES,
                (USE, FUNCTION),
            ),
            ("anthropic", "llama-index-llms-anthropic", "`Anthropic`", ANTHROPIC, (TEXT, FUNCTION)),
        ],
        "llama_index.txt",
    ),
]

# A format, or a major's of it, and the majors of the AI SDK that read it.
READERS = {
    "ai-sdk-v4": (4,),
    "ai-sdk-v5": (5, 6, 7),
    "ai-sdk-v6": (6, 7),
    "ai-sdk-model": (5, 6, 7),
}
