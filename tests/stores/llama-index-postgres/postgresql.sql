CREATE TABLE public.chatstore (
    id integer NOT NULL,
    key character varying NOT NULL,
    value json[]
);
CREATE SEQUENCE public.chatstore_id_seq
    AS integer
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1;
ALTER SEQUENCE public.chatstore_id_seq OWNED BY public.chatstore.id;
ALTER TABLE ONLY public.chatstore ALTER COLUMN id SET DEFAULT nextval('public.chatstore_id_seq'::regclass);
INSERT INTO public.chatstore VALUES (3, 'end', '{"{\"role\":\"user\",\"additional_kwargs\":{},\"blocks\":[{\"block_type\":\"text\",\"text\":\"Weather?\"}]}","{\"role\":\"assistant\",\"additional_kwargs\":{},\"blocks\":[{\"block_type\":\"tool_call\",\"tool_call_id\":\"c4\",\"tool_name\":\"weather\",\"tool_kwargs\":{\"city\":\"Bern\"}}]}"}');
INSERT INTO public.chatstore VALUES (1, 'middle', '{"{\"role\":\"user\",\"additional_kwargs\":{},\"blocks\":[{\"block_type\":\"text\",\"text\":\"Weather?\"}]}","{\"role\":\"assistant\",\"additional_kwargs\":{},\"blocks\":[{\"block_type\":\"tool_call\",\"tool_call_id\":\"c1\",\"tool_name\":\"weather\",\"tool_kwargs\":{\"city\":\"Bern\"}},{\"block_type\":\"tool_call\",\"tool_call_id\":\"c2\",\"tool_name\":\"weather\",\"tool_kwargs\":{\"city\":\"Bern\"}}]}","{\"role\":\"tool\",\"additional_kwargs\":{\"tool_call_id\":\"c1\"},\"blocks\":[{\"block_type\":\"text\",\"text\":\"21 degrees\"}]}","{\"role\":\"user\",\"additional_kwargs\":{},\"blocks\":[{\"block_type\":\"text\",\"text\":\"Hello?\"}]}"}');
INSERT INTO public.chatstore VALUES (2, 'late', '{"{\"role\":\"user\",\"additional_kwargs\":{},\"blocks\":[{\"block_type\":\"text\",\"text\":\"Weather?\"}]}","{\"role\":\"assistant\",\"additional_kwargs\":{},\"blocks\":[{\"block_type\":\"tool_call\",\"tool_call_id\":\"c3\",\"tool_name\":\"weather\",\"tool_kwargs\":{\"city\":\"Bern\"}}]}","{\"role\":\"user\",\"additional_kwargs\":{},\"blocks\":[{\"block_type\":\"text\",\"text\":\"Hello?\"}]}","{\"role\":\"tool\",\"additional_kwargs\":{\"tool_call_id\":\"c3\"},\"blocks\":[{\"block_type\":\"text\",\"text\":\"21 degrees\"}]}"}');
INSERT INTO public.chatstore VALUES (4, 'sound', '{"{\"role\":\"user\",\"additional_kwargs\":{},\"blocks\":[{\"block_type\":\"text\",\"text\":\"Weather?\"}]}","{\"role\":\"assistant\",\"additional_kwargs\":{},\"blocks\":[{\"block_type\":\"tool_call\",\"tool_call_id\":\"c5\",\"tool_name\":\"weather\",\"tool_kwargs\":{\"city\":\"Bern\"}}]}","{\"role\":\"tool\",\"additional_kwargs\":{\"tool_call_id\":\"c5\"},\"blocks\":[{\"block_type\":\"text\",\"text\":\"21 degrees\"}]}","{\"role\":\"assistant\",\"additional_kwargs\":{},\"blocks\":[{\"block_type\":\"text\",\"text\":\"Sunny.\"}]}","{\"role\":\"user\",\"additional_kwargs\":{},\"blocks\":[{\"block_type\":\"text\",\"text\":\"Thanks.\"}]}"}');
SELECT pg_catalog.setval('public.chatstore_id_seq', 15, true);
ALTER TABLE ONLY public.chatstore
    ADD CONSTRAINT "chatstore:unique_key" UNIQUE (key);
ALTER TABLE ONLY public.chatstore
    ADD CONSTRAINT chatstore_pkey PRIMARY KEY (id);
CREATE INDEX "chatstore:idx_key" ON public.chatstore USING btree (key);
