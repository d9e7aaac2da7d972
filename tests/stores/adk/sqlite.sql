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
INSERT INTO "app_states" VALUES('app','{}','2026-11-30 12:30:44');
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
INSERT INTO "events" VALUES('8b8a564f-19bf-4868-8da1-6c4d4d18b4b9','app','u','middle','middle-1','2026-11-30 12:30:45.159537','{"content": {"parts": [{"text": "Weather?"}], "role": "user"}, "invocation_id": "middle-1", "author": "user", "actions": {"state_delta": {}, "artifact_delta": {}, "requested_auth_configs": {}, "requested_tool_confirmations": {}}, "node_info": {"path": ""}, "id": "8b8a564f-19bf-4868-8da1-6c4d4d18b4b9", "timestamp": 1796041845.1595373}');
INSERT INTO "events" VALUES('4e3da058-12d6-4743-8c27-9469162f1add','app','u','late','late-1','2026-11-30 12:30:45.201512','{"content": {"parts": [{"text": "Weather?"}], "role": "user"}, "invocation_id": "late-1", "author": "user", "actions": {"state_delta": {}, "artifact_delta": {}, "requested_auth_configs": {}, "requested_tool_confirmations": {}}, "node_info": {"path": ""}, "id": "4e3da058-12d6-4743-8c27-9469162f1add", "timestamp": 1796041845.2015123}');
INSERT INTO "events" VALUES('664023a6-c7a5-4200-809b-073a714bb68c','app','u','end','end-1','2026-11-30 12:30:45.233321','{"content": {"parts": [{"text": "Weather?"}], "role": "user"}, "invocation_id": "end-1", "author": "user", "actions": {"state_delta": {}, "artifact_delta": {}, "requested_auth_configs": {}, "requested_tool_confirmations": {}}, "node_info": {"path": ""}, "id": "664023a6-c7a5-4200-809b-073a714bb68c", "timestamp": 1796041845.2333207}');
INSERT INTO "events" VALUES('79357087-b356-4d43-97f8-562111086632','app','u','sound','sound-1','2026-11-30 12:30:45.273793','{"content": {"parts": [{"text": "Weather?"}], "role": "user"}, "invocation_id": "sound-1", "author": "user", "actions": {"state_delta": {}, "artifact_delta": {}, "requested_auth_configs": {}, "requested_tool_confirmations": {}}, "node_info": {"path": ""}, "id": "79357087-b356-4d43-97f8-562111086632", "timestamp": 1796041845.2737927}');
INSERT INTO "events" VALUES('b13c28d0-f2ba-4c9e-913d-4626604c8d94','app','u','middle','middle-1','2026-11-30 12:30:45.332962','{"content": {"parts": [{"function_call": {"id": "c1", "args": {"city": "Bern"}, "name": "weather"}}, {"function_call": {"id": "c2", "args": {"city": "Bern"}, "name": "weather"}}], "role": "model"}, "invocation_id": "middle-1", "author": "bot", "actions": {"state_delta": {}, "artifact_delta": {}, "requested_auth_configs": {}, "requested_tool_confirmations": {}}, "node_info": {"path": ""}, "id": "b13c28d0-f2ba-4c9e-913d-4626604c8d94", "timestamp": 1796041845.3329623}');
INSERT INTO "events" VALUES('c452e10e-16eb-430e-9387-6154562243bb','app','u','late','late-1','2026-11-30 12:30:45.369369','{"content": {"parts": [{"function_call": {"id": "c3", "args": {"city": "Bern"}, "name": "weather"}}], "role": "model"}, "invocation_id": "late-1", "author": "bot", "actions": {"state_delta": {}, "artifact_delta": {}, "requested_auth_configs": {}, "requested_tool_confirmations": {}}, "node_info": {"path": ""}, "id": "c452e10e-16eb-430e-9387-6154562243bb", "timestamp": 1796041845.3693693}');
INSERT INTO "events" VALUES('4aea98f6-835c-4e93-85b7-cfd86507a3c7','app','u','end','end-1','2026-11-30 12:30:45.385305','{"content": {"parts": [{"function_call": {"id": "c4", "args": {"city": "Bern"}, "name": "weather"}}], "role": "model"}, "invocation_id": "end-1", "author": "bot", "actions": {"state_delta": {}, "artifact_delta": {}, "requested_auth_configs": {}, "requested_tool_confirmations": {}}, "node_info": {"path": ""}, "id": "4aea98f6-835c-4e93-85b7-cfd86507a3c7", "timestamp": 1796041845.3853052}');
INSERT INTO "events" VALUES('47b02a16-1ab5-4b5e-b957-453a468aca87','app','u','sound','sound-1','2026-11-30 12:30:45.401348','{"content": {"parts": [{"function_call": {"id": "c5", "args": {"city": "Bern"}, "name": "weather"}}], "role": "model"}, "invocation_id": "sound-1", "author": "bot", "actions": {"state_delta": {}, "artifact_delta": {}, "requested_auth_configs": {}, "requested_tool_confirmations": {}}, "node_info": {"path": ""}, "id": "47b02a16-1ab5-4b5e-b957-453a468aca87", "timestamp": 1796041845.4013484}');
INSERT INTO "events" VALUES('b018f8d8-ab54-4f30-a3bb-fb85b5762bc6','app','u','middle','middle-1','2026-11-30 12:30:45.417068','{"content": {"parts": [{"function_response": {"id": "c1", "name": "weather", "response": {"degrees": 21}}}], "role": "user"}, "invocation_id": "middle-1", "author": "bot", "actions": {"state_delta": {}, "artifact_delta": {}, "requested_auth_configs": {}, "requested_tool_confirmations": {}}, "node_info": {"path": ""}, "id": "b018f8d8-ab54-4f30-a3bb-fb85b5762bc6", "timestamp": 1796041845.4170682}');
INSERT INTO "events" VALUES('d658cbae-764c-4c52-beb4-eed6f7476e84','app','u','late','late-2','2026-11-30 12:30:45.457432','{"content": {"parts": [{"text": "Hello?"}], "role": "user"}, "invocation_id": "late-2", "author": "user", "actions": {"state_delta": {}, "artifact_delta": {}, "requested_auth_configs": {}, "requested_tool_confirmations": {}}, "node_info": {"path": ""}, "id": "d658cbae-764c-4c52-beb4-eed6f7476e84", "timestamp": 1796041845.4574318}');
INSERT INTO "events" VALUES('c42797fe-221f-45e4-9b3f-60bc26ef3d59','app','u','sound','sound-1','2026-11-30 12:30:45.489337','{"content": {"parts": [{"function_response": {"id": "c5", "name": "weather", "response": {"degrees": 21}}}], "role": "user"}, "invocation_id": "sound-1", "author": "bot", "actions": {"state_delta": {}, "artifact_delta": {}, "requested_auth_configs": {}, "requested_tool_confirmations": {}}, "node_info": {"path": ""}, "id": "c42797fe-221f-45e4-9b3f-60bc26ef3d59", "timestamp": 1796041845.4893374}');
INSERT INTO "events" VALUES('1124bd71-f9e6-4e87-a445-a88db468a72a','app','u','middle','middle-2','2026-11-30 12:30:45.517495','{"content": {"parts": [{"text": "Hello?"}], "role": "user"}, "invocation_id": "middle-2", "author": "user", "actions": {"state_delta": {}, "artifact_delta": {}, "requested_auth_configs": {}, "requested_tool_confirmations": {}}, "node_info": {"path": ""}, "id": "1124bd71-f9e6-4e87-a445-a88db468a72a", "timestamp": 1796041845.5174952}');
INSERT INTO "events" VALUES('3f25cedf-66a9-483c-b3b0-f60dee090ea3','app','u','late','late-2','2026-11-30 12:30:45.545352','{"content": {"parts": [{"function_response": {"id": "c3", "name": "weather", "response": {"degrees": 21}}}], "role": "user"}, "invocation_id": "late-2", "author": "bot", "actions": {"state_delta": {}, "artifact_delta": {}, "requested_auth_configs": {}, "requested_tool_confirmations": {}}, "node_info": {"path": ""}, "id": "3f25cedf-66a9-483c-b3b0-f60dee090ea3", "timestamp": 1796041845.5453522}');
INSERT INTO "events" VALUES('5a3790ab-ab2c-4af8-b083-60140b2e294c','app','u','sound','sound-1','2026-11-30 12:30:45.573631','{"content": {"parts": [{"text": "Sunny."}], "role": "model"}, "invocation_id": "sound-1", "author": "bot", "actions": {"state_delta": {}, "artifact_delta": {}, "requested_auth_configs": {}, "requested_tool_confirmations": {}}, "node_info": {"path": ""}, "id": "5a3790ab-ab2c-4af8-b083-60140b2e294c", "timestamp": 1796041845.5736313}');
INSERT INTO "events" VALUES('7cb7ad2b-3f5f-4908-aa9c-d1b9fd6c8f84','app','u','sound','sound-2','2026-11-30 12:30:45.597405','{"content": {"parts": [{"text": "Thanks."}], "role": "user"}, "invocation_id": "sound-2", "author": "user", "actions": {"state_delta": {}, "artifact_delta": {}, "requested_auth_configs": {}, "requested_tool_confirmations": {}}, "node_info": {"path": ""}, "id": "7cb7ad2b-3f5f-4908-aa9c-d1b9fd6c8f84", "timestamp": 1796041845.597405}');
INSERT INTO "events" VALUES('bdeea79e-3fcb-473c-96c1-b16b6ceb9823','app','u','waits','waits-1','2026-11-30 12:30:45.633979','{"content": {"parts": [{"function_call": {"id": "c6", "args": {"city": "Bern"}, "name": "weather"}}], "role": "model"}, "invocation_id": "waits-1", "author": "bot", "actions": {"state_delta": {}, "artifact_delta": {}, "requested_auth_configs": {}, "requested_tool_confirmations": {}}, "node_info": {"path": ""}, "long_running_tool_ids": ["c6"], "id": "bdeea79e-3fcb-473c-96c1-b16b6ceb9823", "timestamp": 1796041845.6339793}');
CREATE TABLE sessions (
	app_name VARCHAR(128) NOT NULL, 
	user_id VARCHAR(128) NOT NULL, 
	id VARCHAR(128) NOT NULL, 
	state TEXT NOT NULL, 
	create_time DATETIME NOT NULL, 
	update_time DATETIME NOT NULL, 
	PRIMARY KEY (app_name, user_id, id)
);
INSERT INTO "sessions" VALUES('app','u','middle','{}','2026-11-30 12:30:45.011539','2026-11-30 12:30:45.517495');
INSERT INTO "sessions" VALUES('app','u','late','{}','2026-11-30 12:30:45.037666','2026-11-30 12:30:45.545352');
INSERT INTO "sessions" VALUES('app','u','end','{}','2026-11-30 12:30:45.077068','2026-11-30 12:30:45.385305');
INSERT INTO "sessions" VALUES('app','u','sound','{}','2026-11-30 12:30:45.125793','2026-11-30 12:30:45.597405');
INSERT INTO "sessions" VALUES('app','u','waits','{}','2026-11-30 12:30:45.645392','2026-11-30 12:30:45.633979');
CREATE TABLE user_states (
	app_name VARCHAR(128) NOT NULL, 
	user_id VARCHAR(128) NOT NULL, 
	state TEXT NOT NULL, 
	update_time DATETIME NOT NULL, 
	PRIMARY KEY (app_name, user_id)
);
INSERT INTO "user_states" VALUES('app','u','{}','2026-11-30 12:30:44');
CREATE INDEX idx_events_app_user_session_ts_id ON events (app_name, user_id, session_id, timestamp DESC, id DESC);
COMMIT;
