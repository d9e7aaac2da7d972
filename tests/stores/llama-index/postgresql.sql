CREATE TABLE public.llama_index_memory (
    id integer NOT NULL,
    key character varying NOT NULL,
    "timestamp" bigint NOT NULL,
    role character varying NOT NULL,
    status character varying NOT NULL,
    data json NOT NULL
);
CREATE SEQUENCE public.llama_index_memory_id_seq
    AS integer
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1;
ALTER SEQUENCE public.llama_index_memory_id_seq OWNED BY public.llama_index_memory.id;
ALTER TABLE ONLY public.llama_index_memory ALTER COLUMN id SET DEFAULT nextval('public.llama_index_memory_id_seq'::regclass);
INSERT INTO public.llama_index_memory VALUES (1, 'middle', 1796040855409652740, 'user', 'active', '{"role": "user", "additional_kwargs": {}, "blocks": [{"block_type": "text", "text": "Weather?"}]}');
INSERT INTO public.llama_index_memory VALUES (2, 'late', 1796040855417072019, 'user', 'active', '{"role": "user", "additional_kwargs": {}, "blocks": [{"block_type": "text", "text": "Weather?"}]}');
INSERT INTO public.llama_index_memory VALUES (3, 'end', 1796040855418513086, 'user', 'active', '{"role": "user", "additional_kwargs": {}, "blocks": [{"block_type": "text", "text": "Weather?"}]}');
INSERT INTO public.llama_index_memory VALUES (4, 'sound', 1796040855419649841, 'user', 'active', '{"role": "user", "additional_kwargs": {}, "blocks": [{"block_type": "text", "text": "Weather?"}]}');
INSERT INTO public.llama_index_memory VALUES (5, 'middle', 1796040855420945400, 'assistant', 'active', '{"role": "assistant", "additional_kwargs": {}, "blocks": [{"block_type": "tool_call", "tool_call_id": "c1", "tool_name": "weather", "tool_kwargs": {"city": "Bern"}}, {"block_type": "tool_call", "tool_call_id": "c2", "tool_name": "weather", "tool_kwargs": {"city": "Bern"}}]}');
INSERT INTO public.llama_index_memory VALUES (6, 'late', 1796040855425427305, 'assistant', 'active', '{"role": "assistant", "additional_kwargs": {}, "blocks": [{"block_type": "tool_call", "tool_call_id": "c3", "tool_name": "weather", "tool_kwargs": {"city": "Bern"}}]}');
INSERT INTO public.llama_index_memory VALUES (7, 'end', 1796040855426451515, 'assistant', 'active', '{"role": "assistant", "additional_kwargs": {}, "blocks": [{"block_type": "tool_call", "tool_call_id": "c4", "tool_name": "weather", "tool_kwargs": {"city": "Bern"}}]}');
INSERT INTO public.llama_index_memory VALUES (8, 'sound', 1796040855429259416, 'assistant', 'active', '{"role": "assistant", "additional_kwargs": {}, "blocks": [{"block_type": "tool_call", "tool_call_id": "c5", "tool_name": "weather", "tool_kwargs": {"city": "Bern"}}]}');
INSERT INTO public.llama_index_memory VALUES (9, 'middle', 1796040855430133651, 'tool', 'active', '{"role": "tool", "additional_kwargs": {"tool_call_id": "c1"}, "blocks": [{"block_type": "text", "text": "21 degrees"}]}');
INSERT INTO public.llama_index_memory VALUES (10, 'late', 1796040855433403440, 'user', 'active', '{"role": "user", "additional_kwargs": {}, "blocks": [{"block_type": "text", "text": "Hello?"}]}');
INSERT INTO public.llama_index_memory VALUES (11, 'sound', 1796040855434227672, 'tool', 'active', '{"role": "tool", "additional_kwargs": {"tool_call_id": "c5"}, "blocks": [{"block_type": "text", "text": "21 degrees"}]}');
INSERT INTO public.llama_index_memory VALUES (12, 'middle', 1796040855436901229, 'user', 'active', '{"role": "user", "additional_kwargs": {}, "blocks": [{"block_type": "text", "text": "Hello?"}]}');
INSERT INTO public.llama_index_memory VALUES (13, 'late', 1796040855441682799, 'tool', 'active', '{"role": "tool", "additional_kwargs": {"tool_call_id": "c3"}, "blocks": [{"block_type": "text", "text": "21 degrees"}]}');
INSERT INTO public.llama_index_memory VALUES (14, 'sound', 1796040855442836221, 'assistant', 'active', '{"role": "assistant", "additional_kwargs": {}, "blocks": [{"block_type": "text", "text": "Sunny."}]}');
INSERT INTO public.llama_index_memory VALUES (15, 'sound', 1796040855443829804, 'user', 'active', '{"role": "user", "additional_kwargs": {}, "blocks": [{"block_type": "text", "text": "Thanks."}]}');
INSERT INTO public.llama_index_memory VALUES (16, 'archived', 1796040855447213166, 'user', 'archived', '{"role": "user", "additional_kwargs": {}, "blocks": [{"block_type": "text", "text": "Weather?"}]}');
INSERT INTO public.llama_index_memory VALUES (17, 'archived', 1796040855448387874, 'assistant', 'archived', '{"role": "assistant", "additional_kwargs": {}, "blocks": [{"block_type": "tool_call", "tool_call_id": "c6", "tool_name": "weather", "tool_kwargs": {"city": "Bern"}}]}');
SELECT pg_catalog.setval('public.llama_index_memory_id_seq', 17, true);
ALTER TABLE ONLY public.llama_index_memory
    ADD CONSTRAINT llama_index_memory_pkey PRIMARY KEY (id);
CREATE INDEX ix_llama_index_memory_key ON public.llama_index_memory USING btree (key);
CREATE INDEX ix_llama_index_memory_status ON public.llama_index_memory USING btree (status);
CREATE INDEX ix_llama_index_memory_timestamp ON public.llama_index_memory USING btree ("timestamp");
