CREATE TABLE public.adk_internal_metadata (
    key character varying(128) NOT NULL,
    value character varying(256) NOT NULL
);
CREATE TABLE public.app_states (
    app_name character varying(128) NOT NULL,
    state jsonb NOT NULL,
    update_time timestamp without time zone NOT NULL
);
CREATE TABLE public.events (
    id character varying(128) NOT NULL,
    app_name character varying(128) NOT NULL,
    user_id character varying(128) NOT NULL,
    session_id character varying(128) NOT NULL,
    invocation_id character varying(256) NOT NULL,
    "timestamp" timestamp without time zone NOT NULL,
    event_data jsonb
);
CREATE TABLE public.sessions (
    app_name character varying(128) NOT NULL,
    user_id character varying(128) NOT NULL,
    id character varying(128) NOT NULL,
    state jsonb NOT NULL,
    create_time timestamp without time zone NOT NULL,
    update_time timestamp without time zone NOT NULL
);
CREATE TABLE public.user_states (
    app_name character varying(128) NOT NULL,
    user_id character varying(128) NOT NULL,
    state jsonb NOT NULL,
    update_time timestamp without time zone NOT NULL
);
INSERT INTO public.adk_internal_metadata VALUES ('schema_version', '1');
INSERT INTO public.app_states VALUES ('app', '{}', '2026-11-30 12:11:22.971902');
INSERT INTO public.events VALUES ('e1e3cee3-d942-4f67-aff5-b44675c159f5', 'app', 'u', 'middle', 'middle-1', '2026-11-30 12:11:23.010608', '{"id": "e1e3cee3-d942-4f67-aff5-b44675c159f5", "author": "user", "actions": {"state_delta": {}, "artifact_delta": {}, "requested_auth_configs": {}, "requested_tool_confirmations": {}}, "content": {"role": "user", "parts": [{"text": "Weather?"}]}, "node_info": {"path": ""}, "timestamp": 1796040683.0106084, "invocation_id": "middle-1"}');
INSERT INTO public.events VALUES ('16f943e4-b53a-46ae-8a97-4b2218c7331a', 'app', 'u', 'late', 'late-1', '2026-11-30 12:11:23.019903', '{"id": "16f943e4-b53a-46ae-8a97-4b2218c7331a", "author": "user", "actions": {"state_delta": {}, "artifact_delta": {}, "requested_auth_configs": {}, "requested_tool_confirmations": {}}, "content": {"role": "user", "parts": [{"text": "Weather?"}]}, "node_info": {"path": ""}, "timestamp": 1796040683.0199034, "invocation_id": "late-1"}');
INSERT INTO public.events VALUES ('c948731e-c933-4a3c-a793-1b9fd359b610', 'app', 'u', 'end', 'end-1', '2026-11-30 12:11:23.024222', '{"id": "c948731e-c933-4a3c-a793-1b9fd359b610", "author": "user", "actions": {"state_delta": {}, "artifact_delta": {}, "requested_auth_configs": {}, "requested_tool_confirmations": {}}, "content": {"role": "user", "parts": [{"text": "Weather?"}]}, "node_info": {"path": ""}, "timestamp": 1796040683.0242224, "invocation_id": "end-1"}');
INSERT INTO public.events VALUES ('cc8c3219-a7f0-4681-b1da-7469d9082534', 'app', 'u', 'sound', 'sound-1', '2026-11-30 12:11:23.028688', '{"id": "cc8c3219-a7f0-4681-b1da-7469d9082534", "author": "user", "actions": {"state_delta": {}, "artifact_delta": {}, "requested_auth_configs": {}, "requested_tool_confirmations": {}}, "content": {"role": "user", "parts": [{"text": "Weather?"}]}, "node_info": {"path": ""}, "timestamp": 1796040683.028688, "invocation_id": "sound-1"}');
INSERT INTO public.events VALUES ('3b401df2-1e48-4f0a-930b-bf3ae0fe4651', 'app', 'u', 'middle', 'middle-1', '2026-11-30 12:11:23.032345', '{"id": "3b401df2-1e48-4f0a-930b-bf3ae0fe4651", "author": "bot", "actions": {"state_delta": {}, "artifact_delta": {}, "requested_auth_configs": {}, "requested_tool_confirmations": {}}, "content": {"role": "model", "parts": [{"function_call": {"id": "c1", "args": {"city": "Bern"}, "name": "weather"}}, {"function_call": {"id": "c2", "args": {"city": "Bern"}, "name": "weather"}}]}, "node_info": {"path": ""}, "timestamp": 1796040683.0323446, "invocation_id": "middle-1"}');
INSERT INTO public.events VALUES ('9b59cd8c-6514-4672-acfa-0f45bf0ade32', 'app', 'u', 'late', 'late-1', '2026-11-30 12:11:23.036344', '{"id": "9b59cd8c-6514-4672-acfa-0f45bf0ade32", "author": "bot", "actions": {"state_delta": {}, "artifact_delta": {}, "requested_auth_configs": {}, "requested_tool_confirmations": {}}, "content": {"role": "model", "parts": [{"function_call": {"id": "c3", "args": {"city": "Bern"}, "name": "weather"}}]}, "node_info": {"path": ""}, "timestamp": 1796040683.036344, "invocation_id": "late-1"}');
INSERT INTO public.events VALUES ('d03e6b34-4772-4117-a0e6-ba95695d7958', 'app', 'u', 'end', 'end-1', '2026-11-30 12:11:23.040053', '{"id": "d03e6b34-4772-4117-a0e6-ba95695d7958", "author": "bot", "actions": {"state_delta": {}, "artifact_delta": {}, "requested_auth_configs": {}, "requested_tool_confirmations": {}}, "content": {"role": "model", "parts": [{"function_call": {"id": "c4", "args": {"city": "Bern"}, "name": "weather"}}]}, "node_info": {"path": ""}, "timestamp": 1796040683.0400531, "invocation_id": "end-1"}');
INSERT INTO public.events VALUES ('43515b80-2221-4c6f-8752-43a9dbd423cc', 'app', 'u', 'sound', 'sound-1', '2026-11-30 12:11:23.043595', '{"id": "43515b80-2221-4c6f-8752-43a9dbd423cc", "author": "bot", "actions": {"state_delta": {}, "artifact_delta": {}, "requested_auth_configs": {}, "requested_tool_confirmations": {}}, "content": {"role": "model", "parts": [{"function_call": {"id": "c5", "args": {"city": "Bern"}, "name": "weather"}}]}, "node_info": {"path": ""}, "timestamp": 1796040683.0435953, "invocation_id": "sound-1"}');
INSERT INTO public.events VALUES ('ac76d889-7e52-403f-832a-f770a5706f36', 'app', 'u', 'middle', 'middle-1', '2026-11-30 12:11:23.049733', '{"id": "ac76d889-7e52-403f-832a-f770a5706f36", "author": "bot", "actions": {"state_delta": {}, "artifact_delta": {}, "requested_auth_configs": {}, "requested_tool_confirmations": {}}, "content": {"role": "user", "parts": [{"function_response": {"id": "c1", "name": "weather", "response": {"degrees": 21}}}]}, "node_info": {"path": ""}, "timestamp": 1796040683.0497327, "invocation_id": "middle-1"}');
INSERT INTO public.events VALUES ('b65b9f29-aed5-43e6-acd2-ec76a28ab20a', 'app', 'u', 'late', 'late-2', '2026-11-30 12:11:23.059389', '{"id": "b65b9f29-aed5-43e6-acd2-ec76a28ab20a", "author": "user", "actions": {"state_delta": {}, "artifact_delta": {}, "requested_auth_configs": {}, "requested_tool_confirmations": {}}, "content": {"role": "user", "parts": [{"text": "Hello?"}]}, "node_info": {"path": ""}, "timestamp": 1796040683.0593886, "invocation_id": "late-2"}');
INSERT INTO public.events VALUES ('b087ccb9-4665-4cf2-bb5a-5d10868c1576', 'app', 'u', 'sound', 'sound-1', '2026-11-30 12:11:23.06555', '{"id": "b087ccb9-4665-4cf2-bb5a-5d10868c1576", "author": "bot", "actions": {"state_delta": {}, "artifact_delta": {}, "requested_auth_configs": {}, "requested_tool_confirmations": {}}, "content": {"role": "user", "parts": [{"function_response": {"id": "c5", "name": "weather", "response": {"degrees": 21}}}]}, "node_info": {"path": ""}, "timestamp": 1796040683.06555, "invocation_id": "sound-1"}');
INSERT INTO public.events VALUES ('c5424d50-6cf8-4261-a9e1-8c6b5501c7f8', 'app', 'u', 'middle', 'middle-2', '2026-11-30 12:11:23.06989', '{"id": "c5424d50-6cf8-4261-a9e1-8c6b5501c7f8", "author": "user", "actions": {"state_delta": {}, "artifact_delta": {}, "requested_auth_configs": {}, "requested_tool_confirmations": {}}, "content": {"role": "user", "parts": [{"text": "Hello?"}]}, "node_info": {"path": ""}, "timestamp": 1796040683.0698898, "invocation_id": "middle-2"}');
INSERT INTO public.events VALUES ('a843491d-9efc-4476-8c66-9f0a0d4f4e18', 'app', 'u', 'late', 'late-2', '2026-11-30 12:11:23.073249', '{"id": "a843491d-9efc-4476-8c66-9f0a0d4f4e18", "author": "bot", "actions": {"state_delta": {}, "artifact_delta": {}, "requested_auth_configs": {}, "requested_tool_confirmations": {}}, "content": {"role": "user", "parts": [{"function_response": {"id": "c3", "name": "weather", "response": {"degrees": 21}}}]}, "node_info": {"path": ""}, "timestamp": 1796040683.0732486, "invocation_id": "late-2"}');
INSERT INTO public.events VALUES ('4197339c-0e64-49b1-a3f0-7b61fb21cc15', 'app', 'u', 'sound', 'sound-1', '2026-11-30 12:11:23.076544', '{"id": "4197339c-0e64-49b1-a3f0-7b61fb21cc15", "author": "bot", "actions": {"state_delta": {}, "artifact_delta": {}, "requested_auth_configs": {}, "requested_tool_confirmations": {}}, "content": {"role": "model", "parts": [{"text": "Sunny."}]}, "node_info": {"path": ""}, "timestamp": 1796040683.0765436, "invocation_id": "sound-1"}');
INSERT INTO public.events VALUES ('f18f2a70-5159-4628-8823-8a0222a3f198', 'app', 'u', 'sound', 'sound-2', '2026-11-30 12:11:23.079913', '{"id": "f18f2a70-5159-4628-8823-8a0222a3f198", "author": "user", "actions": {"state_delta": {}, "artifact_delta": {}, "requested_auth_configs": {}, "requested_tool_confirmations": {}}, "content": {"role": "user", "parts": [{"text": "Thanks."}]}, "node_info": {"path": ""}, "timestamp": 1796040683.079913, "invocation_id": "sound-2"}');
INSERT INTO public.sessions VALUES ('app', 'u', 'end', '{}', '2026-11-30 12:11:23.00205', '2026-11-30 12:11:23.040053');
INSERT INTO public.sessions VALUES ('app', 'u', 'middle', '{}', '2026-11-30 12:11:22.982576', '2026-11-30 12:11:23.06989');
INSERT INTO public.sessions VALUES ('app', 'u', 'late', '{}', '2026-11-30 12:11:22.9937', '2026-11-30 12:11:23.073249');
INSERT INTO public.sessions VALUES ('app', 'u', 'sound', '{}', '2026-11-30 12:11:23.005138', '2026-11-30 12:11:23.079913');
INSERT INTO public.user_states VALUES ('app', 'u', '{}', '2026-11-30 12:11:22.971902');
ALTER TABLE ONLY public.adk_internal_metadata
    ADD CONSTRAINT adk_internal_metadata_pkey PRIMARY KEY (key);
ALTER TABLE ONLY public.app_states
    ADD CONSTRAINT app_states_pkey PRIMARY KEY (app_name);
ALTER TABLE ONLY public.events
    ADD CONSTRAINT events_pkey PRIMARY KEY (id, app_name, user_id, session_id);
ALTER TABLE ONLY public.sessions
    ADD CONSTRAINT sessions_pkey PRIMARY KEY (app_name, user_id, id);
ALTER TABLE ONLY public.user_states
    ADD CONSTRAINT user_states_pkey PRIMARY KEY (app_name, user_id);
CREATE INDEX idx_events_app_user_session_ts_id ON public.events USING btree (app_name, user_id, session_id, "timestamp" DESC, id DESC);
ALTER TABLE ONLY public.events
    ADD CONSTRAINT events_app_name_user_id_session_id_fkey FOREIGN KEY (app_name, user_id, session_id) REFERENCES public.sessions(app_name, user_id, id) ON DELETE CASCADE;
