CREATE TABLE public."Step" (
    id text NOT NULL,
    "createdAt" timestamp(3) without time zone DEFAULT now() NOT NULL,
    "updatedAt" timestamp(3) without time zone DEFAULT now() NOT NULL,
    "parentId" text,
    "threadId" text,
    input text,
    metadata jsonb NOT NULL,
    name text,
    output text,
    type text NOT NULL,
    "showInput" text DEFAULT 'json'::text,
    "isError" boolean DEFAULT false,
    "startTime" timestamp(3) without time zone NOT NULL,
    "endTime" timestamp(3) without time zone NOT NULL
);
CREATE TABLE public."Thread" (
    id text NOT NULL,
    "createdAt" timestamp(3) without time zone DEFAULT now() NOT NULL,
    "updatedAt" timestamp(3) without time zone DEFAULT now() NOT NULL,
    "deletedAt" timestamp(3) without time zone,
    name text,
    metadata jsonb NOT NULL,
    "userId" text,
    tags text[] DEFAULT ARRAY[]::text[] NOT NULL
);
CREATE TABLE public."User" (
    id text NOT NULL,
    "createdAt" timestamp(3) without time zone DEFAULT now() NOT NULL,
    "updatedAt" timestamp(3) without time zone DEFAULT now() NOT NULL,
    metadata jsonb NOT NULL,
    identifier text NOT NULL
);
INSERT INTO public."Thread" VALUES ('202f5af2-55a2-5574-8e78-1fe05f62fcdd', '2026-11-30 17:36:30.165', '2026-11-30 17:36:30.164', NULL, 'middle', '{"id": "middle", "env": {}, "client_type": "webapp", "chat_settings": {}, "message_history": [{"role": "user", "content": "Weather?"}, {"role": "assistant", "content": null, "tool_calls": [{"id": "c1", "type": "function", "function": {"name": "weather", "arguments": "{\"city\": \"Zürich\"}"}}, {"id": "c2", "type": "function", "function": {"name": "weather", "arguments": "{\"city\": \"Zürich\"}"}}]}, {"role": "tool", "content": "{\"degrees\": 21}", "tool_call_id": "c1"}, {"role": "user", "content": "Hello?"}]}', '759ac38c-f97a-48db-affc-00e190fdea8e', '{}');
INSERT INTO public."Thread" VALUES ('a2fb4d82-7a9d-537f-9485-262896252daf', '2026-11-30 17:36:30.167', '2026-11-30 17:36:30.166', NULL, 'late', '{"id": "late", "env": {}, "client_type": "webapp", "chat_history": [{"role": "user", "content": "Weather?"}, {"role": "assistant", "content": null, "tool_calls": [{"id": "c3", "type": "function", "function": {"name": "weather", "arguments": "{\"city\": \"Zürich\"}"}}]}, {"role": "user", "content": "Hello?"}, {"role": "tool", "content": "{\"degrees\": 21}", "tool_call_id": "c3"}], "chat_settings": {}}', '759ac38c-f97a-48db-affc-00e190fdea8e', '{}');
INSERT INTO public."Thread" VALUES ('f98f8d55-99ef-5585-a433-b7f1cb52f616', '2026-11-30 17:36:30.179', '2026-11-30 17:36:30.178', NULL, 'end', '{"id": "end", "env": {}, "messages": [{"role": "user", "content": "Weather?"}, {"role": "assistant", "content": null, "tool_calls": [{"id": "c4", "type": "function", "function": {"name": "weather", "arguments": "{\"city\": \"Zürich\"}"}}]}], "client_type": "webapp", "chat_settings": {}}', '759ac38c-f97a-48db-affc-00e190fdea8e', '{}');
INSERT INTO public."Thread" VALUES ('5629d553-9699-5f5d-8fbd-59cf13ecb164', '2026-11-30 17:36:30.18', '2026-11-30 17:36:30.18', NULL, 'sound', '{"id": "sound", "env": {}, "client_type": "webapp", "chat_settings": {}, "message_history": [{"role": "user", "content": "Weather?"}, {"role": "assistant", "content": null, "tool_calls": [{"id": "c5", "type": "function", "function": {"name": "weather", "arguments": "{\"city\": \"Zürich\"}"}}]}, {"role": "tool", "content": "{\"degrees\": 21}", "tool_call_id": "c5"}, {"role": "assistant", "content": "Sunny."}, {"role": "user", "content": "Thanks."}]}', '759ac38c-f97a-48db-affc-00e190fdea8e', '{}');
INSERT INTO public."Thread" VALUES ('a5d0f1c7-1b67-58f2-984d-a1f85b7384c8', '2026-11-30 17:36:30.194', '2026-11-30 17:36:30.194', NULL, 'plain', '{"id": "plain", "env": {}}', '759ac38c-f97a-48db-affc-00e190fdea8e', '{}');
INSERT INTO public."User" VALUES ('759ac38c-f97a-48db-affc-00e190fdea8e', '2026-11-30 17:36:30.142', '2026-11-30 17:36:30.142', '{}', 'ada');
ALTER TABLE ONLY public."Step"
    ADD CONSTRAINT "Step_pkey" PRIMARY KEY (id);
ALTER TABLE ONLY public."Thread"
    ADD CONSTRAINT "Thread_pkey" PRIMARY KEY (id);
ALTER TABLE ONLY public."User"
    ADD CONSTRAINT "User_identifier_key" UNIQUE (identifier);
ALTER TABLE ONLY public."User"
    ADD CONSTRAINT "User_pkey" PRIMARY KEY (id);
