BEGIN TRANSACTION;
CREATE TABLE messages (
    id TEXT PRIMARY KEY,
    session_id TEXT NOT NULL,
    role TEXT NOT NULL,
    parts TEXT NOT NULL default '[]',
    model TEXT,
    created_at INTEGER NOT NULL,
    updated_at INTEGER NOT NULL,
    finished_at INTEGER, provider TEXT, is_summary_message INTEGER DEFAULT 0 NOT NULL,
    FOREIGN KEY (session_id) REFERENCES sessions (id) ON DELETE CASCADE
);
INSERT INTO "messages" VALUES('00000000-0000-4000-8000-000000000001','middle','user','[{"type":"text","data":{"text":"Weather?"}},{"type":"finish","data":{"reason":"stop","time":0}}]','',1772445600,1772445600,NULL,NULL,0);
INSERT INTO "messages" VALUES('00000000-0000-4000-8000-000000000002','late','user','[{"type":"text","data":{"text":"Weather?"}},{"type":"finish","data":{"reason":"stop","time":0}}]','',1772445600,1772445600,NULL,NULL,0);
INSERT INTO "messages" VALUES('00000000-0000-4000-8000-000000000003','end','user','[{"type":"text","data":{"text":"Weather?"}},{"type":"finish","data":{"reason":"stop","time":0}}]','',1772445600,1772445600,NULL,NULL,0);
INSERT INTO "messages" VALUES('00000000-0000-4000-8000-000000000004','sound','user','[{"type":"text","data":{"text":"Weather?"}},{"type":"finish","data":{"reason":"stop","time":0}}]','',1772445600,1772445600,NULL,NULL,0);
INSERT INTO "messages" VALUES('00000000-0000-4000-8000-000000000005','middle','assistant','[{"type":"tool_call","data":{"id":"c1","name":"weather","input":"{\"city\": \"Bern\"}","provider_executed":false,"finished":true}},{"type":"tool_call","data":{"id":"c2","name":"weather","input":"{\"city\": \"Bern\"}","provider_executed":false,"finished":true}},{"type":"finish","data":{"reason":"tool_use","time":1772445600}}]','fake',1772445600,1772445600,1772445600,'fake',0);
INSERT INTO "messages" VALUES('00000000-0000-4000-8000-000000000006','late','assistant','[{"type":"tool_call","data":{"id":"c3","name":"weather","input":"{\"city\": \"Bern\"}","provider_executed":false,"finished":true}},{"type":"finish","data":{"reason":"tool_use","time":1772445600}}]','fake',1772445600,1772445600,1772445600,'fake',0);
INSERT INTO "messages" VALUES('00000000-0000-4000-8000-000000000007','end','assistant','[{"type":"tool_call","data":{"id":"c4","name":"weather","input":"{\"city\": \"Bern\"}","provider_executed":false,"finished":true}},{"type":"finish","data":{"reason":"tool_use","time":1772445600}}]','fake',1772445600,1772445600,1772445600,'fake',0);
INSERT INTO "messages" VALUES('00000000-0000-4000-8000-000000000008','sound','assistant','[{"type":"tool_call","data":{"id":"c5","name":"weather","input":"{\"city\": \"Bern\"}","provider_executed":false,"finished":true}},{"type":"finish","data":{"reason":"tool_use","time":1772445600}}]','fake',1772445601,1772445601,1772445601,'fake',0);
INSERT INTO "messages" VALUES('00000000-0000-4000-8000-000000000009','middle','tool','[{"type":"tool_result","data":{"tool_call_id":"c1","name":"weather","content":"21 degrees","data":"","mime_type":"","metadata":"","is_error":false}},{"type":"finish","data":{"reason":"stop","time":0}}]','',1772445601,1772445601,NULL,NULL,0);
INSERT INTO "messages" VALUES('00000000-0000-4000-8000-000000000010','late','user','[{"type":"text","data":{"text":"Hello?"}},{"type":"finish","data":{"reason":"stop","time":0}}]','',1772445601,1772445601,NULL,NULL,0);
INSERT INTO "messages" VALUES('00000000-0000-4000-8000-000000000011','sound','tool','[{"type":"tool_result","data":{"tool_call_id":"c5","name":"weather","content":"21 degrees","data":"","mime_type":"","metadata":"","is_error":false}},{"type":"finish","data":{"reason":"stop","time":0}}]','',1772445601,1772445601,NULL,NULL,0);
INSERT INTO "messages" VALUES('00000000-0000-4000-8000-000000000012','middle','user','[{"type":"text","data":{"text":"Hello?"}},{"type":"finish","data":{"reason":"stop","time":0}}]','',1772445601,1772445601,NULL,NULL,0);
INSERT INTO "messages" VALUES('00000000-0000-4000-8000-000000000013','late','tool','[{"type":"tool_result","data":{"tool_call_id":"c3","name":"weather","content":"21 degrees","data":"","mime_type":"","metadata":"","is_error":false}},{"type":"finish","data":{"reason":"stop","time":0}}]','',1772445601,1772445601,NULL,NULL,0);
INSERT INTO "messages" VALUES('00000000-0000-4000-8000-000000000014','sound','assistant','[{"type":"text","data":{"text":"Sunny."}},{"type":"finish","data":{"reason":"end_turn","time":1772445600}}]','fake',1772445601,1772445601,1772445601,'fake',0);
INSERT INTO "messages" VALUES('00000000-0000-4000-8000-000000000015','sound','user','[{"type":"text","data":{"text":"Thanks."}},{"type":"finish","data":{"reason":"stop","time":0}}]','',1772445601,1772445601,NULL,NULL,0);
INSERT INTO "messages" VALUES('00000000-0000-4000-8000-000000000016','cut','user','[{"type":"text","data":{"text":"Weather?"}},{"type":"finish","data":{"reason":"stop","time":0}}]','',1772445602,1772445602,NULL,NULL,0);
INSERT INTO "messages" VALUES('00000000-0000-4000-8000-000000000017','cut','assistant','[{"type":"tool_call","data":{"id":"c8","name":"weather","input":"{\"ci","provider_executed":false,"finished":false}}]','fake',1772445602,1772445602,NULL,'fake',0);
INSERT INTO "messages" VALUES('00000000-0000-4000-8000-000000000018','cut','user','[{"type":"text","data":{"text":"Hello?"}},{"type":"finish","data":{"reason":"stop","time":0}}]','',1772445602,1772445602,NULL,NULL,0);
INSERT INTO "messages" VALUES('00000000-0000-4000-8000-000000000019','summed','user','[{"type":"text","data":{"text":"Weather?"}},{"type":"finish","data":{"reason":"stop","time":0}}]','',1772445602,1772445602,NULL,NULL,0);
INSERT INTO "messages" VALUES('00000000-0000-4000-8000-000000000020','summed','assistant','[{"type":"tool_call","data":{"id":"c9","name":"weather","input":"{\"city\": \"Bern\"}","provider_executed":false,"finished":true}},{"type":"finish","data":{"reason":"tool_use","time":1772445600}}]','fake',1772445602,1772445602,1772445602,'fake',0);
INSERT INTO "messages" VALUES('summary-1','summed','assistant','[{"type":"text","data":{"text":"They asked for the weather."}}]','fake',1772445602,1772445602,1772445602,'fake',1);
INSERT INTO "messages" VALUES('00000000-0000-4000-8000-000000000022','summed','user','[{"type":"text","data":{"text":"Hello?"}},{"type":"finish","data":{"reason":"stop","time":0}}]','',1772445602,1772445602,NULL,NULL,0);
CREATE TABLE sessions (
    id TEXT PRIMARY KEY,
    parent_session_id TEXT,
    title TEXT NOT NULL,
    message_count INTEGER NOT NULL DEFAULT 0 CHECK (message_count >= 0),
    prompt_tokens  INTEGER NOT NULL DEFAULT 0 CHECK (prompt_tokens >= 0),
    completion_tokens  INTEGER NOT NULL DEFAULT 0 CHECK (completion_tokens>= 0),
    cost REAL NOT NULL DEFAULT 0.0 CHECK (cost >= 0.0),
    updated_at INTEGER NOT NULL,
    created_at INTEGER NOT NULL
, summary_message_id TEXT, todos TEXT);
INSERT INTO "sessions" VALUES('middle',NULL,'middle',4,0,0,0.0,1772445600,1772445600,NULL,NULL);
INSERT INTO "sessions" VALUES('late',NULL,'late',4,0,0,0.0,1772445600,1772445600,NULL,NULL);
INSERT INTO "sessions" VALUES('end',NULL,'end',2,0,0,0.0,1772445600,1772445600,NULL,NULL);
INSERT INTO "sessions" VALUES('sound',NULL,'sound',5,0,0,0.0,1772445600,1772445600,NULL,NULL);
INSERT INTO "sessions" VALUES('cut',NULL,'cut',3,0,0,0.0,1772445600,1772445600,NULL,NULL);
INSERT INTO "sessions" VALUES('summed',NULL,'summed',4,0,0,0.0,1772445600,1772445600,'summary-1',NULL);
CREATE INDEX idx_messages_session_id ON messages (session_id);
CREATE INDEX idx_messages_created_at ON messages (created_at);
CREATE INDEX idx_sessions_created_at ON sessions (created_at);
CREATE TRIGGER update_sessions_updated_at
AFTER UPDATE ON sessions
BEGIN
UPDATE sessions SET updated_at = strftime('%s', 'now')
WHERE id = new.id;
END;
CREATE TRIGGER update_messages_updated_at
AFTER UPDATE ON messages
BEGIN
UPDATE messages SET updated_at = strftime('%s', 'now')
WHERE id = new.id;
END;
CREATE TRIGGER update_session_message_count_on_insert
AFTER INSERT ON messages
BEGIN
UPDATE sessions SET
    message_count = message_count + 1
WHERE id = new.session_id;
END;
CREATE TRIGGER update_session_message_count_on_delete
AFTER DELETE ON messages
BEGIN
UPDATE sessions SET
    message_count = message_count - 1
WHERE id = old.session_id;
END;
COMMIT;
