BEGIN TRANSACTION;
CREATE TABLE messages (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    message_id TEXT,
    session_id TEXT NOT NULL REFERENCES sessions(id),
    role TEXT NOT NULL,
    content_json TEXT NOT NULL,
    created_timestamp INTEGER NOT NULL,
    timestamp TIMESTAMP DEFAULT CURRENT_TIMESTAMP,
    tokens INTEGER,
    metadata_json TEXT
);
INSERT INTO "messages" VALUES(1,'msg_middle_0001','middle','user','[{"type":"text","text":"Weather?"}]',1772445600,'2026-03-02 10:00:00',NULL,'{"userVisible":true,"agentVisible":true}');
INSERT INTO "messages" VALUES(2,'msg_late_0002','late','user','[{"type":"text","text":"Weather?"}]',1772445600,'2026-03-02 10:00:00',NULL,'{"userVisible":true,"agentVisible":true}');
INSERT INTO "messages" VALUES(3,'msg_end_0003','end','user','[{"type":"text","text":"Weather?"}]',1772445600,'2026-03-02 10:00:00',NULL,'{"userVisible":true,"agentVisible":true}');
INSERT INTO "messages" VALUES(4,'msg_sound_0004','sound','user','[{"type":"text","text":"Weather?"}]',1772445600,'2026-03-02 10:00:00',NULL,'{"userVisible":true,"agentVisible":true}');
INSERT INTO "messages" VALUES(5,'msg_middle_0005','middle','assistant','[{"type":"toolRequest","toolCall":{"status":"success","value":{"name":"weather","arguments":{"city":"Bern"}}},"id":"c1"},{"type":"toolRequest","toolCall":{"status":"success","value":{"name":"weather","arguments":{"city":"Bern"}}},"id":"c2"}]',1772445600,'2026-03-02 10:00:00',NULL,'{"userVisible":true,"agentVisible":true}');
INSERT INTO "messages" VALUES(6,'msg_late_0006','late','assistant','[{"type":"toolRequest","toolCall":{"status":"success","value":{"name":"weather","arguments":{"city":"Bern"}}},"id":"c3"}]',1772445600,'2026-03-02 10:00:00',NULL,'{"userVisible":true,"agentVisible":true}');
INSERT INTO "messages" VALUES(7,'msg_end_0007','end','assistant','[{"type":"toolRequest","toolCall":{"status":"success","value":{"name":"weather","arguments":{"city":"Bern"}}},"id":"c4"}]',1772445600,'2026-03-02 10:00:00',NULL,'{"userVisible":true,"agentVisible":true}');
INSERT INTO "messages" VALUES(8,'msg_sound_0008','sound','assistant','[{"type":"toolRequest","toolCall":{"status":"success","value":{"name":"weather","arguments":{"city":"Bern"}}},"id":"c5"}]',1772445601,'2026-03-02 10:00:00',NULL,'{"userVisible":true,"agentVisible":true}');
INSERT INTO "messages" VALUES(9,'msg_middle_0009','middle','user','[{"type":"toolResponse","id":"c1","toolResult":{"status":"success","value":{"content":[{"type":"text","text":"21 degrees"}],"isError":false}}}]',1772445601,'2026-03-02 10:00:00',NULL,'{"userVisible":true,"agentVisible":true}');
INSERT INTO "messages" VALUES(10,'msg_late_0010','late','user','[{"type":"text","text":"Hello?"}]',1772445601,'2026-03-02 10:00:00',NULL,'{"userVisible":true,"agentVisible":true}');
INSERT INTO "messages" VALUES(11,'msg_sound_0011','sound','user','[{"type":"toolResponse","id":"c5","toolResult":{"status":"success","value":{"content":[{"type":"text","text":"21 degrees"}],"isError":false}}}]',1772445601,'2026-03-02 10:00:00',NULL,'{"userVisible":true,"agentVisible":true}');
INSERT INTO "messages" VALUES(12,'msg_middle_0012','middle','user','[{"type":"text","text":"Hello?"}]',1772445601,'2026-03-02 10:00:00',NULL,'{"userVisible":true,"agentVisible":true}');
INSERT INTO "messages" VALUES(13,'msg_late_0013','late','user','[{"type":"toolResponse","id":"c3","toolResult":{"status":"success","value":{"content":[{"type":"text","text":"21 degrees"}],"isError":false}}}]',1772445601,'2026-03-02 10:00:00',NULL,'{"userVisible":true,"agentVisible":true}');
INSERT INTO "messages" VALUES(14,'msg_sound_0014','sound','assistant','[{"type":"text","text":"Sunny."}]',1772445601,'2026-03-02 10:00:00',NULL,'{"userVisible":true,"agentVisible":true}');
INSERT INTO "messages" VALUES(15,'msg_sound_0015','sound','user','[{"type":"text","text":"Thanks."}]',1772445601,'2026-03-02 10:00:00',NULL,'{"userVisible":true,"agentVisible":true}');
INSERT INTO "messages" VALUES(16,'msg_asks_0016','asks','user','[{"type":"text","text":"Weather?"}]',1772445602,'2026-03-02 10:00:00',NULL,'{"userVisible":true,"agentVisible":true}');
INSERT INTO "messages" VALUES(17,'msg_asks_0017','asks','assistant','[{"type":"toolRequest","toolCall":{"status":"success","value":{"name":"weather","arguments":{"city":"Bern"}}},"id":"c8"}]',1772445602,'2026-03-02 10:00:00',NULL,'{"userVisible":true,"agentVisible":true}');
INSERT INTO "messages" VALUES(18,'msg_asks_0018','asks','assistant','[{"type":"actionRequired","data":{"actionType":"toolConfirmation","id":"c8","toolName":"weather","arguments":{"city":"Bern"},"prompt":null}}]',1772445602,'2026-03-02 10:00:00',NULL,'{"userVisible":true,"agentVisible":false}');
INSERT INTO "messages" VALUES(19,'msg_compacted_0019','compacted','user','[{"type":"text","text":"Weather?"}]',1772445602,'2026-03-02 10:00:00',NULL,'{"userVisible":true,"agentVisible":false}');
INSERT INTO "messages" VALUES(20,'msg_compacted_0020','compacted','assistant','[{"type":"toolRequest","toolCall":{"status":"success","value":{"name":"weather","arguments":{"city":"Bern"}}},"id":"c9"}]',1772445602,'2026-03-02 10:00:00',NULL,'{"userVisible":true,"agentVisible":false}');
INSERT INTO "messages" VALUES(21,'msg_compacted_0021','compacted','user','[{"type":"text","text":"They asked for the weather."}]',1772445602,'2026-03-02 10:00:00',NULL,'{"userVisible":true,"agentVisible":true}');
CREATE TABLE schema_version (
    version INTEGER PRIMARY KEY,
    applied_at TIMESTAMP DEFAULT CURRENT_TIMESTAMP
);
INSERT INTO "schema_version" VALUES(17,'2026-03-02 10:00:00');
CREATE TABLE sessions (
    id TEXT PRIMARY KEY,
    name TEXT NOT NULL DEFAULT '',
    description TEXT NOT NULL DEFAULT '',
    user_set_name BOOLEAN DEFAULT FALSE,
    session_type TEXT NOT NULL DEFAULT 'user',
    working_dir TEXT NOT NULL,
    created_at TIMESTAMP DEFAULT CURRENT_TIMESTAMP,
    updated_at TIMESTAMP DEFAULT CURRENT_TIMESTAMP,
    extension_data TEXT DEFAULT '{}',
    goose_mode TEXT NOT NULL DEFAULT 'auto'
);
INSERT INTO "sessions" VALUES('middle','middle','',0,'user','/srv/app','2026-03-02 10:00:00','2026-03-02 10:00:00','{}','auto');
INSERT INTO "sessions" VALUES('late','late','',0,'user','/srv/app','2026-03-02 10:00:00','2026-03-02 10:00:00','{}','auto');
INSERT INTO "sessions" VALUES('end','end','',0,'user','/srv/app','2026-03-02 10:00:00','2026-03-02 10:00:00','{}','auto');
INSERT INTO "sessions" VALUES('sound','sound','',0,'user','/srv/app','2026-03-02 10:00:00','2026-03-02 10:00:00','{}','auto');
INSERT INTO "sessions" VALUES('asks','asks','',0,'user','/srv/app','2026-03-02 10:00:00','2026-03-02 10:00:00','{}','auto');
INSERT INTO "sessions" VALUES('compacted','compacted','',0,'user','/srv/app','2026-03-02 10:00:00','2026-03-02 10:00:00','{}','auto');
CREATE INDEX idx_messages_session ON messages(session_id);
CREATE INDEX idx_messages_timestamp ON messages(timestamp);
CREATE INDEX idx_messages_message_id ON messages(message_id);
CREATE INDEX idx_messages_session_created ON messages(session_id, created_timestamp, id);
DELETE FROM "sqlite_sequence";
INSERT INTO "sqlite_sequence" VALUES('messages',21);
COMMIT;
