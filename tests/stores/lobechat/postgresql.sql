CREATE TABLE public.message_plugins (
    id text NOT NULL,
    tool_call_id text,
    type text DEFAULT 'default'::text,
    api_name text,
    arguments text,
    identifier text,
    state jsonb,
    error jsonb,
    user_id text NOT NULL,
    client_id text
);
CREATE TABLE public.messages (
    id text NOT NULL,
    role character varying(255) NOT NULL,
    content text,
    model text,
    provider text,
    favorite boolean DEFAULT false,
    error jsonb,
    tools jsonb,
    trace_id text,
    observation_id text,
    user_id text NOT NULL,
    session_id text,
    topic_id text,
    parent_id text,
    quota_id text,
    agent_id text,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    updated_at timestamp with time zone DEFAULT now() NOT NULL,
    client_id text,
    accessed_at timestamp with time zone DEFAULT now() NOT NULL,
    thread_id text,
    reasoning jsonb,
    search jsonb,
    metadata jsonb,
    group_id text,
    target_id text,
    message_group_id character varying(255)
);
INSERT INTO public.message_plugins VALUES ('middle-2', 'c1', 'default', 'weather', '{"city":"Zürich"}', 'sky', NULL, NULL, 'u', NULL);
INSERT INTO public.message_plugins VALUES ('late-3', 'c3', 'default', 'weather', '{"city":"Zürich"}', 'sky', NULL, NULL, 'u', NULL);
INSERT INTO public.message_plugins VALUES ('sound-2', 'c5', 'default', 'weather', '{"city":"Zürich"}', 'sky', NULL, NULL, 'u', NULL);
INSERT INTO public.message_plugins VALUES ('thread-2', 'c7', 'default', 'weather', '{"city":"Zürich"}', 'sky', NULL, NULL, 'u', NULL);
INSERT INTO public.message_plugins VALUES ('thread-6', 'c9', 'default', 'weather', '{"city":"Zürich"}', 'sky', NULL, NULL, 'u', NULL);
INSERT INTO public.message_plugins VALUES ('again-2', 'w_0', 'default', 'weather', '{"city":"Zürich"}', 'sky', NULL, NULL, 'u', NULL);
INSERT INTO public.message_plugins VALUES ('again-5', 'w_0', 'default', 'weather', '{"city":"Zürich"}', 'sky', NULL, NULL, 'u', NULL);
INSERT INTO public.messages VALUES ('middle-0', 'user', 'Weather?', NULL, NULL, false, NULL, NULL, NULL, NULL, 'u', 's', 'middle', NULL, NULL, NULL, '2026-11-30 17:54:29.699914+00', '2026-11-30 17:54:29.699914+00', NULL, '2026-11-30 17:54:29.699914+00', NULL, NULL, NULL, NULL, NULL, NULL, NULL);
INSERT INTO public.messages VALUES ('middle-1', 'assistant', '', 'm', 'p', false, NULL, '[{"id": "c1", "type": "default", "apiName": "weather", "arguments": "{\"city\":\"Zürich\"}", "identifier": "sky"}, {"id": "c2", "type": "default", "apiName": "weather", "arguments": "{\"city\":\"Zürich\"}", "identifier": "sky"}]', NULL, NULL, 'u', 's', 'middle', NULL, NULL, NULL, '2026-11-30 17:54:29.738976+00', '2026-11-30 17:54:29.738976+00', NULL, '2026-11-30 17:54:29.738976+00', NULL, NULL, NULL, '{"totalTokens": 7}', NULL, NULL, NULL);
INSERT INTO public.messages VALUES ('middle-2', 'tool', '21', NULL, NULL, false, NULL, NULL, NULL, NULL, 'u', 's', 'middle', 'middle-1', NULL, NULL, '2026-11-30 17:54:29.756106+00', '2026-11-30 17:54:29.756106+00', NULL, '2026-11-30 17:54:29.756106+00', NULL, NULL, NULL, NULL, NULL, NULL, NULL);
INSERT INTO public.messages VALUES ('middle-3', 'user', 'Hello?', NULL, NULL, false, NULL, NULL, NULL, NULL, 'u', 's', 'middle', NULL, NULL, NULL, '2026-11-30 17:54:29.769516+00', '2026-11-30 17:54:29.769516+00', NULL, '2026-11-30 17:54:29.769516+00', NULL, NULL, NULL, NULL, NULL, NULL, NULL);
INSERT INTO public.messages VALUES ('late-0', 'user', 'Weather?', NULL, NULL, false, NULL, NULL, NULL, NULL, 'u', 's', 'late', NULL, NULL, NULL, '2026-11-30 17:54:29.783921+00', '2026-11-30 17:54:29.783921+00', NULL, '2026-11-30 17:54:29.783921+00', NULL, NULL, NULL, NULL, NULL, NULL, NULL);
INSERT INTO public.messages VALUES ('late-1', 'assistant', '', 'm', 'p', false, NULL, '[{"id": "c3", "type": "default", "apiName": "weather", "arguments": "{\"city\":\"Zürich\"}", "identifier": "sky"}]', NULL, NULL, 'u', 's', 'late', NULL, NULL, NULL, '2026-11-30 17:54:29.792544+00', '2026-11-30 17:54:29.792544+00', NULL, '2026-11-30 17:54:29.792544+00', NULL, NULL, NULL, '{"totalTokens": 7}', NULL, NULL, NULL);
INSERT INTO public.messages VALUES ('late-2', 'user', 'Hello?', NULL, NULL, false, NULL, NULL, NULL, NULL, 'u', 's', 'late', NULL, NULL, NULL, '2026-11-30 17:54:29.804384+00', '2026-11-30 17:54:29.804384+00', NULL, '2026-11-30 17:54:29.804384+00', NULL, NULL, NULL, NULL, NULL, NULL, NULL);
INSERT INTO public.messages VALUES ('late-3', 'tool', '21', NULL, NULL, false, NULL, NULL, NULL, NULL, 'u', 's', 'late', 'late-1', NULL, NULL, '2026-11-30 17:54:29.826936+00', '2026-11-30 17:54:29.826936+00', NULL, '2026-11-30 17:54:29.826936+00', NULL, NULL, NULL, NULL, NULL, NULL, NULL);
INSERT INTO public.messages VALUES ('end-0', 'user', 'Weather?', NULL, NULL, false, NULL, NULL, NULL, NULL, 'u', 's', 'end', NULL, NULL, NULL, '2026-11-30 17:54:29.862597+00', '2026-11-30 17:54:29.862597+00', NULL, '2026-11-30 17:54:29.862597+00', NULL, NULL, NULL, NULL, NULL, NULL, NULL);
INSERT INTO public.messages VALUES ('end-1', 'assistant', '', 'm', 'p', false, NULL, '[{"id": "c4", "type": "default", "apiName": "weather", "arguments": "{\"city\":\"Zürich\"}", "identifier": "sky"}]', NULL, NULL, 'u', 's', 'end', NULL, NULL, NULL, '2026-11-30 17:54:29.888535+00', '2026-11-30 17:54:29.888535+00', NULL, '2026-11-30 17:54:29.888535+00', NULL, NULL, NULL, '{"totalTokens": 7}', NULL, NULL, NULL);
INSERT INTO public.messages VALUES ('sound-0', 'user', 'Weather?', NULL, NULL, false, NULL, NULL, NULL, NULL, 'u', 's', 'sound', NULL, NULL, NULL, '2026-11-30 17:54:29.903898+00', '2026-11-30 17:54:29.903898+00', NULL, '2026-11-30 17:54:29.903898+00', NULL, NULL, NULL, NULL, NULL, NULL, NULL);
INSERT INTO public.messages VALUES ('sound-1', 'assistant', '', 'm', 'p', false, NULL, '[{"id": "c5", "type": "default", "apiName": "weather", "arguments": "{\"city\":\"Zürich\"}", "identifier": "sky"}]', NULL, NULL, 'u', 's', 'sound', NULL, NULL, NULL, '2026-11-30 17:54:29.91066+00', '2026-11-30 17:54:29.91066+00', NULL, '2026-11-30 17:54:29.91066+00', NULL, NULL, NULL, '{"totalTokens": 7}', NULL, NULL, NULL);
INSERT INTO public.messages VALUES ('sound-2', 'tool', '21', NULL, NULL, false, NULL, NULL, NULL, NULL, 'u', 's', 'sound', 'sound-1', NULL, NULL, '2026-11-30 17:54:29.922112+00', '2026-11-30 17:54:29.922112+00', NULL, '2026-11-30 17:54:29.922112+00', NULL, NULL, NULL, NULL, NULL, NULL, NULL);
INSERT INTO public.messages VALUES ('sound-3', 'assistant', 'Sunny.', NULL, NULL, false, NULL, NULL, NULL, NULL, 'u', 's', 'sound', NULL, NULL, NULL, '2026-11-30 17:54:29.934383+00', '2026-11-30 17:54:29.934383+00', NULL, '2026-11-30 17:54:29.934383+00', NULL, NULL, NULL, NULL, NULL, NULL, NULL);
INSERT INTO public.messages VALUES ('sound-4', 'user', 'Thanks.', NULL, NULL, false, NULL, NULL, NULL, NULL, 'u', 's', 'sound', NULL, NULL, NULL, '2026-11-30 17:54:29.941582+00', '2026-11-30 17:54:29.941582+00', NULL, '2026-11-30 17:54:29.941582+00', NULL, NULL, NULL, NULL, NULL, NULL, NULL);
INSERT INTO public.messages VALUES ('thread-0', 'user', 'Weather?', NULL, NULL, false, NULL, NULL, NULL, NULL, 'u', 's', 'thread', NULL, NULL, NULL, '2026-11-30 17:54:29.948901+00', '2026-11-30 17:54:29.948901+00', NULL, '2026-11-30 17:54:29.948901+00', NULL, NULL, NULL, NULL, NULL, NULL, NULL);
INSERT INTO public.messages VALUES ('thread-1', 'assistant', '', 'm', 'p', false, NULL, '[{"id": "c7", "type": "default", "apiName": "weather", "arguments": "{\"city\":\"Zürich\"}", "identifier": "sky"}]', NULL, NULL, 'u', 's', 'thread', NULL, NULL, NULL, '2026-11-30 17:54:29.968442+00', '2026-11-30 17:54:29.968442+00', NULL, '2026-11-30 17:54:29.968442+00', NULL, NULL, NULL, '{"totalTokens": 7}', NULL, NULL, NULL);
INSERT INTO public.messages VALUES ('thread-2', 'tool', '21', NULL, NULL, false, NULL, NULL, NULL, NULL, 'u', 's', 'thread', 'thread-1', NULL, NULL, '2026-11-30 17:54:29.972174+00', '2026-11-30 17:54:29.972174+00', NULL, '2026-11-30 17:54:29.972174+00', NULL, NULL, NULL, NULL, NULL, NULL, NULL);
INSERT INTO public.messages VALUES ('thread-3', 'assistant', 'Sunny.', NULL, NULL, false, NULL, NULL, NULL, NULL, 'u', 's', 'thread', NULL, NULL, NULL, '2026-11-30 17:54:29.97875+00', '2026-11-30 17:54:29.97875+00', NULL, '2026-11-30 17:54:29.97875+00', NULL, NULL, NULL, NULL, NULL, NULL, NULL);
INSERT INTO public.messages VALUES ('thread-4', 'user', 'And there?', NULL, NULL, false, NULL, NULL, NULL, NULL, 'u', 's', 'thread', NULL, NULL, NULL, '2026-11-30 17:54:29.983149+00', '2026-11-30 17:54:29.983149+00', NULL, '2026-11-30 17:54:29.983149+00', 'thread-thread', NULL, NULL, NULL, NULL, NULL, NULL);
INSERT INTO public.messages VALUES ('thread-5', 'assistant', '', 'm', 'p', false, NULL, '[{"id": "c8", "type": "default", "apiName": "weather", "arguments": "{\"city\":\"Zürich\"}", "identifier": "sky"}, {"id": "c9", "type": "default", "apiName": "weather", "arguments": "{\"city\":\"Zürich\"}", "identifier": "sky"}]', NULL, NULL, 'u', 's', 'thread', NULL, NULL, NULL, '2026-11-30 17:54:29.995025+00', '2026-11-30 17:54:29.995025+00', NULL, '2026-11-30 17:54:29.995025+00', 'thread-thread', NULL, NULL, '{"totalTokens": 7}', NULL, NULL, NULL);
INSERT INTO public.messages VALUES ('thread-6', 'tool', '21', NULL, NULL, false, NULL, NULL, NULL, NULL, 'u', 's', 'thread', 'thread-5', NULL, NULL, '2026-11-30 17:54:29.999746+00', '2026-11-30 17:54:29.999746+00', NULL, '2026-11-30 17:54:29.999746+00', 'thread-thread', NULL, NULL, NULL, NULL, NULL, NULL);
INSERT INTO public.messages VALUES ('thread-7', 'user', 'Hello?', NULL, NULL, false, NULL, NULL, NULL, NULL, 'u', 's', 'thread', NULL, NULL, NULL, '2026-11-30 17:54:30.007642+00', '2026-11-30 17:54:30.007642+00', NULL, '2026-11-30 17:54:30.007642+00', 'thread-thread', NULL, NULL, NULL, NULL, NULL, NULL);
INSERT INTO public.messages VALUES ('thread-8', 'user', 'Thanks.', NULL, NULL, false, NULL, NULL, NULL, NULL, 'u', 's', 'thread', NULL, NULL, NULL, '2026-11-30 17:54:30.019328+00', '2026-11-30 17:54:30.019328+00', NULL, '2026-11-30 17:54:30.019328+00', NULL, NULL, NULL, NULL, NULL, NULL, NULL);
INSERT INTO public.messages VALUES ('again-0', 'user', 'Weather?', NULL, NULL, false, NULL, NULL, NULL, NULL, 'u', 's', 'again', NULL, NULL, NULL, '2026-11-30 17:54:30.033004+00', '2026-11-30 17:54:30.033004+00', NULL, '2026-11-30 17:54:30.033004+00', NULL, NULL, NULL, NULL, NULL, NULL, NULL);
INSERT INTO public.messages VALUES ('again-1', 'assistant', '', 'm', 'p', false, NULL, '[{"id": "w_0", "type": "default", "apiName": "weather", "arguments": "{\"city\":\"Zürich\"}", "identifier": "sky"}]', NULL, NULL, 'u', 's', 'again', NULL, NULL, NULL, '2026-11-30 17:54:30.050365+00', '2026-11-30 17:54:30.050365+00', NULL, '2026-11-30 17:54:30.050365+00', NULL, NULL, NULL, '{"totalTokens": 7}', NULL, NULL, NULL);
INSERT INTO public.messages VALUES ('again-2', 'tool', '21', NULL, NULL, false, NULL, NULL, NULL, NULL, 'u', 's', 'again', 'again-1', NULL, NULL, '2026-11-30 17:54:30.053682+00', '2026-11-30 17:54:30.053682+00', NULL, '2026-11-30 17:54:30.053682+00', NULL, NULL, NULL, NULL, NULL, NULL, NULL);
INSERT INTO public.messages VALUES ('again-3', 'user', 'And now?', NULL, NULL, false, NULL, NULL, NULL, NULL, 'u', 's', 'again', NULL, NULL, NULL, '2026-11-30 17:54:30.067122+00', '2026-11-30 17:54:30.067122+00', NULL, '2026-11-30 17:54:30.067122+00', NULL, NULL, NULL, NULL, NULL, NULL, NULL);
INSERT INTO public.messages VALUES ('again-4', 'assistant', '', 'm', 'p', false, NULL, '[{"id": "w_0", "type": "default", "apiName": "weather", "arguments": "{\"city\":\"Zürich\"}", "identifier": "sky"}]', NULL, NULL, 'u', 's', 'again', NULL, NULL, NULL, '2026-11-30 17:54:30.069991+00', '2026-11-30 17:54:30.069991+00', NULL, '2026-11-30 17:54:30.069991+00', NULL, NULL, NULL, '{"totalTokens": 7}', NULL, NULL, NULL);
INSERT INTO public.messages VALUES ('again-5', 'tool', '21', NULL, NULL, false, NULL, NULL, NULL, NULL, 'u', 's', 'again', 'again-4', NULL, NULL, '2026-11-30 17:54:30.076031+00', '2026-11-30 17:54:30.076031+00', NULL, '2026-11-30 17:54:30.076031+00', NULL, NULL, NULL, NULL, NULL, NULL, NULL);
INSERT INTO public.messages VALUES ('again-6', 'user', 'Thanks.', NULL, NULL, false, NULL, NULL, NULL, NULL, 'u', 's', 'again', NULL, NULL, NULL, '2026-11-30 17:54:30.09547+00', '2026-11-30 17:54:30.09547+00', NULL, '2026-11-30 17:54:30.09547+00', NULL, NULL, NULL, NULL, NULL, NULL, NULL);
ALTER TABLE ONLY public.message_plugins
    ADD CONSTRAINT message_plugins_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.messages
    ADD CONSTRAINT messages_pkey PRIMARY KEY (id);
