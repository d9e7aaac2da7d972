CREATE TABLE public.n8n_chat_histories (
    id integer NOT NULL,
    session_id character varying(255) NOT NULL,
    message jsonb NOT NULL
);
CREATE SEQUENCE public.n8n_chat_histories_id_seq
    AS integer
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1;
ALTER SEQUENCE public.n8n_chat_histories_id_seq OWNED BY public.n8n_chat_histories.id;
ALTER TABLE ONLY public.n8n_chat_histories ALTER COLUMN id SET DEFAULT nextval('public.n8n_chat_histories_id_seq'::regclass);
INSERT INTO public.n8n_chat_histories VALUES (1, 'middle', '{"type": "human", "content": "Weather?", "additional_kwargs": {}, "response_metadata": {}}');
INSERT INTO public.n8n_chat_histories VALUES (2, 'late', '{"type": "human", "content": "Weather?", "additional_kwargs": {}, "response_metadata": {}}');
INSERT INTO public.n8n_chat_histories VALUES (3, 'end', '{"type": "human", "content": "Weather?", "additional_kwargs": {}, "response_metadata": {}}');
INSERT INTO public.n8n_chat_histories VALUES (4, 'sound', '{"type": "human", "content": "Weather?", "additional_kwargs": {}, "response_metadata": {}}');
INSERT INTO public.n8n_chat_histories VALUES (5, 'middle', '{"type": "ai", "content": "", "tool_calls": [{"id": "c1", "args": {"city": "Bern"}, "name": "weather"}, {"id": "c2", "args": {"city": "Bern"}, "name": "weather"}], "additional_kwargs": {}, "response_metadata": {}, "invalid_tool_calls": []}');
INSERT INTO public.n8n_chat_histories VALUES (6, 'late', '{"type": "ai", "content": "", "tool_calls": [{"id": "c3", "args": {"city": "Bern"}, "name": "weather"}], "additional_kwargs": {}, "response_metadata": {}, "invalid_tool_calls": []}');
INSERT INTO public.n8n_chat_histories VALUES (7, 'end', '{"type": "ai", "content": "", "tool_calls": [{"id": "c4", "args": {"city": "Bern"}, "name": "weather"}], "additional_kwargs": {}, "response_metadata": {}, "invalid_tool_calls": []}');
INSERT INTO public.n8n_chat_histories VALUES (8, 'sound', '{"type": "ai", "content": "", "tool_calls": [{"id": "c5", "args": {"city": "Bern"}, "name": "weather"}], "additional_kwargs": {}, "response_metadata": {}, "invalid_tool_calls": []}');
INSERT INTO public.n8n_chat_histories VALUES (9, 'middle', '{"name": "weather", "type": "tool", "content": "21 degrees", "tool_call_id": "c1", "additional_kwargs": {}, "response_metadata": {}}');
INSERT INTO public.n8n_chat_histories VALUES (10, 'late', '{"type": "human", "content": "Hello?", "additional_kwargs": {}, "response_metadata": {}}');
INSERT INTO public.n8n_chat_histories VALUES (11, 'sound', '{"name": "weather", "type": "tool", "content": "21 degrees", "tool_call_id": "c5", "additional_kwargs": {}, "response_metadata": {}}');
INSERT INTO public.n8n_chat_histories VALUES (12, 'middle', '{"type": "human", "content": "Hello?", "additional_kwargs": {}, "response_metadata": {}}');
INSERT INTO public.n8n_chat_histories VALUES (13, 'late', '{"name": "weather", "type": "tool", "content": "21 degrees", "tool_call_id": "c3", "additional_kwargs": {}, "response_metadata": {}}');
INSERT INTO public.n8n_chat_histories VALUES (14, 'sound', '{"type": "ai", "content": "Sunny.", "tool_calls": [], "additional_kwargs": {}, "response_metadata": {}, "invalid_tool_calls": []}');
INSERT INTO public.n8n_chat_histories VALUES (15, 'sound', '{"type": "human", "content": "Thanks.", "additional_kwargs": {}, "response_metadata": {}}');
SELECT pg_catalog.setval('public.n8n_chat_histories_id_seq', 15, true);
ALTER TABLE ONLY public.n8n_chat_histories
    ADD CONSTRAINT n8n_chat_histories_pkey PRIMARY KEY (id);
