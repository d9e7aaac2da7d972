BEGIN TRANSACTION;
CREATE TABLE agent_messages (
                id INTEGER PRIMARY KEY AUTOINCREMENT,
                session_id TEXT NOT NULL,
                message_data TEXT NOT NULL,
                created_at TIMESTAMP DEFAULT CURRENT_TIMESTAMP,
                FOREIGN KEY (session_id) REFERENCES agent_sessions (session_id)
                    ON DELETE CASCADE
            );
INSERT INTO "agent_messages" VALUES(1,'middle','{"role": "user", "content": "Weather?"}','2026-11-30 17:22:31');
INSERT INTO "agent_messages" VALUES(2,'late','{"role": "user", "content": "Weather?"}','2026-11-30 17:22:31');
INSERT INTO "agent_messages" VALUES(3,'end','{"role": "user", "content": "Weather?"}','2026-11-30 17:22:31');
INSERT INTO "agent_messages" VALUES(4,'sound','{"role": "user", "content": "Weather?"}','2026-11-30 17:22:31');
INSERT INTO "agent_messages" VALUES(5,'middle','{"type": "function_call", "name": "weather", "arguments": "{\"city\":\"Bern\"}", "call_id": "c1", "id": "fc_c1", "status": "completed"}','2026-11-30 17:22:31');
INSERT INTO "agent_messages" VALUES(6,'middle','{"type": "function_call", "name": "weather", "arguments": "{\"city\":\"Bern\"}", "call_id": "c2", "id": "fc_c2", "status": "completed"}','2026-11-30 17:22:31');
INSERT INTO "agent_messages" VALUES(7,'late','{"type": "function_call", "name": "weather", "arguments": "{\"city\":\"Bern\"}", "call_id": "c3", "id": "fc_c3", "status": "completed"}','2026-11-30 17:22:31');
INSERT INTO "agent_messages" VALUES(8,'end','{"type": "function_call", "name": "weather", "arguments": "{\"city\":\"Bern\"}", "call_id": "c4", "id": "fc_c4", "status": "completed"}','2026-11-30 17:22:31');
INSERT INTO "agent_messages" VALUES(9,'sound','{"type": "function_call", "name": "weather", "arguments": "{\"city\":\"Bern\"}", "call_id": "c5", "id": "fc_c5", "status": "completed"}','2026-11-30 17:22:31');
INSERT INTO "agent_messages" VALUES(10,'middle','{"type": "function_call_output", "call_id": "c1", "output": "21 degrees"}','2026-11-30 17:22:31');
INSERT INTO "agent_messages" VALUES(11,'late','{"role": "user", "content": "Hello?"}','2026-11-30 17:22:31');
INSERT INTO "agent_messages" VALUES(12,'sound','{"type": "function_call_output", "call_id": "c5", "output": "21 degrees"}','2026-11-30 17:22:31');
INSERT INTO "agent_messages" VALUES(13,'middle','{"role": "user", "content": "Hello?"}','2026-11-30 17:22:31');
INSERT INTO "agent_messages" VALUES(14,'late','{"type": "function_call_output", "call_id": "c3", "output": "21 degrees"}','2026-11-30 17:22:31');
INSERT INTO "agent_messages" VALUES(15,'sound','{"role": "assistant", "content": "Sunny."}','2026-11-30 17:22:31');
INSERT INTO "agent_messages" VALUES(16,'sound','{"role": "user", "content": "Thanks."}','2026-11-30 17:22:31');
INSERT INTO "agent_messages" VALUES(17,'forked','{"role": "user", "content": "Weather?"}','2026-11-30 17:22:31');
INSERT INTO "agent_messages" VALUES(18,'forked','{"type": "function_call", "name": "weather", "arguments": "{\"city\":\"Bern\"}", "call_id": "c7", "id": "fc_c7", "status": "completed"}','2026-11-30 17:22:31');
INSERT INTO "agent_messages" VALUES(19,'forked','{"role": "user", "content": "Hello?"}','2026-11-30 17:22:31');
INSERT INTO "agent_messages" VALUES(20,'forked','{"role": "user", "content": "And there?"}','2026-11-30 17:22:31');
INSERT INTO "agent_messages" VALUES(21,'forked','{"type": "function_call", "name": "weather", "arguments": "{\"city\":\"Bern\"}", "call_id": "c8", "id": "fc_c8", "status": "completed"}','2026-11-30 17:22:31');
INSERT INTO "agent_messages" VALUES(22,'forked','{"type": "function_call", "name": "weather", "arguments": "{\"city\":\"Bern\"}", "call_id": "c9", "id": "fc_c9", "status": "completed"}','2026-11-30 17:22:31');
INSERT INTO "agent_messages" VALUES(23,'forked','{"type": "function_call_output", "call_id": "c9", "output": "21 degrees"}','2026-11-30 17:22:31');
INSERT INTO "agent_messages" VALUES(24,'forked','{"role": "user", "content": "Still there?"}','2026-11-30 17:22:31');
CREATE TABLE agent_sessions (
                session_id TEXT PRIMARY KEY,
                created_at TIMESTAMP DEFAULT CURRENT_TIMESTAMP,
                updated_at TIMESTAMP DEFAULT CURRENT_TIMESTAMP
            );
