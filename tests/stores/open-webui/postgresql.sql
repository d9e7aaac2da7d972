CREATE TABLE public.chat (
    id character varying NOT NULL,
    user_id character varying,
    title text,
    created_at bigint,
    updated_at bigint,
    share_id text,
    archived boolean,
    chat json,
    pinned boolean,
    meta json DEFAULT '{}'::json NOT NULL,
    folder_id text,
    tasks json,
    summary text,
    last_read_at bigint,
    current_message_id text,
    variables json,
    timer_at bigint
);
CREATE TABLE public.chat_message (
    id text NOT NULL,
    chat_id text NOT NULL,
    user_id text,
    role text NOT NULL,
    parent_id text,
    content json,
    output json,
    model_id text,
    files json,
    sources json,
    embeds json,
    done boolean,
    status_history json,
    error json,
    usage json,
    created_at bigint,
    updated_at bigint,
    context_summary text,
    meta json
);
INSERT INTO public.chat VALUES ('sound', 'u', 'sound', 1796059864, 1796059864, NULL, false, '{"title":"sound","models":["fake"],"history":{"messages":{"u1":{"id":"u1","parentId":null,"childrenIds":["a1"],"role":"user","content":"user u1","timestamp":1790000000},"a1":{"id":"a1","parentId":"u1","childrenIds":["u2"],"role":"assistant","content":"assistant a1","timestamp":1790000000,"output":[{"type":"function_call","id":"c9","call_id":"c9","name":"weather","arguments":"{\"city\": \"Zürich\"}","status":"completed"},{"type":"function_call_output","id":"fco_c9","call_id":"c9","output":[{"type":"input_text","text":"{\"degrees\": 21}"}],"status":"completed"},{"id":"msg_1","type":"message","role":"assistant","status":"completed","content":[{"type":"output_text","text":"Warm."}]}],"done":true,"model":"fake"},"u2":{"id":"u2","parentId":"a1","childrenIds":[],"role":"user","content":"user u2","timestamp":1790000000}},"currentId":"u2"},"messages":[]}', false, '{}', NULL, 'null', NULL, 1796059864, 'u2', '{}', NULL);
INSERT INTO public.chat VALUES ('end', 'u', 'end', 1796059864, 1796059864, NULL, false, '{"title":"end","models":["fake"],"history":{"messages":{"u1":{"id":"u1","parentId":null,"childrenIds":["a1"],"role":"user","content":"user u1","timestamp":1790000000},"a1":{"id":"a1","parentId":"u1","childrenIds":[],"role":"assistant","content":"assistant a1","timestamp":1790000000,"output":[{"type":"function_call","id":"c5","call_id":"c5","name":"weather","arguments":"{\"city\": \"Zürich\"}","status":"in_progress"}],"done":false,"model":"fake"}},"currentId":"a1"},"messages":[]}', false, '{}', NULL, 'null', NULL, 1796059864, 'a1', '{}', NULL);
INSERT INTO public.chat VALUES ('branches', 'u', 'branches', 1796059864, 1796059864, NULL, false, '{"title":"branches","models":["fake"],"history":{"messages":{"u1":{"id":"u1","parentId":null,"childrenIds":["a1"],"role":"user","content":"user u1","timestamp":1790000000},"a1":{"id":"a1","parentId":"u1","childrenIds":["u2","u3"],"role":"assistant","content":"assistant a1","timestamp":1790000000,"output":[{"id":"msg_1","type":"message","role":"assistant","status":"completed","content":[{"type":"output_text","text":"Let me look."}]},{"type":"function_call","id":"c1","call_id":"c1","name":"weather","arguments":"{\"city\": \"Zürich\"}","status":"completed"},{"type":"function_call","id":"c2","call_id":"c2","name":"weather","arguments":"{\"city\": \"Zürich\"}","status":"in_progress"},{"type":"function_call_output","id":"fco_c1","call_id":"c1","output":[{"type":"input_text","text":"{\"degrees\": 21}"}],"status":"completed"}],"done":false,"model":"fake"},"u2":{"id":"u2","parentId":"a1","childrenIds":["a2"],"role":"user","content":"user u2","timestamp":1790000000},"a2":{"id":"a2","parentId":"u2","childrenIds":[],"role":"assistant","content":"assistant a2","timestamp":1790000000,"output":[{"id":"msg_1","type":"message","role":"assistant","status":"completed","content":[{"type":"output_text","text":"It is warm."}]}],"done":true,"model":"fake"},"u3":{"id":"u3","parentId":"a1","childrenIds":[],"role":"user","content":"user u3","timestamp":1790000000}},"currentId":"u3"},"messages":[]}', false, '{}', NULL, 'null', NULL, 1796059864, 'u3', '{}', NULL);
INSERT INTO public.chat VALUES ('approval', 'u', 'approval', 1796059864, 1796059864, NULL, false, '{"title":"approval","models":["fake"],"history":{"messages":{"u1":{"id":"u1","parentId":null,"childrenIds":["a1"],"role":"user","content":"user u1","timestamp":1790000000},"a1":{"id":"a1","parentId":"u1","childrenIds":[],"role":"assistant","content":"assistant a1","timestamp":1790000000,"output":[{"type":"function_call","id":"c6","call_id":"c6","name":"weather","arguments":"{\"city\": \"Zürich\"}","status":"pending"},{"type":"function_call","id":"c7","call_id":"c7","name":"weather","arguments":"{\"city\": \"Zürich\"}","status":"queued"}],"done":false,"model":"fake"}},"currentId":"a1"},"messages":[]}', false, '{}', NULL, 'null', NULL, 1796059864, 'a1', '{}', NULL);
INSERT INTO public.chat VALUES ('stopped', 'u', 'stopped', 1796059864, 1796059864, NULL, false, '{"title":"stopped","models":["fake"],"history":{"messages":{"u1":{"id":"u1","parentId":null,"childrenIds":["a1","a2"],"role":"user","content":"user u1","timestamp":1790000000},"a1":{"id":"a1","parentId":"u1","childrenIds":[],"role":"assistant","content":"assistant a1","timestamp":1790000000,"output":[{"type":"function_call","id":"c3","call_id":"c3","name":"weather","arguments":"{\"city\": \"Zürich\"}","status":"incomplete"}],"done":true,"model":"fake"},"a2":{"id":"a2","parentId":"u1","childrenIds":[],"role":"assistant","content":"assistant a2","timestamp":1790000000,"output":[{"type":"function_call","id":"c4","call_id":"c4","name":"weather","arguments":"{\"city\": \"Zürich\"}","status":"completed"},{"type":"function_call_output","id":"fco_c4","call_id":"c4","output":[{"type":"input_text","text":"{\"degrees\": 21}"}],"status":"completed"},{"id":"msg_1","type":"message","role":"assistant","status":"completed","content":[{"type":"output_text","text":"Warm."}]}],"done":true,"model":"fake"}},"currentId":"a2"},"messages":[]}', false, '{}', NULL, 'null', NULL, 1796059864, 'a2', '{}', NULL);
INSERT INTO public.chat VALUES ('differs', 'u', 'differs', 1796059864, 1796059864, NULL, false, '{"title":"differs","models":["fake"],"history":{"messages":{"u1":{"id":"u1","parentId":null,"childrenIds":["a1"],"role":"user","content":"user u1","timestamp":1790000000},"a1":{"id":"a1","parentId":"u1","childrenIds":["u2"],"role":"assistant","content":"assistant a1","timestamp":1790000000,"output":[{"type":"function_call","id":"c11","call_id":"c11","name":"weather","arguments":"{\"city\": \"Zürich\"}","status":"in_progress"}],"done":true,"model":"fake"},"u2":{"id":"u2","parentId":"a1","childrenIds":[],"role":"user","content":"user u2","timestamp":1790000000}},"currentId":"u2"},"messages":[]}', false, '{}', NULL, 'null', NULL, 1796059864, 'u2', '{}', NULL);
INSERT INTO public.chat VALUES ('question', 'u', 'question', 1796059864, 1796059864, NULL, false, '{"title":"question","models":["fake"],"history":{"messages":{"u1":{"id":"u1","parentId":null,"childrenIds":["a1"],"role":"user","content":"user u1","timestamp":1790000000},"a1":{"id":"a1","parentId":"u1","childrenIds":[],"role":"assistant","content":"assistant a1","timestamp":1790000000,"output":[{"type":"function_call","id":"c8","call_id":"c8","name":"ask_user","arguments":"{\"city\": \"Zürich\"}","status":"pending"}],"done":false,"model":"fake"}},"currentId":"a1"},"messages":[]}', false, '{}', NULL, 'null', NULL, 1796059864, 'a1', '{}', NULL);
INSERT INTO public.chat VALUES ('stripped', 'u', 'stripped', 1796059864, 1796059864, NULL, false, '{"title":"stripped","models":["fake"],"history":{"messages":{"u1":{"id":"u1","parentId":null,"childrenIds":["a1"],"role":"user","content":"user u1","timestamp":1790000000},"a1":{"id":"a1","parentId":"u1","childrenIds":["u2"],"role":"assistant","content":"assistant a1","timestamp":1790000000,"output":null,"done":true,"model":"fake"},"u2":{"id":"u2","parentId":"a1","childrenIds":[],"role":"user","content":"user u2","timestamp":1790000000}},"currentId":"u2"},"messages":[]}', false, '{}', NULL, 'null', NULL, 1796059864, 'u2', '{}', NULL);
INSERT INTO public.chat VALUES ('old', 'u', 'old', 1796059864, 1796059864, NULL, false, '{"title":"old","models":["fake"],"history":{"messages":{"u1":{"id":"u1","parentId":null,"childrenIds":["a1"],"role":"user","content":"user u1","timestamp":1790000000},"a1":{"id":"a1","parentId":"u1","childrenIds":["u2"],"role":"assistant","content":"assistant a1","timestamp":1790000000,"output":[{"type":"function_call","id":"c10","call_id":"c10","name":"weather","arguments":"{\"city\": \"Zürich\"}","status":"in_progress"}],"done":false,"model":"fake"},"u2":{"id":"u2","parentId":"a1","childrenIds":[],"role":"user","content":"user u2","timestamp":1790000000}},"currentId":"u2"},"messages":[{"id":"u1","parentId":null,"childrenIds":["a1"],"role":"user","content":"user u1","timestamp":1790000000},{"id":"a1","parentId":"u1","childrenIds":["u2"],"role":"assistant","content":"assistant a1","timestamp":1790000000,"output":[{"type":"function_call","id":"c10","call_id":"c10","name":"weather","arguments":"{\"city\": \"Zürich\"}","status":"in_progress"}],"done":false,"model":"fake"},{"id":"u2","parentId":"a1","childrenIds":[],"role":"user","content":"user u2","timestamp":1790000000}]}', false, '{}', NULL, 'null', NULL, 1796059864, 'u2', '{}', NULL);
INSERT INTO public.chat_message VALUES ('branches-u1', 'branches', 'u', 'user', NULL, '"user u1"', 'null', NULL, 'null', 'null', 'null', true, 'null', 'null', 'null', 1790000000, 1796059864, NULL, 'null');
INSERT INTO public.chat_message VALUES ('branches-a1', 'branches', 'u', 'assistant', 'u1', '"assistant a1"', '[{"id":"msg_1","type":"message","role":"assistant","status":"completed","content":[{"type":"output_text","text":"Let me look."}]},{"type":"function_call","id":"c1","call_id":"c1","name":"weather","arguments":"{\"city\": \"Zürich\"}","status":"completed"},{"type":"function_call","id":"c2","call_id":"c2","name":"weather","arguments":"{\"city\": \"Zürich\"}","status":"in_progress"},{"type":"function_call_output","id":"fco_c1","call_id":"c1","output":[{"type":"input_text","text":"{\"degrees\": 21}"}],"status":"completed"}]', 'fake', 'null', 'null', 'null', false, 'null', 'null', 'null', 1790000000, 1796059864, NULL, 'null');
INSERT INTO public.chat_message VALUES ('branches-u2', 'branches', 'u', 'user', 'a1', '"user u2"', 'null', NULL, 'null', 'null', 'null', true, 'null', 'null', 'null', 1790000000, 1796059864, NULL, 'null');
INSERT INTO public.chat_message VALUES ('branches-a2', 'branches', 'u', 'assistant', 'u2', '"assistant a2"', '[{"id":"msg_1","type":"message","role":"assistant","status":"completed","content":[{"type":"output_text","text":"It is warm."}]}]', 'fake', 'null', 'null', 'null', true, 'null', 'null', 'null', 1790000000, 1796059864, NULL, 'null');
INSERT INTO public.chat_message VALUES ('branches-u3', 'branches', 'u', 'user', 'a1', '"user u3"', 'null', NULL, 'null', 'null', 'null', true, 'null', 'null', 'null', 1790000000, 1796059864, NULL, 'null');
INSERT INTO public.chat_message VALUES ('stopped-u1', 'stopped', 'u', 'user', NULL, '"user u1"', 'null', NULL, 'null', 'null', 'null', true, 'null', 'null', 'null', 1790000000, 1796059864, NULL, 'null');
INSERT INTO public.chat_message VALUES ('stopped-a1', 'stopped', 'u', 'assistant', 'u1', '"assistant a1"', '[{"type":"function_call","id":"c3","call_id":"c3","name":"weather","arguments":"{\"city\": \"Zürich\"}","status":"incomplete"}]', 'fake', 'null', 'null', 'null', true, 'null', 'null', 'null', 1790000000, 1796059864, NULL, 'null');
INSERT INTO public.chat_message VALUES ('stopped-a2', 'stopped', 'u', 'assistant', 'u1', '"assistant a2"', '[{"type":"function_call","id":"c4","call_id":"c4","name":"weather","arguments":"{\"city\": \"Zürich\"}","status":"completed"},{"type":"function_call_output","id":"fco_c4","call_id":"c4","output":[{"type":"input_text","text":"{\"degrees\": 21}"}],"status":"completed"},{"id":"msg_1","type":"message","role":"assistant","status":"completed","content":[{"type":"output_text","text":"Warm."}]}]', 'fake', 'null', 'null', 'null', true, 'null', 'null', 'null', 1790000000, 1796059864, NULL, 'null');
INSERT INTO public.chat_message VALUES ('end-u1', 'end', 'u', 'user', NULL, '"user u1"', 'null', NULL, 'null', 'null', 'null', true, 'null', 'null', 'null', 1790000000, 1796059864, NULL, 'null');
INSERT INTO public.chat_message VALUES ('end-a1', 'end', 'u', 'assistant', 'u1', '"assistant a1"', '[{"type":"function_call","id":"c5","call_id":"c5","name":"weather","arguments":"{\"city\": \"Zürich\"}","status":"in_progress"}]', 'fake', 'null', 'null', 'null', false, 'null', 'null', 'null', 1790000000, 1796059864, NULL, 'null');
INSERT INTO public.chat_message VALUES ('approval-u1', 'approval', 'u', 'user', NULL, '"user u1"', 'null', NULL, 'null', 'null', 'null', true, 'null', 'null', 'null', 1790000000, 1796059864, NULL, 'null');
INSERT INTO public.chat_message VALUES ('approval-a1', 'approval', 'u', 'assistant', 'u1', '"assistant a1"', '[{"type":"function_call","id":"c6","call_id":"c6","name":"weather","arguments":"{\"city\": \"Zürich\"}","status":"pending"},{"type":"function_call","id":"c7","call_id":"c7","name":"weather","arguments":"{\"city\": \"Zürich\"}","status":"queued"}]', 'fake', 'null', 'null', 'null', false, 'null', 'null', 'null', 1790000000, 1796059864, NULL, 'null');
INSERT INTO public.chat_message VALUES ('question-u1', 'question', 'u', 'user', NULL, '"user u1"', 'null', NULL, 'null', 'null', 'null', true, 'null', 'null', 'null', 1790000000, 1796059864, NULL, 'null');
INSERT INTO public.chat_message VALUES ('question-a1', 'question', 'u', 'assistant', 'u1', '"assistant a1"', '[{"type":"function_call","id":"c8","call_id":"c8","name":"ask_user","arguments":"{\"city\": \"Zürich\"}","status":"pending"}]', 'fake', 'null', 'null', 'null', false, 'null', 'null', 'null', 1790000000, 1796059864, NULL, 'null');
INSERT INTO public.chat_message VALUES ('sound-u1', 'sound', 'u', 'user', NULL, '"user u1"', 'null', NULL, 'null', 'null', 'null', true, 'null', 'null', 'null', 1790000000, 1796059864, NULL, 'null');
INSERT INTO public.chat_message VALUES ('sound-a1', 'sound', 'u', 'assistant', 'u1', '"assistant a1"', '[{"type":"function_call","id":"c9","call_id":"c9","name":"weather","arguments":"{\"city\": \"Zürich\"}","status":"completed"},{"type":"function_call_output","id":"fco_c9","call_id":"c9","output":[{"type":"input_text","text":"{\"degrees\": 21}"}],"status":"completed"},{"id":"msg_1","type":"message","role":"assistant","status":"completed","content":[{"type":"output_text","text":"Warm."}]}]', 'fake', 'null', 'null', 'null', true, 'null', 'null', 'null', 1790000000, 1796059864, NULL, 'null');
INSERT INTO public.chat_message VALUES ('sound-u2', 'sound', 'u', 'user', 'a1', '"user u2"', 'null', NULL, 'null', 'null', 'null', true, 'null', 'null', 'null', 1790000000, 1796059864, NULL, 'null');
INSERT INTO public.chat_message VALUES ('differs-u1', 'differs', 'u', 'user', NULL, '"user u1"', 'null', NULL, 'null', 'null', 'null', true, 'null', 'null', 'null', 1790000000, 1796059864, NULL, 'null');
INSERT INTO public.chat_message VALUES ('differs-u2', 'differs', 'u', 'user', 'a1', '"user u2"', 'null', NULL, 'null', 'null', 'null', true, 'null', 'null', 'null', 1790000000, 1796059864, NULL, 'null');
INSERT INTO public.chat_message VALUES ('stripped-u1', 'stripped', 'u', 'user', NULL, '"user u1"', 'null', NULL, 'null', 'null', 'null', true, 'null', 'null', 'null', 1790000000, 1796059864, NULL, 'null');
INSERT INTO public.chat_message VALUES ('stripped-u2', 'stripped', 'u', 'user', 'a1', '"user u2"', 'null', NULL, 'null', 'null', 'null', true, 'null', 'null', 'null', 1790000000, 1796059864, NULL, 'null');
INSERT INTO public.chat_message VALUES ('differs-a1', 'differs', 'u', 'assistant', 'u1', '"assistant a1"', '[{"type":"function_call","id":"c11","call_id":"c11","name":"weather","arguments":"{\"city\": \"Zürich\"}","status":"completed"},{"type":"function_call_output","id":"fco_c11","call_id":"c11","output":[{"type":"input_text","text":"{\"degrees\": 21}"}],"status":"completed"}]', 'fake', 'null', 'null', 'null', true, 'null', 'null', 'null', 1790000000, 1796059864, NULL, 'null');
INSERT INTO public.chat_message VALUES ('stripped-a1', 'stripped', 'u', 'assistant', 'u1', '"assistant a1"', '[{"type":"function_call","id":"c12","call_id":"c12","name":"weather","arguments":"{\"city\": \"Zürich\"}","status":"in_progress"}]', 'fake', 'null', 'null', 'null', true, 'null', 'null', 'null', 1790000000, 1796059864, NULL, 'null');
ALTER TABLE ONLY public.chat_message
    ADD CONSTRAINT chat_message_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.chat
    ADD CONSTRAINT chat_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.chat
    ADD CONSTRAINT chat_share_id_key UNIQUE (share_id);
