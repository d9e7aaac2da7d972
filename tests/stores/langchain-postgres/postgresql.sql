CREATE TABLE public.chat_history (
    id integer NOT NULL,
    session_id uuid NOT NULL,
    message jsonb NOT NULL,
    created_at timestamp with time zone DEFAULT now() NOT NULL
);
CREATE SEQUENCE public.chat_history_id_seq
    AS integer
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1;
ALTER SEQUENCE public.chat_history_id_seq OWNED BY public.chat_history.id;
ALTER TABLE ONLY public.chat_history ALTER COLUMN id SET DEFAULT nextval('public.chat_history_id_seq'::regclass);
INSERT INTO public.chat_history VALUES (1, '202f5af2-55a2-5574-8e78-1fe05f62fcdd', '{"data": {"id": null, "name": null, "type": "human", "content": "Weather?", "additional_kwargs": {}, "response_metadata": {}}, "type": "human"}', '2026-11-30 12:07:09.538858+00');
INSERT INTO public.chat_history VALUES (2, 'a2fb4d82-7a9d-537f-9485-262896252daf', '{"data": {"id": null, "name": null, "type": "human", "content": "Weather?", "additional_kwargs": {}, "response_metadata": {}}, "type": "human"}', '2026-11-30 12:07:09.54017+00');
INSERT INTO public.chat_history VALUES (3, 'f98f8d55-99ef-5585-a433-b7f1cb52f616', '{"data": {"id": null, "name": null, "type": "human", "content": "Weather?", "additional_kwargs": {}, "response_metadata": {}}, "type": "human"}', '2026-11-30 12:07:09.540811+00');
INSERT INTO public.chat_history VALUES (4, '5629d553-9699-5f5d-8fbd-59cf13ecb164', '{"data": {"id": null, "name": null, "type": "human", "content": "Weather?", "additional_kwargs": {}, "response_metadata": {}}, "type": "human"}', '2026-11-30 12:07:09.541346+00');
INSERT INTO public.chat_history VALUES (5, '202f5af2-55a2-5574-8e78-1fe05f62fcdd', '{"data": {"id": null, "name": null, "type": "ai", "content": "", "tool_calls": [{"id": "c1", "args": {"city": "Bern"}, "name": "weather", "type": "tool_call"}, {"id": "c2", "args": {"city": "Bern"}, "name": "weather", "type": "tool_call"}], "usage_metadata": null, "additional_kwargs": {}, "response_metadata": {}, "invalid_tool_calls": []}, "type": "ai"}', '2026-11-30 12:07:09.548548+00');
INSERT INTO public.chat_history VALUES (6, 'a2fb4d82-7a9d-537f-9485-262896252daf', '{"data": {"id": null, "name": null, "type": "ai", "content": "", "tool_calls": [{"id": "c3", "args": {"city": "Bern"}, "name": "weather", "type": "tool_call"}], "usage_metadata": null, "additional_kwargs": {}, "response_metadata": {}, "invalid_tool_calls": []}, "type": "ai"}', '2026-11-30 12:07:09.558438+00');
INSERT INTO public.chat_history VALUES (7, 'f98f8d55-99ef-5585-a433-b7f1cb52f616', '{"data": {"id": null, "name": null, "type": "ai", "content": "", "tool_calls": [{"id": "c4", "args": {"city": "Bern"}, "name": "weather", "type": "tool_call"}], "usage_metadata": null, "additional_kwargs": {}, "response_metadata": {}, "invalid_tool_calls": []}, "type": "ai"}', '2026-11-30 12:07:09.561247+00');
INSERT INTO public.chat_history VALUES (8, '5629d553-9699-5f5d-8fbd-59cf13ecb164', '{"data": {"id": null, "name": null, "type": "ai", "content": "", "tool_calls": [{"id": "c5", "args": {"city": "Bern"}, "name": "weather", "type": "tool_call"}], "usage_metadata": null, "additional_kwargs": {}, "response_metadata": {}, "invalid_tool_calls": []}, "type": "ai"}', '2026-11-30 12:07:09.561786+00');
INSERT INTO public.chat_history VALUES (9, '202f5af2-55a2-5574-8e78-1fe05f62fcdd', '{"data": {"id": null, "name": "weather", "type": "tool", "status": "success", "content": "21 degrees", "artifact": null, "tool_call_id": "c1", "additional_kwargs": {}, "response_metadata": {}}, "type": "tool"}', '2026-11-30 12:07:09.562279+00');
INSERT INTO public.chat_history VALUES (10, 'a2fb4d82-7a9d-537f-9485-262896252daf', '{"data": {"id": null, "name": null, "type": "human", "content": "Hello?", "additional_kwargs": {}, "response_metadata": {}}, "type": "human"}', '2026-11-30 12:07:09.562704+00');
INSERT INTO public.chat_history VALUES (11, '5629d553-9699-5f5d-8fbd-59cf13ecb164', '{"data": {"id": null, "name": "weather", "type": "tool", "status": "success", "content": "21 degrees", "artifact": null, "tool_call_id": "c5", "additional_kwargs": {}, "response_metadata": {}}, "type": "tool"}', '2026-11-30 12:07:09.56309+00');
INSERT INTO public.chat_history VALUES (12, '202f5af2-55a2-5574-8e78-1fe05f62fcdd', '{"data": {"id": null, "name": null, "type": "human", "content": "Hello?", "additional_kwargs": {}, "response_metadata": {}}, "type": "human"}', '2026-11-30 12:07:09.564144+00');
INSERT INTO public.chat_history VALUES (13, 'a2fb4d82-7a9d-537f-9485-262896252daf', '{"data": {"id": null, "name": "weather", "type": "tool", "status": "success", "content": "21 degrees", "artifact": null, "tool_call_id": "c3", "additional_kwargs": {}, "response_metadata": {}}, "type": "tool"}', '2026-11-30 12:07:09.564611+00');
INSERT INTO public.chat_history VALUES (14, '5629d553-9699-5f5d-8fbd-59cf13ecb164', '{"data": {"id": null, "name": null, "type": "ai", "content": "Sunny.", "tool_calls": [], "usage_metadata": null, "additional_kwargs": {}, "response_metadata": {}, "invalid_tool_calls": []}, "type": "ai"}', '2026-11-30 12:07:09.56518+00');
INSERT INTO public.chat_history VALUES (15, '5629d553-9699-5f5d-8fbd-59cf13ecb164', '{"data": {"id": null, "name": null, "type": "human", "content": "Thanks.", "additional_kwargs": {}, "response_metadata": {}}, "type": "human"}', '2026-11-30 12:07:09.565591+00');
SELECT pg_catalog.setval('public.chat_history_id_seq', 15, true);
ALTER TABLE ONLY public.chat_history
    ADD CONSTRAINT chat_history_pkey PRIMARY KEY (id);
CREATE INDEX idx_chat_history_session_id ON public.chat_history USING btree (session_id);