INSERT INTO "agent_sessions" VALUES('middle','2026-11-30 17:22:31','2026-11-30 17:22:31');
INSERT INTO "agent_sessions" VALUES('late','2026-11-30 17:22:31','2026-11-30 17:22:31');
INSERT INTO "agent_sessions" VALUES('end','2026-11-30 17:22:31','2026-11-30 17:22:31');
INSERT INTO "agent_sessions" VALUES('sound','2026-11-30 17:22:31','2026-11-30 17:22:31');
INSERT INTO "agent_sessions" VALUES('forked','2026-11-30 17:22:31','2026-11-30 17:22:31');
CREATE TABLE branch_reservations (
                session_id TEXT NOT NULL,
                branch_id TEXT NOT NULL,
                PRIMARY KEY (session_id, branch_id)
            );
INSERT INTO "branch_reservations" VALUES('middle','main');
INSERT INTO "branch_reservations" VALUES('late','main');
INSERT INTO "branch_reservations" VALUES('end','main');
INSERT INTO "branch_reservations" VALUES('sound','main');
INSERT INTO "branch_reservations" VALUES('forked','main');
INSERT INTO "branch_reservations" VALUES('forked','fork');
CREATE TABLE message_structure (
                id INTEGER PRIMARY KEY AUTOINCREMENT,
                session_id TEXT NOT NULL,
                message_id INTEGER NOT NULL,
                branch_id TEXT NOT NULL DEFAULT 'main',
                message_type TEXT NOT NULL,
                sequence_number INTEGER NOT NULL,
                user_turn_number INTEGER,
                branch_turn_number INTEGER,
                tool_name TEXT,
                created_at TIMESTAMP DEFAULT CURRENT_TIMESTAMP,
                FOREIGN KEY (session_id)
                    REFERENCES agent_sessions(session_id) ON DELETE CASCADE,
                FOREIGN KEY (message_id)
                    REFERENCES agent_messages(id) ON DELETE CASCADE
            );
