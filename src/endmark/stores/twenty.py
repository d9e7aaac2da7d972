"""twentyhq/twenty: `agentMessage` and `agentMessagePart`, one part of a message a row.

Schema `core`; newer releases keep the same columns in a schema for each workspace, which is
named with --schema.
https://github.com/twentyhq/twenty/tree/main/packages/twenty-server/src/engine/metadata-modules/ai
"""

from __future__ import annotations

from endmark.stores._store import PartTable, Store

STORE = Store(
    name="twenty",
    format="ai-sdk",
    layout="parts",
    table="agentMessage",
    schema="core",
    conversation=("threadId",),
    order=("createdAt",),
    role="role",
    age="createdAt",
    parts=PartTable(
        table="agentMessagePart",
        message="messageId",
        order="orderIndex",
        fields={
            "type": "type",
            "textContent": "text",
            "reasoningContent": "text",
            "toolName": "toolName",
            "toolCallId": "toolCallId",
            "toolInput": "input",
            "toolOutput": "output",
            "state": "state",
            "errorMessage": "errorText",
            "providerExecuted": "providerExecuted",
            "providerMetadata": "callProviderMetadata",
        },
        json=frozenset({"toolInput", "toolOutput", "providerMetadata"}),
        of_type={
            "textContent": "text",
            "reasoningContent": "reasoning",
            "toolName": "dynamic-tool",
        },
        null_if={"toolOutput": ("state", "output-available")},
        optional=("providerExecuted", "providerMetadata"),
    ),
    only={"status": ("sent",)},  # queued messages have not been sent yet
    optional=("status",),
    # Tools that end the turn and wait: for the person, an event or a time.
    pending_tools=frozenset(
        {
            "ask_question",
            "ask_questions",
            "propose_email",
            "propose_tool_call",
            "request_form",
            "wait_for_duration",
            "wait_for_event",
        }
    ),
    databases=("postgresql",),
    fingerprint={
        "agentMessage": frozenset({"id", "threadId", "turnId", "role", "createdAt"}),
        "agentMessagePart": frozenset(
            {
                "messageId",
                "orderIndex",
                "type",
                "toolName",
                "toolCallId",
                "toolInput",
                "toolOutput",
                "state",
                "errorMessage",
            }
        ),
    },
    versions="since the tables agentTurn, agentMessage and agentMessagePart (November 2025)",
    source="https://github.com/twentyhq/twenty",
)
