CREATE TABLE messages (
    id TEXT PRIMARY KEY,
    session_id TEXT NOT NULL,
    role TEXT NOT NULL,
    parts TEXT NOT NULL default '[]',
    model TEXT,
    created_at INTEGER NOT NULL,  -- Unix timestamp in milliseconds
    updated_at INTEGER NOT NULL,  -- Unix timestamp in milliseconds
    finished_at INTEGER, provider TEXT, is_summary_message INTEGER DEFAULT 0 NOT NULL,  -- Unix timestamp in milliseconds
    FOREIGN KEY (session_id) REFERENCES sessions (id) ON DELETE CASCADE
);
INSERT INTO "messages" VALUES('4ec79daa-5beb-4578-865a-e74ed85d1167','3891e510-4a2d-4c5c-ad50-63124c4744ac','user','[{"type":"text","data":{"text":"call bash {\"command\":\"echo one\",\"description\":\"one\"}"}},{"type":"finish","data":{"reason":"stop","time":0}}]','',1796089430,1796089430,NULL,NULL,0);
INSERT INTO "messages" VALUES('b06a997c-3b43-4339-826d-09e3c525e9cd','3891e510-4a2d-4c5c-ad50-63124c4744ac','assistant','[{"type":"tool_call","data":{"id":"call_0","name":"bash","input":"{\"command\":\"echo one\",\"description\":\"one\"}","provider_executed":false,"finished":true}},{"type":"finish","data":{"reason":"tool_use","time":1796089430}}]','fake',1796089430,1796089430,1796089430,'fake',0);
INSERT INTO "messages" VALUES('01277668-0c45-4059-9707-5b2f9c9c0f43','3891e510-4a2d-4c5c-ad50-63124c4744ac','tool','[{"type":"tool_result","data":{"tool_call_id":"call_0","name":"bash","content":"one\n\n\n\u003ccwd\u003e/srv/app\u003c/cwd\u003e","data":"","mime_type":"","metadata":"{\"start_time\":1796089430271,\"end_time\":1796089430372,\"output\":\"one\\n\",\"description\":\"one\",\"working_directory\":\"/srv/app\"}","is_error":false}},{"type":"finish","data":{"reason":"stop","time":0}}]','',1796089430,1796089430,NULL,NULL,0);
INSERT INTO "messages" VALUES('59191626-e647-4fd1-812c-d745f7347b7a','3891e510-4a2d-4c5c-ad50-63124c4744ac','assistant','[{"type":"text","data":{"text":"Sunny."}},{"type":"finish","data":{"reason":"end_turn","time":1796089430}}]','fake',1796089430,1796089430,1796089430,'fake',0);
INSERT INTO "messages" VALUES('70c3d4d4-8e2a-41b2-b076-3100cef3a374','f8a0a521-eb2f-4798-9a70-6162cbdc3158','user','[{"type":"text","data":{"text":"call bash {\"command\":\"echo one\",\"description\":\"one\"}\ncall bash {\"command\":\"sleep 100\",\"description\":\"sleeps\"}"}},{"type":"finish","data":{"reason":"stop","time":0}}]','',1796089436,1796089436,NULL,NULL,0);
INSERT INTO "messages" VALUES('024171a1-9a84-4e6c-a091-7ea2e0804aa8','f8a0a521-eb2f-4798-9a70-6162cbdc3158','assistant','[{"type":"tool_call","data":{"id":"call_0","name":"bash","input":"{\"command\":\"echo one\",\"description\":\"one\"}","provider_executed":false,"finished":true}},{"type":"tool_call","data":{"id":"call_1","name":"bash","input":"{\"command\":\"sleep 100\",\"description\":\"sleeps\"}","provider_executed":false,"finished":true}}]','fake',1796089436,1796089436,NULL,'fake',0);
INSERT INTO "messages" VALUES('21d588e8-f041-4d82-9adb-2a0edb255c47','f8a0a521-eb2f-4798-9a70-6162cbdc3158','tool','[{"type":"tool_result","data":{"tool_call_id":"call_0","name":"bash","content":"one\n\n\n\u003ccwd\u003e/srv/app\u003c/cwd\u003e","data":"","mime_type":"","metadata":"{\"start_time\":1796089436314,\"end_time\":1796089436417,\"output\":\"one\\n\",\"description\":\"one\",\"working_directory\":\"/srv/app\"}","is_error":false}},{"type":"finish","data":{"reason":"stop","time":0}}]','',1796089436,1796089436,NULL,NULL,0);
INSERT INTO "messages" VALUES('79410d84-70e2-4afe-bd44-42f4b4d99436','f8a0a521-eb2f-4798-9a70-6162cbdc3158','user','[{"type":"text","data":{"text":"Hello?"}},{"type":"finish","data":{"reason":"stop","time":0}}]','',1796089445,1796089445,NULL,NULL,0);
INSERT INTO "messages" VALUES('2500ab37-4a47-47aa-8b04-36c3432a8172','f8a0a521-eb2f-4798-9a70-6162cbdc3158','assistant','[{"type":"text","data":{"text":"Sunny."}},{"type":"finish","data":{"reason":"end_turn","time":1796089445}}]','fake',1796089445,1796089445,1796089445,'fake',0);
INSERT INTO "messages" VALUES('c2b4f4b9-9696-47b0-91a9-70d9df134d6b','9a1572a5-45e8-42c1-803e-95c6c313617e','user','[{"type":"text","data":{"text":"call bash {\"command\":\"sleep 100\",\"description\":\"sleeps\"}"}},{"type":"finish","data":{"reason":"stop","time":0}}]','',1796089452,1796089452,NULL,NULL,0);
INSERT INTO "messages" VALUES('7f0f5e18-53ee-486d-a24d-476c973eefd5','9a1572a5-45e8-42c1-803e-95c6c313617e','assistant','[{"type":"tool_call","data":{"id":"call_0","name":"bash","input":"{\"command\":\"sleep 100\",\"description\":\"sleeps\"}","provider_executed":false,"finished":true}}]','fake',1796089452,1796089452,NULL,'fake',0);
INSERT INTO "messages" VALUES('4d15e4ba-0f62-40f2-818c-d08973231fa3','86636f09-105b-4d83-b2dd-6167adaeeb21','user','[{"type":"text","data":{"text":"call bash {\"command\":\"sleep 8\",\"description\":\"sleeps\"}"}},{"type":"finish","data":{"reason":"stop","time":0}}]','',1796089457,1796089457,NULL,NULL,0);
INSERT INTO "messages" VALUES('64d7c403-f762-4dfd-b093-f72b7a47d1f5','86636f09-105b-4d83-b2dd-6167adaeeb21','assistant','[{"type":"tool_call","data":{"id":"call_0","name":"bash","input":"{\"command\":\"sleep 8\",\"description\":\"sleeps\"}","provider_executed":false,"finished":true}},{"type":"finish","data":{"reason":"tool_use","time":1796089465}}]','fake',1796089457,1796089465,1796089465,'fake',0);
INSERT INTO "messages" VALUES('8985ad9a-0b56-4a8a-b075-abd1fb2ec121','86636f09-105b-4d83-b2dd-6167adaeeb21','user','[{"type":"text","data":{"text":"Hello?"}},{"type":"finish","data":{"reason":"stop","time":0}}]','',1796089460,1796089460,NULL,NULL,0);
INSERT INTO "messages" VALUES('534a4910-e5d4-41a1-b657-c52594174e41','86636f09-105b-4d83-b2dd-6167adaeeb21','assistant','[{"type":"text","data":{"text":"Sunny."}},{"type":"finish","data":{"reason":"end_turn","time":1796089460}}]','fake',1796089460,1796089460,1796089460,'fake',0);
INSERT INTO "messages" VALUES('d0dfc4ae-fafe-4659-9767-474cde3d7bc4','86636f09-105b-4d83-b2dd-6167adaeeb21','tool','[{"type":"tool_result","data":{"tool_call_id":"call_0","name":"bash","content":"no output","data":"","mime_type":"","metadata":"{\"start_time\":1796089457104,\"end_time\":1796089465209,\"output\":\"\",\"description\":\"sleeps\",\"working_directory\":\"/srv/app\"}","is_error":false}},{"type":"finish","data":{"reason":"stop","time":0}}]','',1796089465,1796089465,NULL,NULL,0);
INSERT INTO "messages" VALUES('277bd57a-402a-4ac5-baaf-0f22823c39f6','86636f09-105b-4d83-b2dd-6167adaeeb21','assistant','[{"type":"text","data":{"text":"Sunny."}},{"type":"finish","data":{"reason":"end_turn","time":1796089465}}]','fake',1796089465,1796089465,1796089465,'fake',0);
INSERT INTO "messages" VALUES('1cb9443c-5a55-40dd-9757-6f3d7bb89756','be3ed3e0-fe43-40e7-9b58-4535b001d7e0','user','[{"type":"text","data":{"text":"cut bash {\"command\":\"echo one\",\"description\":\"one\"}"}},{"type":"finish","data":{"reason":"stop","time":0}}]','',1796089469,1796089469,NULL,NULL,0);
INSERT INTO "messages" VALUES('9976d08e-ab0d-4f00-a96b-5edeada622bb','be3ed3e0-fe43-40e7-9b58-4535b001d7e0','assistant','[{"type":"tool_call","data":{"id":"call_0","name":"bash","input":"","provider_executed":false,"finished":false}}]','fake',1796089469,1796089469,NULL,'fake',0);
INSERT INTO "messages" VALUES('1b642ff1-9fef-48af-8713-aaa9408ec96b','be3ed3e0-fe43-40e7-9b58-4535b001d7e0','user','[{"type":"text","data":{"text":"Hello?"}},{"type":"finish","data":{"reason":"stop","time":0}}]','',1796089474,1796089474,NULL,NULL,0);
INSERT INTO "messages" VALUES('4bbab3e2-cbbb-45a6-8712-589041cb8f50','be3ed3e0-fe43-40e7-9b58-4535b001d7e0','assistant','[{"type":"text","data":{"text":"Sunny."}},{"type":"finish","data":{"reason":"end_turn","time":1796089474}}]','fake',1796089474,1796089474,1796089474,'fake',0);
INSERT INTO "messages" VALUES('b91d53dc-28da-451b-bd86-6ee49c9cc78c','c23edb3a-8a1d-4a20-a7fa-b7154842e730','user','[{"type":"text","data":{"text":"call bash {\"command\":\"sleep 100\",\"description\":\"sleeps\"}"}},{"type":"finish","data":{"reason":"stop","time":0}}]','',1796089477,1796089477,NULL,NULL,0);
INSERT INTO "messages" VALUES('42bfee51-f95e-4448-a0dc-700548499422','c23edb3a-8a1d-4a20-a7fa-b7154842e730','assistant','[{"type":"tool_call","data":{"id":"call_0","name":"bash","input":"{\"command\":\"sleep 100\",\"description\":\"sleeps\"}","provider_executed":false,"finished":true}}]','fake',1796089477,1796089477,NULL,'fake',0);
INSERT INTO "messages" VALUES('8296d9f2-e55d-41f5-b0f0-9e4ec3d5d5b1','c23edb3a-8a1d-4a20-a7fa-b7154842e730','user','[{"type":"text","data":{"text":"Hello?"}},{"type":"finish","data":{"reason":"stop","time":0}}]','',1796089479,1796089479,NULL,NULL,0);
INSERT INTO "messages" VALUES('7f34dba5-f1e9-42fb-85be-850981c5d5ad','c23edb3a-8a1d-4a20-a7fa-b7154842e730','assistant','[{"type":"text","data":{"text":"Sunny."}},{"type":"finish","data":{"reason":"end_turn","time":1796089479}}]','fake',1796089479,1796089479,1796089479,'fake',0);
INSERT INTO "messages" VALUES('73ad586b-c2b9-44f5-acf6-d988965ff7ba','c23edb3a-8a1d-4a20-a7fa-b7154842e730','assistant','[{"type":"text","data":{"text":"Sunny."}},{"type":"finish","data":{"reason":"end_turn","time":1796089479}}]','fake',1796089479,1796089479,1796089479,'fake',1);
CREATE TABLE sessions (
    id TEXT PRIMARY KEY,
    parent_session_id TEXT,
    title TEXT NOT NULL,
    message_count INTEGER NOT NULL DEFAULT 0 CHECK (message_count >= 0),
    prompt_tokens  INTEGER NOT NULL DEFAULT 0 CHECK (prompt_tokens >= 0),
    completion_tokens  INTEGER NOT NULL DEFAULT 0 CHECK (completion_tokens>= 0),
    cost REAL NOT NULL DEFAULT 0.0 CHECK (cost >= 0.0),
    updated_at INTEGER NOT NULL,  -- Unix timestamp in milliseconds
    created_at INTEGER NOT NULL   -- Unix timestamp in milliseconds
, summary_message_id TEXT, todos TEXT);
INSERT INTO "sessions" VALUES('3891e510-4a2d-4c5c-ad50-63124c4744ac',NULL,'Sunny.',4,9,9,0.0,1796089430,1796089430,NULL,NULL);
INSERT INTO "sessions" VALUES('f8a0a521-eb2f-4798-9a70-6162cbdc3158',NULL,'Sunny.',5,9,9,0.0,1796089445,1796089436,NULL,NULL);
INSERT INTO "sessions" VALUES('9a1572a5-45e8-42c1-803e-95c6c313617e',NULL,'Sunny.',2,18,18,0.0,1796089452,1796089452,NULL,NULL);
INSERT INTO "sessions" VALUES('86636f09-105b-4d83-b2dd-6167adaeeb21',NULL,'Sunny.',6,9,9,0.0,1796089465,1796089457,NULL,NULL);
INSERT INTO "sessions" VALUES('be3ed3e0-fe43-40e7-9b58-4535b001d7e0',NULL,'Untitled Session',4,9,9,0.0,1796089474,1796089469,NULL,NULL);
INSERT INTO "sessions" VALUES('c23edb3a-8a1d-4a20-a7fa-b7154842e730',NULL,'Sunny.',5,0,9,0.0,1796089479,1796089477,'73ad586b-c2b9-44f5-acf6-d988965ff7ba',NULL);
CREATE TRIGGER update_sessions_updated_at
AFTER UPDATE ON sessions
BEGIN
UPDATE sessions SET updated_at = strftime('%s', 'now')
WHERE id = new.id;
END;
CREATE INDEX idx_messages_session_id ON messages (session_id);
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
CREATE INDEX idx_sessions_created_at ON sessions (created_at);
CREATE INDEX idx_messages_created_at ON messages (created_at);