INSERT INTO "message_structure" VALUES(1,'middle',1,'main','user',1,1,1,NULL,'2026-11-30 17:22:31');
INSERT INTO "message_structure" VALUES(2,'late',2,'main','user',1,1,1,NULL,'2026-11-30 17:22:31');
INSERT INTO "message_structure" VALUES(3,'end',3,'main','user',1,1,1,NULL,'2026-11-30 17:22:31');
INSERT INTO "message_structure" VALUES(4,'sound',4,'main','user',1,1,1,NULL,'2026-11-30 17:22:31');
INSERT INTO "message_structure" VALUES(5,'middle',5,'main','function_call',2,1,1,'weather','2026-11-30 17:22:31');
INSERT INTO "message_structure" VALUES(6,'middle',6,'main','function_call',3,1,1,'weather','2026-11-30 17:22:31');
INSERT INTO "message_structure" VALUES(7,'late',7,'main','function_call',2,1,1,'weather','2026-11-30 17:22:31');
INSERT INTO "message_structure" VALUES(8,'end',8,'main','function_call',2,1,1,'weather','2026-11-30 17:22:31');
INSERT INTO "message_structure" VALUES(9,'sound',9,'main','function_call',2,1,1,'weather','2026-11-30 17:22:31');
INSERT INTO "message_structure" VALUES(10,'middle',10,'main','function_call_output',4,1,1,NULL,'2026-11-30 17:22:31');
INSERT INTO "message_structure" VALUES(11,'late',11,'main','user',3,2,2,NULL,'2026-11-30 17:22:31');
INSERT INTO "message_structure" VALUES(12,'sound',12,'main','function_call_output',3,1,1,NULL,'2026-11-30 17:22:31');
INSERT INTO "message_structure" VALUES(13,'middle',13,'main','user',5,2,2,NULL,'2026-11-30 17:22:31');
INSERT INTO "message_structure" VALUES(14,'late',14,'main','function_call_output',4,2,2,NULL,'2026-11-30 17:22:31');
INSERT INTO "message_structure" VALUES(15,'sound',15,'main','assistant',4,1,1,NULL,'2026-11-30 17:22:31');
INSERT INTO "message_structure" VALUES(16,'sound',16,'main','user',5,2,2,NULL,'2026-11-30 17:22:31');
INSERT INTO "message_structure" VALUES(17,'forked',17,'main','user',1,1,1,NULL,'2026-11-30 17:22:31');
INSERT INTO "message_structure" VALUES(18,'forked',18,'main','function_call',2,1,1,'weather','2026-11-30 17:22:31');
INSERT INTO "message_structure" VALUES(19,'forked',19,'main','user',3,2,2,NULL,'2026-11-30 17:22:31');
INSERT INTO "message_structure" VALUES(20,'forked',17,'fork','user',4,1,1,NULL,'2026-11-30 17:22:31');
INSERT INTO "message_structure" VALUES(21,'forked',18,'fork','function_call',5,1,1,'weather','2026-11-30 17:22:31');
INSERT INTO "message_structure" VALUES(22,'forked',20,'fork','user',6,2,2,NULL,'2026-11-30 17:22:31');
INSERT INTO "message_structure" VALUES(23,'forked',21,'fork','function_call',7,2,2,'weather','2026-11-30 17:22:31');
INSERT INTO "message_structure" VALUES(24,'forked',22,'fork','function_call',8,2,2,'weather','2026-11-30 17:22:31');
INSERT INTO "message_structure" VALUES(25,'forked',23,'fork','function_call_output',9,2,2,NULL,'2026-11-30 17:22:31');
INSERT INTO "message_structure" VALUES(26,'forked',24,'fork','user',10,3,3,NULL,'2026-11-30 17:22:31');
CREATE TABLE session_clear_generations (
                session_id TEXT PRIMARY KEY,
                generation INTEGER NOT NULL DEFAULT 0
            );
INSERT INTO "session_clear_generations" VALUES('middle',0);
INSERT INTO "session_clear_generations" VALUES('late',0);
INSERT INTO "session_clear_generations" VALUES('end',0);
INSERT INTO "session_clear_generations" VALUES('sound',0);
INSERT INTO "session_clear_generations" VALUES('forked',0);
CREATE TABLE turn_usage (
                id INTEGER PRIMARY KEY AUTOINCREMENT,
                session_id TEXT NOT NULL,
                branch_id TEXT NOT NULL DEFAULT 'main',
                user_turn_number INTEGER NOT NULL,
                requests INTEGER DEFAULT 0,
                input_tokens INTEGER DEFAULT 0,
                output_tokens INTEGER DEFAULT 0,
                total_tokens INTEGER DEFAULT 0,
                input_tokens_details JSON,
                output_tokens_details JSON,
                created_at TIMESTAMP DEFAULT CURRENT_TIMESTAMP,
                FOREIGN KEY (session_id)
                    REFERENCES agent_sessions(session_id) ON DELETE CASCADE,
                UNIQUE(session_id, branch_id, user_turn_number)
            );
CREATE INDEX idx_agent_messages_session_id
            ON agent_messages (session_id, id)
        ;
CREATE INDEX idx_structure_session_seq
            ON message_structure(session_id, sequence_number)
        ;
CREATE INDEX idx_structure_branch
            ON message_structure(session_id, branch_id)
        ;
CREATE INDEX idx_structure_turn
            ON message_structure(session_id, branch_id, user_turn_number)
        ;
CREATE INDEX idx_structure_branch_seq
            ON message_structure(session_id, branch_id, sequence_number)
        ;
CREATE INDEX idx_turn_usage_session_turn
            ON turn_usage(session_id, branch_id, user_turn_number)
        ;
DELETE FROM "sqlite_sequence";
INSERT INTO "sqlite_sequence" VALUES('agent_messages',24);
INSERT INTO "sqlite_sequence" VALUES('message_structure',26);
COMMIT;
