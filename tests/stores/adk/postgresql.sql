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
INSERT INTO public.app_states VALUES ('app', '{}', '2026-11-30 12:30:52.22352');
INSERT INTO public.events VALUES ('c854d84a-d6f1-4820-a479-48d2edf81223', 'app', 'u', 'middle', 'middle-1', '2026-11-30 12:30:52.290892', '{"id": "c854d84a-d6f1-4820-a479-48d2edf81223", "author": "user", "actions": {"state_delta": {}, "artifact_delta": {}, "requested_auth_configs": {}, "requested_tool_confirmations": {}}, "content": {"role": "user", "parts": [{"text": "Weather?"}]}, "node_info": {"path": ""}, "timestamp": 1796041852.2908924, "invocation_id": "middle-1"}');
INSERT INTO public.events VALUES ('fa91dfe0-6aa8-4c1f-9aa9-d6080a9e6539', 'app', 'u', 'late', 'late-1', '2026-11-30 12:30:52.329346', '{"id": "fa91dfe0-6aa8-4c1f-9aa9-d6080a9e6539", "author": "user", "actions": {"state_delta": {}, "artifact_delta": {}, "requested_auth_configs": {}, "requested_tool_confirmations": {}}, "content": {"role": "user", "parts": [{"text": "Weather?"}]}, "node_info": {"path": ""}, "timestamp": 1796041852.329346, "invocation_id": "late-1"}');
INSERT INTO public.events VALUES ('3ee0b5eb-a80b-4e6d-b7ad-ba6628165867', 'app', 'u', 'end', 'end-1', '2026-11-30 12:30:52.343809', '{"id": "3ee0b5eb-a80b-4e6d-b7ad-ba6628165867", "author": "user", "actions": {"state_delta": {}, "artifact_delta": {}, "requested_auth_configs": {}, "requested_tool_confirmations": {}}, "content": {"role": "user", "parts": [{"text": "Weather?"}]}, "node_info": {"path": ""}, "timestamp": 1796041852.3438094, "invocation_id": "end-1"}');
INSERT INTO public.events VALUES ('41db600c-4f27-4748-8a00-eec956b13f72', 'app', 'u', 'sound', 'sound-1', '2026-11-30 12:30:52.3526', '{"id": "41db600c-4f27-4748-8a00-eec956b13f72", "author": "user", "actions": {"state_delta": {}, "artifact_delta": {}, "requested_auth_configs": {}, "requested_tool_confirmations": {}}, "content": {"role": "user", "parts": [{"text": "Weather?"}]}, "node_info": {"path": ""}, "timestamp": 1796041852.3525996, "invocation_id": "sound-1"}');
INSERT INTO public.events VALUES ('4062dc7d-be47-40f8-8a61-20b941a9f696', 'app', 'u', 'middle', 'middle-1', '2026-11-30 12:30:52.369388', '{"id": "4062dc7d-be47-40f8-8a61-20b941a9f696", "author": "bot", "actions": {"state_delta": {}, "artifact_delta": {}, "requested_auth_configs": {}, "requested_tool_confirmations": {}}, "content": {"role": "model", "parts": [{"function_call": {"id": "c1", "args": {"city": "Bern"}, "name": "weather"}}, {"function_call": {"id": "c2", "args": {"city": "Bern"}, "name": "weather"}}]}, "node_info": {"path": ""}, "timestamp": 1796041852.3693876, "invocation_id": "middle-1"}');
INSERT INTO public.events VALUES ('97fa1e0f-74fe-4839-b6b0-fea90f11ab63', 'app', 'u', 'late', 'late-1', '2026-11-30 12:30:52.37952', '{"id": "97fa1e0f-74fe-4839-b6b0-fea90f11ab63", "author": "bot", "actions": {"state_delta": {}, "artifact_delta": {}, "requested_auth_configs": {}, "requested_tool_confirmations": {}}, "content": {"role": "model", "parts": [{"function_call": {"id": "c3", "args": {"city": "Bern"}, "name": "weather"}}]}, "node_info": {"path": ""}, "timestamp": 1796041852.3795197, "invocation_id": "late-1"}');
INSERT INTO public.events VALUES ('92c7b1a7-06ee-4e3a-b071-7ecb9a174b17', 'app', 'u', 'end', 'end-1', '2026-11-30 12:30:52.393723', '{"id": "92c7b1a7-06ee-4e3a-b071-7ecb9a174b17", "author": "bot", "actions": {"state_delta": {}, "artifact_delta": {}, "requested_auth_configs": {}, "requested_tool_confirmations": {}}, "content": {"role": "model", "parts": [{"function_call": {"id": "c4", "args": {"city": "Bern"}, "name": "weather"}}]}, "node_info": {"path": ""}, "timestamp": 1796041852.3937232, "invocation_id": "end-1"}');
INSERT INTO public.events VALUES ('387efd88-fbc7-4815-8c4f-b70730008e46', 'app', 'u', 'sound', 'sound-1', '2026-11-30 12:30:52.402116', '{"id": "387efd88-fbc7-4815-8c4f-b70730008e46", "author": "bot", "actions": {"state_delta": {}, "artifact_delta": {}, "requested_auth_configs": {}, "requested_tool_confirmations": {}}, "content": {"role": "model", "parts": [{"function_call": {"id": "c5", "args": {"city": "Bern"}, "name": "weather"}}]}, "node_info": {"path": ""}, "timestamp": 1796041852.402116, "invocation_id": "sound-1"}');
INSERT INTO public.events VALUES ('c686d030-62ed-4682-b610-02756d5d38a0', 'app', 'u', 'middle', 'middle-1', '2026-11-30 12:30:52.414645', '{"id": "c686d030-62ed-4682-b610-02756d5d38a0", "author": "bot", "actions": {"state_delta": {}, "artifact_delta": {}, "requested_auth_configs": {}, "requested_tool_confirmations": {}}, "content": {"role": "user", "parts": [{"function_response": {"id": "c1", "name": "weather", "response": {"degrees": 21}}}]}, "node_info": {"path": ""}, "timestamp": 1796041852.414645, "invocation_id": "middle-1"}');
INSERT INTO public.events VALUES ('5d416bdb-773c-4891-8288-a5f08b30bede', 'app', 'u', 'late', 'late-2', '2026-11-30 12:30:52.425872', '{"id": "5d416bdb-773c-4891-8288-a5f08b30bede", "author": "user", "actions": {"state_delta": {}, "artifact_delta": {}, "requested_auth_configs": {}, "requested_tool_confirmations": {}}, "content": {"role": "user", "parts": [{"text": "Hello?"}]}, "node_info": {"path": ""}, "timestamp": 1796041852.425872, "invocation_id": "late-2"}');
INSERT INTO public.events VALUES ('392e1c90-c064-4bd3-b008-c4b2d3ea3094', 'app', 'u', 'sound', 'sound-1', '2026-11-30 12:30:52.44187', '{"id": "392e1c90-c064-4bd3-b008-c4b2d3ea3094", "author": "bot", "actions": {"state_delta": {}, "artifact_delta": {}, "requested_auth_configs": {}, "requested_tool_confirmations": {}}, "content": {"role": "user", "parts": [{"function_response": {"id": "c5", "name": "weather", "response": {"degrees": 21}}}]}, "node_info": {"path": ""}, "timestamp": 1796041852.4418705, "invocation_id": "sound-1"}');
INSERT INTO public.events VALUES ('ba1908bb-ba14-4398-ac37-38702c31f841', 'app', 'u', 'middle', 'middle-2', '2026-11-30 12:30:52.452435', '{"id": "ba1908bb-ba14-4398-ac37-38702c31f841", "author": "user", "actions": {"state_delta": {}, "artifact_delta": {}, "requested_auth_configs": {}, "requested_tool_confirmations": {}}, "content": {"role": "user", "parts": [{"text": "Hello?"}]}, "node_info": {"path": ""}, "timestamp": 1796041852.452435, "invocation_id": "middle-2"}');
INSERT INTO public.events VALUES ('687f13af-1ca3-402e-ba3f-cb324eb5f505', 'app', 'u', 'late', 'late-2', '2026-11-30 12:30:52.460437', '{"id": "687f13af-1ca3-402e-ba3f-cb324eb5f505", "author": "bot", "actions": {"state_delta": {}, "artifact_delta": {}, "requested_auth_configs": {}, "requested_tool_confirmations": {}}, "content": {"role": "user", "parts": [{"function_response": {"id": "c3", "name": "weather", "response": {"degrees": 21}}}]}, "node_info": {"path": ""}, "timestamp": 1796041852.4604373, "invocation_id": "late-2"}');
INSERT INTO public.events VALUES ('1ac9c634-9404-4b22-a672-d3718d71649d', 'app', 'u', 'sound', 'sound-1', '2026-11-30 12:30:52.477459', '{"id": "1ac9c634-9404-4b22-a672-d3718d71649d", "author": "bot", "actions": {"state_delta": {}, "artifact_delta": {}, "requested_auth_configs": {}, "requested_tool_confirmations": {}}, "content": {"role": "model", "parts": [{"text": "Sunny."}]}, "node_info": {"path": ""}, "timestamp": 1796041852.4774587, "invocation_id": "sound-1"}');
INSERT INTO public.events VALUES ('af96eda9-edee-44c9-a7b6-470b13425341', 'app', 'u', 'sound', 'sound-2', '2026-11-30 12:30:52.487045', '{"id": "af96eda9-edee-44c9-a7b6-470b13425341", "author": "user", "actions": {"state_delta": {}, "artifact_delta": {}, "requested_auth_configs": {}, "requested_tool_confirmations": {}}, "content": {"role": "user", "parts": [{"text": "Thanks."}]}, "node_info": {"path": ""}, "timestamp": 1796041852.487045, "invocation_id": "sound-2"}');
INSERT INTO public.events VALUES ('aef1230f-9213-4d26-b283-223e9abd0a3b', 'app', 'u', 'waits', 'waits-1', '2026-11-30 12:30:52.497114', '{"id": "aef1230f-9213-4d26-b283-223e9abd0a3b", "author": "bot", "actions": {"state_delta": {}, "artifact_delta": {}, "requested_auth_configs": {}, "requested_tool_confirmations": {}}, "content": {"role": "model", "parts": [{"function_call": {"id": "c6", "args": {"city": "Bern"}, "name": "weather"}}]}, "node_info": {"path": ""}, "timestamp": 1796041852.4971137, "invocation_id": "waits-1", "long_running_tool_ids": ["c6"]}');
INSERT INTO public.sessions VALUES ('app', 'u', 'end', '{}', '2026-11-30 12:30:52.267911', '2026-11-30 12:30:52.393723');
INSERT INTO public.sessions VALUES ('app', 'u', 'middle', '{}', '2026-11-30 12:30:52.249813', '2026-11-30 12:30:52.452435');
INSERT INTO public.sessions VALUES ('app', 'u', 'late', '{}', '2026-11-30 12:30:52.261479', '2026-11-30 12:30:52.460437');
INSERT INTO public.sessions VALUES ('app', 'u', 'sound', '{}', '2026-11-30 12:30:52.279718', '2026-11-30 12:30:52.487045');
INSERT INTO public.sessions VALUES ('app', 'u', 'waits', '{}', '2026-11-30 12:30:52.503531', '2026-11-30 12:30:52.497114');
INSERT INTO public.user_states VALUES ('app', 'u', '{}', '2026-11-30 12:30:52.22352');
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
