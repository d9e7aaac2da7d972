BEGIN TRANSACTION;
CREATE TABLE agent_messages (
                id INTEGER PRIMARY KEY AUTOINCREMENT,
                session_id TEXT NOT NULL,
                message_data TEXT NOT NULL,
                created_at TIMESTAMP DEFAULT CURRENT_TIMESTAMP,
                FOREIGN KEY (session_id) REFERENCES agent_sessions (session_id)
                    ON DELETE CASCADE
            );
INSERT INTO "agent_messages" VALUES(1,'middle','{"role": "user", "content": "Weather?"}','2026-11-30 12:09:13');
INSERT INTO "agent_messages" VALUES(2,'late','{"role": "user", "content": "Weather?"}','2026-11-30 12:09:13');
INSERT INTO "agent_messages" VALUES(3,'end','{"role": "user", "content": "Weather?"}','2026-11-30 12:09:13');
INSERT INTO "agent_messages" VALUES(4,'sound','{"role": "user", "content": "Weather?"}','2026-11-30 12:09:13');
INSERT INTO "agent_messages" VALUES(5,'middle','{"type": "function_call", "name": "weather", "arguments": "{\"city\":\"Bern\"}", "call_id": "c1", "id": "fc_c1", "status": "completed"}','2026-11-30 12:09:13');
INSERT INTO "agent_messages" VALUES(6,'middle','{"type": "function_call", "name": "weather", "arguments": "{\"city\":\"Bern\"}", "call_id": "c2", "id": "fc_c2", "status": "completed"}','2026-11-30 12:09:13');
INSERT INTO "agent_messages" VALUES(7,'late','{"type": "function_call", "name": "weather", "arguments": "{\"city\":\"Bern\"}", "call_id": "c3", "id": "fc_c3", "status": "completed"}','2026-11-30 12:09:13');
INSERT INTO "agent_messages" VALUES(8,'end','{"type": "function_call", "name": "weather", "arguments": "{\"city\":\"Bern\"}", "call_id": "c4", "id": "fc_c4", "status": "completed"}','2026-11-30 12:09:13');
INSERT INTO "agent_messages" VALUES(9,'sound','{"type": "function_call", "name": "weather", "arguments": "{\"city\":\"Bern\"}", "call_id": "c5", "id": "fc_c5", "status": "completed"}','2026-11-30 12:09:13');
INSERT INTO "agent_messages" VALUES(10,'middle','{"type": "function_call_output", "call_id": "c1", "output": "21 degrees"}','2026-11-30 12:09:13');
INSERT INTO "agent_messages" VALUES(11,'late','{"role": "user", "content": "Hello?"}','2026-11-30 12:09:13');
INSERT INTO "agent_messages" VALUES(12,'sound','{"type": "function_call_output", "call_id": "c5", "output": "21 degrees"}','2026-11-30 12:09:13');
INSERT INTO "agent_messages" VALUES(13,'middle','{"role": "user", "content": "Hello?"}','2026-11-30 12:09:13');
INSERT INTO "agent_messages" VALUES(14,'late','{"type": "function_call_output", "call_id": "c3", "output": "21 degrees"}','2026-11-30 12:09:13');
INSERT INTO "agent_messages" VALUES(15,'sound','{"role": "assistant", "content": "Sunny."}','2026-11-30 12:09:13');
INSERT INTO "agent_messages" VALUES(16,'sound','{"role": "user", "content": "Thanks."}','2026-11-30 12:09:13');
CREATE TABLE agent_sessions (
                session_id TEXT PRIMARY KEY,
                created_at TIMESTAMP DEFAULT CURRENT_TIMESTAMP,
                updated_at TIMESTAMP DEFAULT CURRENT_TIMESTAMP
            );
INSERT INTO "agent_sessions" VALUES('middle','2026-11-30 12:09:13','2026-11-30 12:09:13');
INSERT INTO "agent_sessions" VALUES('late','2026-11-30 12:09:13','2026-11-30 12:09:13');
INSERT INTO "agent_sessions" VALUES('end','2026-11-30 12:09:13','2026-11-30 12:09:13');
INSERT INTO "agent_sessions" VALUES('sound','2026-11-30 12:09:13','2026-11-30 12:09:13');
CREATE INDEX idx_agent_messages_session_id
            ON agent_messages (session_id, id)
        ;
DELETE FROM "sqlite_sequence";
INSERT INTO "sqlite_sequence" VALUES('agent_messages',16);
COMMIT;