CREATE INDEX chat_message_chat_parent_idx ON public.chat_message USING btree (chat_id, parent_id);
CREATE INDEX chat_message_chat_role_done_idx ON public.chat_message USING btree (chat_id, role, done);
CREATE INDEX chat_message_model_created_idx ON public.chat_message USING btree (model_id, created_at);
CREATE INDEX chat_message_user_created_idx ON public.chat_message USING btree (user_id, created_at);
CREATE INDEX folder_id_idx ON public.chat USING btree (folder_id);
CREATE INDEX folder_id_user_id_idx ON public.chat USING btree (folder_id, user_id);
CREATE INDEX ix_chat_message_chat_id ON public.chat_message USING btree (chat_id);
CREATE INDEX ix_chat_message_created_at ON public.chat_message USING btree (created_at);
CREATE INDEX ix_chat_message_model_id ON public.chat_message USING btree (model_id);
CREATE INDEX ix_chat_message_user_id ON public.chat_message USING btree (user_id);
CREATE INDEX timer_at_idx ON public.chat USING btree (timer_at) WHERE (timer_at IS NOT NULL);
CREATE INDEX updated_at_user_id_idx ON public.chat USING btree (updated_at, user_id);
CREATE INDEX user_id_archived_idx ON public.chat USING btree (user_id, archived);
CREATE INDEX user_id_folder_unread_idx ON public.chat USING btree (user_id, folder_id, archived, updated_at, last_read_at, id);
CREATE INDEX user_id_pinned_idx ON public.chat USING btree (user_id, pinned);
CREATE INDEX user_id_timer_at_idx ON public.chat USING btree (user_id, timer_at) WHERE (timer_at IS NOT NULL);
CREATE INDEX user_id_updated_at_id_idx ON public.chat USING btree (user_id, updated_at DESC, id);
ALTER TABLE ONLY public.chat_message
    ADD CONSTRAINT chat_message_chat_id_fkey FOREIGN KEY (chat_id) REFERENCES public.chat(id) ON DELETE CASCADE;
