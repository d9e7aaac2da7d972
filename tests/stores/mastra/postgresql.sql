CREATE TABLE public.mastra_messages (
    id text NOT NULL,
    thread_id text NOT NULL,
    content text NOT NULL,
    role text NOT NULL,
    type text NOT NULL,
    "createdAt" timestamp without time zone NOT NULL,
    "resourceId" text,
    "createdAtZ" timestamp with time zone DEFAULT now()
);
CREATE TABLE public.mastra_threads (
    id text NOT NULL,
    "resourceId" text NOT NULL,
    title text NOT NULL,
    metadata jsonb,
    "createdAt" timestamp without time zone NOT NULL,
    "updatedAt" timestamp without time zone NOT NULL,
    "createdAtZ" timestamp with time zone DEFAULT now(),
    "updatedAtZ" timestamp with time zone DEFAULT now()
);
INSERT INTO public.mastra_messages VALUES ('be81bca6-af2e-49ec-ac37-17ebebec2e0d', 'end', '{"format":2,"parts":[{"type":"text","text":"Weather?","createdAt":1796060702524}],"content":"Weather?"}', 'user', 'v2', '2026-11-30 17:45:02.524', 'u', '2026-11-30 17:45:02.524+00');
INSERT INTO public.mastra_messages VALUES ('ca483354-3cdb-4cb0-8938-a02452585bed', 'end', '{"format":2,"parts":[{"type":"tool-invocation","toolInvocation":{"state":"result","toolCallId":"c1","toolName":"weather","args":{"city":"Bern"},"result":"21 degrees"}},{"type":"tool-invocation","toolInvocation":{"state":"call","toolCallId":"c2","toolName":"hang","args":{"city":"Bern"}},"createdAt":1796060702682}],"metadata":{"modelId":"fake","provider":"fake"}}', 'assistant', 'v2', '2026-11-30 17:45:02.682', 'u', '2026-11-30 17:45:02.682+00');
INSERT INTO public.mastra_messages VALUES ('cde56614-708f-4d65-8d19-d8b29386c29e', 'middle', '{"format":2,"parts":[{"type":"text","text":"Weather?","createdAt":1796060703111}],"content":"Weather?"}', 'user', 'v2', '2026-11-30 17:45:03.111', 'u', '2026-11-30 17:45:03.111+00');
INSERT INTO public.mastra_messages VALUES ('50f780bf-d81c-44a3-afe1-b7570a3bf6fc', 'middle', '{"format":2,"parts":[{"type":"tool-invocation","toolInvocation":{"state":"result","toolCallId":"c1","toolName":"weather","args":{"city":"Bern"},"result":"21 degrees"}},{"type":"tool-invocation","toolInvocation":{"state":"call","toolCallId":"c2","toolName":"hang","args":{"city":"Bern"}},"createdAt":1796060703160}],"metadata":{"modelId":"fake","provider":"fake"}}', 'assistant', 'v2', '2026-11-30 17:45:03.16', 'u', '2026-11-30 17:45:03.16+00');
INSERT INTO public.mastra_messages VALUES ('middle-0', 'middle', '{"format":2,"parts":[{"type":"text","text":"Hello?"}],"content":"Hello?"}', 'user', 'v2', '2026-11-30 17:45:03.5', 'u', '2026-11-30 17:45:03.5+00');
INSERT INTO public.mastra_messages VALUES ('b20136cf-4e1d-4389-947c-9ec64bfe0e8d', 'sound', '{"format":2,"parts":[{"type":"text","text":"Weather?","createdAt":1796060703523}],"content":"Weather?"}', 'user', 'v2', '2026-11-30 17:45:03.523', 'u', '2026-11-30 17:45:03.523+00');
INSERT INTO public.mastra_messages VALUES ('3435d3e5-7a88-4199-81de-d0ca6d6c25ef', 'sound', '{"format":2,"parts":[{"type":"tool-invocation","toolInvocation":{"state":"result","toolCallId":"c3","toolName":"weather","args":{"city":"Bern"},"result":"21 degrees"}},{"type":"step-start","createdAt":1796060703583,"model":"fake/fake"},{"type":"text","text":"Sunny.","createdAt":1796060703593}],"metadata":{"modelId":"fake","provider":"fake"},"content":"Sunny."}', 'assistant', 'v2', '2026-11-30 17:45:03.556', 'u', '2026-11-30 17:45:03.556+00');
INSERT INTO public.mastra_messages VALUES ('4c9752bf-927e-4bef-bbec-42a64b53f803', 'paused', '{"format":2,"parts":[{"type":"text","text":"Book!","createdAt":1796060703666}],"content":"Book!"}', 'user', 'v2', '2026-11-30 17:45:03.666', 'u', '2026-11-30 17:45:03.666+00');
INSERT INTO public.mastra_messages VALUES ('d1c7fe78-552f-4d78-9be6-9a77868966cc', 'paused', '{"format":2,"parts":[{"type":"tool-invocation","toolInvocation":{"state":"call","toolCallId":"c4","toolName":"book","args":{"city":"Bern"}},"createdAt":1796060703690}],"metadata":{"modelId":"fake","provider":"fake","pendingToolApprovals":{"c4":{"toolCallId":"c4","toolName":"book","args":{"city":"Bern"},"type":"approval","runId":"67b109fc-4180-45be-ad7e-50a1a82e09db","resumeSchema":"{\"$schema\":\"http://json-schema.org/draft-07/schema#\",\"type\":\"object\",\"properties\":{\"approved\":{\"type\":\"boolean\",\"description\":\"Controls if the tool call is approved or not, should be true when approved and false when declined\"},\"reason\":{\"description\":\"Optional explanation for the decision, surfaced to the model when the tool call is declined\",\"type\":\"string\"}},\"required\":[\"approved\"],\"additionalProperties\":false}"}}}}', 'assistant', 'v2', '2026-11-30 17:45:03.69', 'u', '2026-11-30 17:45:03.69+00');
INSERT INTO public.mastra_messages VALUES ('copies-1', 'copies', '{"format":2,"parts":[{"type":"tool-invocation","toolInvocation":{"state":"call","toolCallId":"c5","toolName":"weather","args":{"city":"Bern"}}},{"type":"tool-invocation","toolInvocation":{"state":"result","toolCallId":"c6","toolName":"weather","args":{"city":"Bern"},"result":"20 degrees"}}],"content":"","toolInvocations":[{"state":"call","toolCallId":"c5","toolName":"weather","args":{"city":"Bern"}},{"state":"result","toolCallId":"c6","toolName":"weather","args":{"city":"Bern"},"result":"20 degrees"}]}', 'assistant', 'v2', '2026-01-01 12:00:01', 'u', '2026-01-01 12:00:01+00');
INSERT INTO public.mastra_messages VALUES ('copies-2', 'copies', '{"format":2,"parts":[{"type":"text","text":"Hello?"}],"content":"Hello?"}', 'user', 'v2', '2026-01-01 12:00:02', 'u', '2026-01-01 12:00:02+00');
INSERT INTO public.mastra_messages VALUES ('cut-1', 'cut', '{"format":2,"parts":[{"type":"tool-invocation","toolInvocation":{"state":"partial-call","toolCallId":"c7","toolName":"weather","args":{}}}],"content":""}', 'assistant', 'v2', '2026-01-01 12:00:01', 'u', '2026-01-01 12:00:01+00');
INSERT INTO public.mastra_messages VALUES ('cut-2', 'cut', '{"format":2,"parts":[{"type":"text","text":"Hello?"}],"content":"Hello?"}', 'user', 'v2', '2026-01-01 12:00:02', 'u', '2026-01-01 12:00:02+00');
INSERT INTO public.mastra_messages VALUES ('later-1', 'later', '{"format":2,"parts":[{"type":"tool-invocation","toolInvocation":{"state":"call","toolCallId":"c8","toolName":"weather","args":{"city":"Bern"}}}],"content":""}', 'assistant', 'v2', '2026-01-01 12:00:01', 'u', '2026-01-01 12:00:01+00');
INSERT INTO public.mastra_messages VALUES ('later-2', 'later', '{"format":2,"parts":[{"type":"tool-invocation","toolInvocation":{"state":"result","toolCallId":"c8","toolName":"weather","args":{},"result":"22 degrees"}}],"content":""}', 'assistant', 'v2', '2026-01-01 12:00:02', 'u', '2026-01-01 12:00:02+00');
INSERT INTO public.mastra_messages VALUES ('later-3', 'later', '{"format":2,"parts":[{"type":"text","text":"Hello?"}],"content":"Hello?"}', 'user', 'v2', '2026-01-01 12:00:03', 'u', '2026-01-01 12:00:03+00');
INSERT INTO public.mastra_messages VALUES ('failed-1', 'failed', '{"format":2,"parts":[{"type":"tool-invocation","toolInvocation":{"state":"output-error","toolCallId":"c9","toolName":"weather","args":{"city":"Bern"},"errorText":"no network"}}],"content":""}', 'assistant', 'v2', '2026-01-01 12:00:01', 'u', '2026-01-01 12:00:01+00');
INSERT INTO public.mastra_messages VALUES ('failed-2', 'failed', '{"format":2,"parts":[{"type":"text","text":"Hello?"}],"content":"Hello?"}', 'user', 'v2', '2026-01-01 12:00:02', 'u', '2026-01-01 12:00:02+00');
INSERT INTO public.mastra_messages VALUES ('asked-1', 'asked', '{"format":2,"parts":[{"type":"tool-invocation","toolInvocation":{"state":"approval-requested","toolCallId":"c10","toolName":"weather","args":{"city":"Bern"},"approval":{"id":"a1"}}}],"content":""}', 'assistant', 'v2', '2026-01-01 12:00:01', 'u', '2026-01-01 12:00:01+00');
INSERT INTO public.mastra_threads VALUES ('end', 'u', '', NULL, '2026-11-30 17:45:03.051', '2026-11-30 17:45:03.078', '2026-11-30 17:45:03.051+00', '2026-11-30 17:45:03.078+00');
INSERT INTO public.mastra_threads VALUES ('middle', 'u', '', NULL, '2026-11-30 17:45:03.481', '2026-11-30 17:45:03.505', '2026-11-30 17:45:03.481+00', '2026-11-30 17:45:03.505+00');
INSERT INTO public.mastra_threads VALUES ('sound', 'u', '', NULL, '2026-11-30 17:45:03.522', '2026-11-30 17:45:03.629', '2026-11-30 17:45:03.522+00', '2026-11-30 17:45:03.629+00');
INSERT INTO public.mastra_threads VALUES ('paused', 'u', '', NULL, '2026-11-30 17:45:03.66', '2026-11-30 17:45:03.719', '2026-11-30 17:45:03.66+00', '2026-11-30 17:45:03.719+00');
INSERT INTO public.mastra_threads VALUES ('copies', 'u', '', NULL, '2026-01-01 12:00:00', '2026-11-30 17:45:03.747', '2026-01-01 12:00:00+00', '2026-11-30 17:45:03.747+00');
INSERT INTO public.mastra_threads VALUES ('cut', 'u', '', NULL, '2026-01-01 12:00:00', '2026-11-30 17:45:03.754', '2026-01-01 12:00:00+00', '2026-11-30 17:45:03.754+00');
INSERT INTO public.mastra_threads VALUES ('later', 'u', '', NULL, '2026-01-01 12:00:00', '2026-11-30 17:45:03.758', '2026-01-01 12:00:00+00', '2026-11-30 17:45:03.758+00');
INSERT INTO public.mastra_threads VALUES ('failed', 'u', '', NULL, '2026-01-01 12:00:00', '2026-11-30 17:45:03.763', '2026-01-01 12:00:00+00', '2026-11-30 17:45:03.763+00');
INSERT INTO public.mastra_threads VALUES ('asked', 'u', '', NULL, '2026-01-01 12:00:00', '2026-11-30 17:45:03.769', '2026-01-01 12:00:00+00', '2026-11-30 17:45:03.769+00');
ALTER TABLE ONLY public.mastra_messages
    ADD CONSTRAINT mastra_messages_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.mastra_threads
    ADD CONSTRAINT mastra_threads_pkey PRIMARY KEY (id);
CREATE INDEX mastra_messages_thread_id_createdat_idx ON public.mastra_messages USING btree (thread_id, "createdAt" DESC);
CREATE INDEX mastra_threads_resourceid_createdat_idx ON public.mastra_threads USING btree ("resourceId", "createdAt" DESC);
