CREATE TABLE public.steps (
    id uuid NOT NULL,
    name text NOT NULL,
    type text NOT NULL,
    "threadId" uuid NOT NULL,
    "parentId" uuid,
    streaming boolean NOT NULL,
    "waitForAnswer" boolean,
    "isError" boolean,
    metadata jsonb,
    tags text[],
    input text,
    output text,
    "createdAt" text,
    command text,
    start text,
    "end" text,
    generation jsonb,
    "showInput" text,
    language text,
    indent integer,
    "defaultOpen" boolean,
    "autoCollapse" boolean,
    modes jsonb,
    icon text
);
CREATE TABLE public.threads (
    id uuid NOT NULL,
    "createdAt" text,
    name text,
    "userId" uuid,
    "userIdentifier" text,
    tags text[],
    metadata jsonb
);
CREATE TABLE public.users (
    id uuid NOT NULL,
    identifier text NOT NULL,
    metadata jsonb NOT NULL,
    "createdAt" text
);
INSERT INTO public.threads VALUES ('202f5af2-55a2-5574-8e78-1fe05f62fcdd', '2026-11-30T17:36:07.464269Z', 'middle', 'e1ac5eaa-1cb2-482f-90d6-22c82980b1cc', 'ada', NULL, '{"id": "middle", "env": {}, "client_type": "webapp", "chat_settings": {}, "message_history": [{"role": "user", "content": "Weather?"}, {"role": "assistant", "content": null, "tool_calls": [{"id": "c1", "type": "function", "function": {"name": "weather", "arguments": "{\"city\": \"Zürich\"}"}}, {"id": "c2", "type": "function", "function": {"name": "weather", "arguments": "{\"city\": \"Zürich\"}"}}]}, {"role": "tool", "content": "{\"degrees\": 21}", "tool_call_id": "c1"}, {"role": "user", "content": "Hello?"}]}');
INSERT INTO public.threads VALUES ('a2fb4d82-7a9d-537f-9485-262896252daf', '2026-11-30T17:36:07.473305Z', 'late', 'e1ac5eaa-1cb2-482f-90d6-22c82980b1cc', 'ada', NULL, '{"id": "late", "env": {}, "client_type": "webapp", "chat_history": [{"role": "user", "content": "Weather?"}, {"role": "assistant", "content": null, "tool_calls": [{"id": "c3", "type": "function", "function": {"name": "weather", "arguments": "{\"city\": \"Zürich\"}"}}]}, {"role": "user", "content": "Hello?"}, {"role": "tool", "content": "{\"degrees\": 21}", "tool_call_id": "c3"}], "chat_settings": {}}');
INSERT INTO public.threads VALUES ('f98f8d55-99ef-5585-a433-b7f1cb52f616', '2026-11-30T17:36:07.483831Z', 'end', 'e1ac5eaa-1cb2-482f-90d6-22c82980b1cc', 'ada', NULL, '{"id": "end", "env": {}, "messages": [{"role": "user", "content": "Weather?"}, {"role": "assistant", "content": null, "tool_calls": [{"id": "c4", "type": "function", "function": {"name": "weather", "arguments": "{\"city\": \"Zürich\"}"}}]}], "client_type": "webapp", "chat_settings": {}}');
INSERT INTO public.threads VALUES ('5629d553-9699-5f5d-8fbd-59cf13ecb164', '2026-11-30T17:36:07.494068Z', 'sound', 'e1ac5eaa-1cb2-482f-90d6-22c82980b1cc', 'ada', NULL, '{"id": "sound", "env": {}, "client_type": "webapp", "chat_settings": {}, "message_history": [{"role": "user", "content": "Weather?"}, {"role": "assistant", "content": null, "tool_calls": [{"id": "c5", "type": "function", "function": {"name": "weather", "arguments": "{\"city\": \"Zürich\"}"}}]}, {"role": "tool", "content": "{\"degrees\": 21}", "tool_call_id": "c5"}, {"role": "assistant", "content": "Sunny."}, {"role": "user", "content": "Thanks."}]}');
INSERT INTO public.threads VALUES ('a5d0f1c7-1b67-58f2-984d-a1f85b7384c8', '2026-11-30T17:36:07.514599Z', 'plain', 'e1ac5eaa-1cb2-482f-90d6-22c82980b1cc', 'ada', NULL, '{"id": "plain", "env": {}}');
INSERT INTO public.users VALUES ('e1ac5eaa-1cb2-482f-90d6-22c82980b1cc', 'ada', '{}', '2026-11-30T17:36:07.424033Z');
ALTER TABLE ONLY public.steps
    ADD CONSTRAINT steps_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.threads
    ADD CONSTRAINT threads_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.users
    ADD CONSTRAINT users_identifier_key UNIQUE (identifier);
ALTER TABLE ONLY public.users
    ADD CONSTRAINT users_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.steps
    ADD CONSTRAINT "steps_threadId_fkey" FOREIGN KEY ("threadId") REFERENCES public.threads(id) ON DELETE CASCADE;
ALTER TABLE ONLY public.threads
    ADD CONSTRAINT "threads_userId_fkey" FOREIGN KEY ("userId") REFERENCES public.users(id) ON DELETE CASCADE;
