CREATE TABLE public.agent_messages (
    id integer NOT NULL,
    session_id character varying NOT NULL,
    message_data text NOT NULL,
    created_at timestamp without time zone DEFAULT CURRENT_TIMESTAMP NOT NULL
);
CREATE SEQUENCE public.agent_messages_id_seq
    AS integer
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1;
ALTER SEQUENCE public.agent_messages_id_seq OWNED BY public.agent_messages.id;
CREATE TABLE public.agent_sessions (
    session_id character varying NOT NULL,
    created_at timestamp without time zone DEFAULT CURRENT_TIMESTAMP NOT NULL,
    updated_at timestamp without time zone DEFAULT CURRENT_TIMESTAMP NOT NULL
);
ALTER TABLE ONLY public.agent_messages ALTER COLUMN id SET DEFAULT nextval('public.agent_messages_id_seq'::regclass);
INSERT INTO public.agent_messages VALUES (1, 'middle', '{"role":"user","content":"Weather?"}', '2026-11-30 12:09:37.029915');
INSERT INTO public.agent_messages VALUES (2, 'late', '{"role":"user","content":"Weather?"}', '2026-11-30 12:09:37.090873');
INSERT INTO public.agent_messages VALUES (3, 'end', '{"role":"user","content":"Weather?"}', '2026-11-30 12:09:37.144368');
INSERT INTO public.agent_messages VALUES (4, 'sound', '{"role":"user","content":"Weather?"}', '2026-11-30 12:09:37.177977');
INSERT INTO public.agent_messages VALUES (5, 'middle', '{"type":"function_call","name":"weather","arguments":"{\"city\":\"Bern\"}","call_id":"c1","id":"fc_c1","status":"completed"}', '2026-11-30 12:09:37.220915');
INSERT INTO public.agent_messages VALUES (6, 'middle', '{"type":"function_call","name":"weather","arguments":"{\"city\":\"Bern\"}","call_id":"c2","id":"fc_c2","status":"completed"}', '2026-11-30 12:09:37.220915');
INSERT INTO public.agent_messages VALUES (7, 'late', '{"type":"function_call","name":"weather","arguments":"{\"city\":\"Bern\"}","call_id":"c3","id":"fc_c3","status":"completed"}', '2026-11-30 12:09:37.255859');
INSERT INTO public.agent_messages VALUES (8, 'end', '{"type":"function_call","name":"weather","arguments":"{\"city\":\"Bern\"}","call_id":"c4","id":"fc_c4","status":"completed"}', '2026-11-30 12:09:37.29687');
INSERT INTO public.agent_messages VALUES (9, 'sound', '{"type":"function_call","name":"weather","arguments":"{\"city\":\"Bern\"}","call_id":"c5","id":"fc_c5","status":"completed"}', '2026-11-30 12:09:37.346088');
INSERT INTO public.agent_messages VALUES (10, 'middle', '{"type":"function_call_output","call_id":"c1","output":"21 degrees"}', '2026-11-30 12:09:37.390157');
INSERT INTO public.agent_messages VALUES (11, 'late', '{"role":"user","content":"Hello?"}', '2026-11-30 12:09:37.469888');
INSERT INTO public.agent_messages VALUES (12, 'sound', '{"type":"function_call_output","call_id":"c5","output":"21 degrees"}', '2026-11-30 12:09:37.521673');
INSERT INTO public.agent_messages VALUES (13, 'middle', '{"role":"user","content":"Hello?"}', '2026-11-30 12:09:37.575031');
INSERT INTO public.agent_messages VALUES (14, 'late', '{"type":"function_call_output","call_id":"c3","output":"21 degrees"}', '2026-11-30 12:09:37.626017');
INSERT INTO public.agent_messages VALUES (15, 'sound', '{"role":"assistant","content":"Sunny."}', '2026-11-30 12:09:37.685538');
INSERT INTO public.agent_messages VALUES (16, 'sound', '{"role":"user","content":"Thanks."}', '2026-11-30 12:09:37.742022');
INSERT INTO public.agent_sessions VALUES ('end', '2026-11-30 12:09:37.144368', '2026-11-30 12:09:37.29687');
INSERT INTO public.agent_sessions VALUES ('middle', '2026-11-30 12:09:37.029915', '2026-11-30 12:09:37.575031');
INSERT INTO public.agent_sessions VALUES ('late', '2026-11-30 12:09:37.090873', '2026-11-30 12:09:37.626017');
INSERT INTO public.agent_sessions VALUES ('sound', '2026-11-30 12:09:37.177977', '2026-11-30 12:09:37.742022');
SELECT pg_catalog.setval('public.agent_messages_id_seq', 16, true);
ALTER TABLE ONLY public.agent_messages
    ADD CONSTRAINT agent_messages_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.agent_sessions
    ADD CONSTRAINT agent_sessions_pkey PRIMARY KEY (session_id);
CREATE INDEX idx_agent_messages_session_time ON public.agent_messages USING btree (session_id, created_at);
ALTER TABLE ONLY public.agent_messages
    ADD CONSTRAINT agent_messages_session_id_fkey FOREIGN KEY (session_id) REFERENCES public.agent_sessions(session_id) ON DELETE CASCADE;
