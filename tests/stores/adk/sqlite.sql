BEGIN TRANSACTION;
CREATE TABLE adk_internal_metadata (
	"key" VARCHAR(128) NOT NULL, 
	value VARCHAR(256) NOT NULL, 
	PRIMARY KEY ("key")
);
INSERT INTO "adk_internal_metadata" VALUES('schema_version','1');
CREATE TABLE app_states (
	app_name VARCHAR(128) NOT NULL, 
	state TEXT NOT NULL, 
	update_time DATETIME NOT NULL, 
	PRIMARY KEY (app_name)
);
INSERT INTO "app_states" VALUES('app','{}','2026-11-30 12:11:18');
CREATE TABLE events (
	id VARCHAR(128) NOT NULL, 
	app_name VARCHAR(128) NOT NULL, 
	user_id VARCHAR(128) NOT NULL, 
	session_id VARCHAR(128) NOT NULL, 
	invocation_id VARCHAR(256) NOT NULL, 
	timestamp DATETIME NOT NULL, 
	event_data TEXT, 
	PRIMARY KEY (id, app_name, user_id, session_id), 
	FOREIGN KEY(app_name, user_id, session_id) REFERENCES sessions (app_name, user_id, id) ON DELETE CASCADE
);
INSERT INTO "events" VALUES('1c81c500-1518-4bd8-ad9f-32bf782511e8','app','u','middle','middle-1','2026-11-30 12:11:18.842714','{"content": {"parts": [{"text": "Weather?"}], "role": "user"}, "invocation_id": "middle-1", "author": "user", "actions": {"state_delta": {}, "artifact_delta": {}, "requested_auth_configs": {}, "requested_tool_confirmations": {}}, "node_info": {"path": ""}, "id": "1c81c500-1518-4bd8-ad9f-32bf782511e8", "timestamp": 1796040678.842714}');
INSERT INTO "events" VALUES('f72633fa-099e-4eed-a150-8447a69e70e9','app','u','late','late-1','2026-11-30 12:11:18.850326','{"content": {"parts": [{"text": "Weather?"}], "role": "user"}, "invocation_id": "late-1", "author": "user", "actions": {"state_delta": {}, "artifact_delta": {}, "requested_auth_configs": {}, "requested_tool_confirmations": {}}, "node_info": {"path": ""}, "id": "f72633fa-099e-4eed-a150-8447a69e70e9", "timestamp": 1796040678.8503263}');
INSERT INTO "events" VALUES('19eada98-574c-4dac-93c8-f5b8ca2756cd','app','u','end','end-1','2026-11-30 12:11:18.854442','{"content": {"parts": [{"text": "Weather?"}], "role": "user"}, "invocation_id": "end-1", "author": "user", "actions": {"state_delta": {}, "artifact_delta": {}, "requested_auth_configs": {}, "requested_tool_confirmations": {}}, "node_info": {"path": ""}, "id": "19eada98-574c-4dac-93c8-f5b8ca2756cd", "timestamp": 1796040678.8544416}');
INSERT INTO "events" VALUES('46507b9d-7b02-48f9-831b-94bc440a3a36','app','u','sound','sound-1','2026-11-30 12:11:18.858425','{"content": {"parts": [{"text": "Weather?"}], "role": "user"}, "invocation_id": "sound-1", "author": "user", "actions": {"state_delta": {}, "artifact_delta": {}, "requested_auth_configs": {}, "requested_tool_confirmations": {}}, "node_info": {"path": ""}, "id": "46507b9d-7b02-48f9-831b-94bc440a3a36", "timestamp": 1796040678.8584247}');
INSERT INTO "events" VALUES('89700a00-d75d-4b5c-a9e8-5d98130b4158','app','u','middle','middle-1','2026-11-30 12:11:18.862637','{"content": {"parts": [{"function_call": {"id": "c1", "args": {"city": "Bern"}, "name": "weather"}}, {"function_call": {"id": "c2", "args": {"city": "Bern"}, "name": "weather"}}], "role": "model"}, "invocation_id": "middle-1", "author": "bot", "actions": {"state_delta": {}, "artifact_delta": {}, "requested_auth_configs": {}, "requested_tool_confirmations": {}}, "node_info": {"path": ""}, "id": "89700a00-d75d-4b5c-a9e8-5d98130b4158", "timestamp": 1796040678.8626366}');
INSERT INTO "events" VALUES('58320729-9348-4d60-ab81-0475e50c8851','app','u','late','late-1','2026-11-30 12:11:18.866812','{"content": {"parts": [{"function_call": {"id": "c3", "args": {"city": "Bern"}, "name": "weather"}}], "role": "model"}, "invocation_id": "late-1", "author": "bot", "actions": {"state_delta": {}, "artifact_delta": {}, "requested_auth_configs": {}, "requested_tool_confirmations": {}}, "node_info": {"path": ""}, "id": "58320729-9348-4d60-ab81-0475e50c8851", "timestamp": 1796040678.8668118}');
INSERT INTO "events" VALUES('38d51ebd-ca84-4a7e-a3b7-204176fd45f9','app','u','end','end-1','2026-11-30 12:11:18.870775','{"content": {"parts": [{"function_call": {"id": "c4", "args": {"city": "Bern"}, "name": "weather"}}], "role": "model"}, "invocation_id": "end-1", "author": "bot", "actions": {"state_delta": {}, "artifact_delta": {}, "requested_auth_configs": {}, "requested_tool_confirmations": {}}, "node_info": {"path": ""}, "id": "38d51ebd-ca84-4a7e-a3b7-204176fd45f9", "timestamp": 1796040678.8707755}');
INSERT INTO "events" VALUES('498f0e41-188c-40c0-b31c-e1c862c0a7bd','app','u','sound','sound-1','2026-11-30 12:11:18.874957','{"content": {"parts": [{"function_call": {"id": "c5", "args": {"city": "Bern"}, "name": "weather"}}], "role": "model"}, "invocation_id": "sound-1", "author": "bot", "actions": {"state_delta": {}, "artifact_delta": {}, "requested_auth_configs": {}, "requested_tool_confirmations": {}}, "node_info": {"path": ""}, "id": "498f0e41-188c-40c0-b31c-e1c862c0a7bd", "timestamp": 1796040678.8749568}');
INSERT INTO "events" VALUES('02014fe5-8514-4686-af88-426dc12ea909','app','u','middle','middle-1','2026-11-30 12:11:18.878967','{"content": {"parts": [{"function_response": {"id": "c1", "name": "weather", "response": {"degrees": 21}}}], "role": "user"}, "invocation_id": "middle-1", "author": "bot", "actions": {"state_delta": {}, "artifact_delta": {}, "requested_auth_configs": {}, "requested_tool_confirmations": {}}, "node_info": {"path": ""}, "id": "02014fe5-8514-4686-af88-426dc12ea909", "timestamp": 1796040678.8789668}');
INSERT INTO "events" VALUES('8c887f96-dafb-40f4-8a8d-122959aa2c17','app','u','late','late-2','2026-11-30 12:11:18.882955','{"content": {"parts": [{"text": "Hello?"}], "role": "user"}, "invocation_id": "late-2", "author": "user", "actions": {"state_delta": {}, "artifact_delta": {}, "requested_auth_configs": {}, "requested_tool_confirmations": {}}, "node_info": {"path": ""}, "id": "8c887f96-dafb-40f4-8a8d-122959aa2c17", "timestamp": 1796040678.8829553}');
INSERT INTO "events" VALUES('6706bfd1-3c83-4722-b839-4b58e2d780f9','app','u','sound','sound-1','2026-11-30 12:11:18.887092','{"content": {"parts": [{"function_response": {"id": "c5", "name": "weather", "response": {"degrees": 21}}}], "role": "user"}, "invocation_id": "sound-1", "author": "bot", "actions": {"state_delta": {}, "artifact_delta": {}, "requested_auth_configs": {}, "requested_tool_confirmations": {}}, "node_info": {"path": ""}, "id": "6706bfd1-3c83-4722-b839-4b58e2d780f9", "timestamp": 1796040678.8870919}');
INSERT INTO "events" VALUES('de85601c-ff53-4ae4-b72f-62305c82d30c','app','u','middle','middle-2','2026-11-30 12:11:18.891313','{"content": {"parts": [{"text": "Hello?"}], "role": "user"}, "invocation_id": "middle-2", "author": "user", "actions": {"state_delta": {}, "artifact_delta": {}, "requested_auth_configs": {}, "requested_tool_confirmations": {}}, "node_info": {"path": ""}, "id": "de85601c-ff53-4ae4-b72f-62305c82d30c", "timestamp": 1796040678.8913126}');
INSERT INTO "events" VALUES('152d07e3-64ac-4c76-b82b-f97e7aedc97b','app','u','late','late-2','2026-11-30 12:11:18.895291','{"content": {"parts": [{"function_response": {"id": "c3", "name": "weather", "response": {"degrees": 21}}}], "role": "user"}, "invocation_id": "late-2", "author": "bot", "actions": {"state_delta": {}, "artifact_delta": {}, "requested_auth_configs": {}, "requested_tool_confirmations": {}}, "node_info": {"path": ""}, "id": "152d07e3-64ac-4c76-b82b-f97e7aedc97b", "timestamp": 1796040678.8952906}');
INSERT INTO "events" VALUES('f3180542-5653-48d7-b047-2ccae7ccb207','app','u','sound','sound-1','2026-11-30 12:11:18.899098','{"content": {"parts": [{"text": "Sunny."}], "role": "model"}, "invocation_id": "sound-1", "author": "bot", "actions": {"state_delta": {}, "artifact_delta": {}, "requested_auth_configs": {}, "requested_tool_confirmations": {}}, "node_info": {"path": ""}, "id": "f3180542-5653-48d7-b047-2ccae7ccb207", "timestamp": 1796040678.8990984}');
INSERT INTO "events" VALUES('dc094fe8-8c9d-46d3-81c6-875b0b75bc02','app','u','sound','sound-2','2026-11-30 12:11:18.903148','{"content": {"parts": [{"text": "Thanks."}], "role": "user"}, "invocation_id": "sound-2", "author": "user", "actions": {"state_delta": {}, "artifact_delta": {}, "requested_auth_configs": {}, "requested_tool_confirmations": {}}, "node_info": {"path": ""}, "id": "dc094fe8-8c9d-46d3-81c6-875b0b75bc02", "timestamp": 1796040678.903148}');
CREATE TABLE sessions (
	app_name VARCHAR(128) NOT NULL, 
	user_id VARCHAR(128) NOT NULL, 
	id VARCHAR(128) NOT NULL, 
	state TEXT NOT NULL, 
	create_time DATETIME NOT NULL, 
	update_time DATETIME NOT NULL, 
	PRIMARY KEY (app_name, user_id, id)
);
INSERT INTO "sessions" VALUES('app','u','middle','{}','2026-11-30 12:11:18.822919','2026-11-30 12:11:18.891313');
INSERT INTO "sessions" VALUES('app','u','late','{}','2026-11-30 12:11:18.829026','2026-11-30 12:11:18.895291');
INSERT INTO "sessions" VALUES('app','u','end','{}','2026-11-30 12:11:18.832865','2026-11-30 12:11:18.870775');
INSERT INTO "sessions" VALUES('app','u','sound','{}','2026-11-30 12:11:18.836295','2026-11-30 12:11:18.903148');
CREATE TABLE user_states (
	app_name VARCHAR(128) NOT NULL, 
	user_id VARCHAR(128) NOT NULL, 
	state TEXT NOT NULL, 
	update_time DATETIME NOT NULL, 
	PRIMARY KEY (app_name, user_id)
);
INSERT INTO "user_states" VALUES('app','u','{}','2026-11-30 12:11:18');
CREATE INDEX idx_events_app_user_session_ts_id ON events (app_name, user_id, session_id, timestamp DESC, id DESC);
COMMIT;