CREATE UNIQUE INDEX message_client_id_user_unique ON public.messages USING btree (client_id, user_id);
CREATE UNIQUE INDEX message_plugins_client_id_user_id_unique ON public.message_plugins USING btree (client_id, user_id);
CREATE INDEX messages_created_at_idx ON public.messages USING btree (created_at);
CREATE INDEX messages_parent_id_idx ON public.messages USING btree (parent_id);
CREATE INDEX messages_quota_id_idx ON public.messages USING btree (quota_id);
CREATE INDEX messages_session_id_idx ON public.messages USING btree (session_id);
CREATE INDEX messages_thread_id_idx ON public.messages USING btree (thread_id);
CREATE INDEX messages_topic_id_idx ON public.messages USING btree (topic_id);
CREATE INDEX messages_user_id_idx ON public.messages USING btree (user_id);
ALTER TABLE ONLY public.message_plugins
    ADD CONSTRAINT message_plugins_id_messages_id_fk FOREIGN KEY (id) REFERENCES public.messages(id) ON DELETE CASCADE;
ALTER TABLE ONLY public.messages
    ADD CONSTRAINT messages_parent_id_messages_id_fk FOREIGN KEY (parent_id) REFERENCES public.messages(id) ON DELETE SET NULL;
ALTER TABLE ONLY public.messages
    ADD CONSTRAINT messages_quota_id_messages_id_fk FOREIGN KEY (quota_id) REFERENCES public.messages(id) ON DELETE SET NULL;
