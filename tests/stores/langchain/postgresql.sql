CREATE TABLE public.message_store (
    id integer NOT NULL,
    session_id text,
    message text
);
CREATE SEQUENCE public.message_store_id_seq
    AS integer
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1;
ALTER SEQUENCE public.message_store_id_seq OWNED BY public.message_store.id;
ALTER TABLE ONLY public.message_store ALTER COLUMN id SET DEFAULT nextval('public.message_store_id_seq'::regclass);
INSERT INTO public.message_store VALUES (1, 'middle', '{"type": "human", "data": {"content": "Weather?", "additional_kwargs": {}, "response_metadata": {}, "type": "human", "name": null, "id": null}}');
INSERT INTO public.message_store VALUES (2, 'late', '{"type": "human", "data": {"content": "Weather?", "additional_kwargs": {}, "response_metadata": {}, "type": "human", "name": null, "id": null}}');
INSERT INTO public.message_store VALUES (3, 'end', '{"type": "human", "data": {"content": "Weather?", "additional_kwargs": {}, "response_metadata": {}, "type": "human", "name": null, "id": null}}');
INSERT INTO public.message_store VALUES (4, 'sound', '{"type": "human", "data": {"content": "Weather?", "additional_kwargs": {}, "response_metadata": {}, "type": "human", "name": null, "id": null}}');
INSERT INTO public.message_store VALUES (5, 'middle', '{"type": "ai", "data": {"content": "", "additional_kwargs": {}, "response_metadata": {}, "type": "ai", "name": null, "id": null, "tool_calls": [{"name": "weather", "args": {"city": "Bern"}, "id": "c1", "type": "tool_call"}, {"name": "weather", "args": {"city": "Bern"}, "id": "c2", "type": "tool_call"}], "invalid_tool_calls": [], "usage_metadata": null}}');
INSERT INTO public.message_store VALUES (6, 'late', '{"type": "ai", "data": {"content": "", "additional_kwargs": {}, "response_metadata": {}, "type": "ai", "name": null, "id": null, "tool_calls": [{"name": "weather", "args": {"city": "Bern"}, "id": "c3", "type": "tool_call"}], "invalid_tool_calls": [], "usage_metadata": null}}');
INSERT INTO public.message_store VALUES (7, 'end', '{"type": "ai", "data": {"content": "", "additional_kwargs": {}, "response_metadata": {}, "type": "ai", "name": null, "id": null, "tool_calls": [{"name": "weather", "args": {"city": "Bern"}, "id": "c4", "type": "tool_call"}], "invalid_tool_calls": [], "usage_metadata": null}}');
INSERT INTO public.message_store VALUES (8, 'sound', '{"type": "ai", "data": {"content": "", "additional_kwargs": {}, "response_metadata": {}, "type": "ai", "name": null, "id": null, "tool_calls": [{"name": "weather", "args": {"city": "Bern"}, "id": "c5", "type": "tool_call"}], "invalid_tool_calls": [], "usage_metadata": null}}');
INSERT INTO public.message_store VALUES (9, 'middle', '{"type": "tool", "data": {"content": "21 degrees", "additional_kwargs": {}, "response_metadata": {}, "type": "tool", "name": "weather", "id": null, "tool_call_id": "c1", "artifact": null, "status": "success"}}');
INSERT INTO public.message_store VALUES (10, 'late', '{"type": "human", "data": {"content": "Hello?", "additional_kwargs": {}, "response_metadata": {}, "type": "human", "name": null, "id": null}}');
INSERT INTO public.message_store VALUES (11, 'sound', '{"type": "tool", "data": {"content": "21 degrees", "additional_kwargs": {}, "response_metadata": {}, "type": "tool", "name": "weather", "id": null, "tool_call_id": "c5", "artifact": null, "status": "success"}}');
INSERT INTO public.message_store VALUES (12, 'middle', '{"type": "human", "data": {"content": "Hello?", "additional_kwargs": {}, "response_metadata": {}, "type": "human", "name": null, "id": null}}');
INSERT INTO public.message_store VALUES (13, 'late', '{"type": "tool", "data": {"content": "21 degrees", "additional_kwargs": {}, "response_metadata": {}, "type": "tool", "name": "weather", "id": null, "tool_call_id": "c3", "artifact": null, "status": "success"}}');
INSERT INTO public.message_store VALUES (14, 'sound', '{"type": "ai", "data": {"content": "Sunny.", "additional_kwargs": {}, "response_metadata": {}, "type": "ai", "name": null, "id": null, "tool_calls": [], "invalid_tool_calls": [], "usage_metadata": null}}');
INSERT INTO public.message_store VALUES (15, 'sound', '{"type": "human", "data": {"content": "Thanks.", "additional_kwargs": {}, "response_metadata": {}, "type": "human", "name": null, "id": null}}');
SELECT pg_catalog.setval('public.message_store_id_seq', 15, true);
ALTER TABLE ONLY public.message_store
    ADD CONSTRAINT message_store_pkey PRIMARY KEY (id);
