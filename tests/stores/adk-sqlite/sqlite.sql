BEGIN TRANSACTION;
CREATE TABLE app_states (
    app_name TEXT PRIMARY KEY,
    state TEXT NOT NULL,
    update_time REAL NOT NULL
);
CREATE TABLE events (
    id TEXT NOT NULL,
    app_name TEXT NOT NULL,
    user_id TEXT NOT NULL,
    session_id TEXT NOT NULL,
    invocation_id TEXT NOT NULL,
    timestamp REAL NOT NULL,
    event_data TEXT NOT NULL,
    PRIMARY KEY (app_name, user_id, session_id, id),
    FOREIGN KEY (app_name, user_id, session_id) REFERENCES sessions(app_name, user_id, id) ON DELETE CASCADE
);
INSERT INTO "events" VALUES('d4d2cf87-5c6a-47de-b824-fe49530ec19b','app','u','middle','middle-1',1.7960418492495837211e+09,'{"content":{"parts":[{"text":"Weather?"}],"role":"user"},"invocation_id":"middle-1","author":"user","actions":{"state_delta":{},"artifact_delta":{},"requested_auth_configs":{},"requested_tool_confirmations":{}},"node_info":{"path":""},"id":"d4d2cf87-5c6a-47de-b824-fe49530ec19b","timestamp":1796041849.2495837}');
INSERT INTO "events" VALUES('9fa113b0-84af-4988-99bc-a97c52147ea1','app','u','late','late-1',1.79604184927359747893e+09,'{"content":{"parts":[{"text":"Weather?"}],"role":"user"},"invocation_id":"late-1","author":"user","actions":{"state_delta":{},"artifact_delta":{},"requested_auth_configs":{},"requested_tool_confirmations":{}},"node_info":{"path":""},"id":"9fa113b0-84af-4988-99bc-a97c52147ea1","timestamp":1796041849.2735975}');
INSERT INTO "events" VALUES('bfc71164-43d7-41d6-9d44-cb3168dc6084','app','u','end','end-1',1.79604184930539798733e+09,'{"content":{"parts":[{"text":"Weather?"}],"role":"user"},"invocation_id":"end-1","author":"user","actions":{"state_delta":{},"artifact_delta":{},"requested_auth_configs":{},"requested_tool_confirmations":{}},"node_info":{"path":""},"id":"bfc71164-43d7-41d6-9d44-cb3168dc6084","timestamp":1796041849.305398}');
INSERT INTO "events" VALUES('84aee085-4a88-401d-9117-f8c0c59f8372','app','u','sound','sound-1',1.79604184931311106681e+09,'{"content":{"parts":[{"text":"Weather?"}],"role":"user"},"invocation_id":"sound-1","author":"user","actions":{"state_delta":{},"artifact_delta":{},"requested_auth_configs":{},"requested_tool_confirmations":{}},"node_info":{"path":""},"id":"84aee085-4a88-401d-9117-f8c0c59f8372","timestamp":1796041849.313111}');
INSERT INTO "events" VALUES('fb8e53eb-d0e2-475f-a659-2c2771c40fca','app','u','middle','middle-1',1.79604184932521891595e+09,'{"content":{"parts":[{"function_call":{"id":"c1","args":{"city":"Bern"},"name":"weather"}},{"function_call":{"id":"c2","args":{"city":"Bern"},"name":"weather"}}],"role":"model"},"invocation_id":"middle-1","author":"bot","actions":{"state_delta":{},"artifact_delta":{},"requested_auth_configs":{},"requested_tool_confirmations":{}},"node_info":{"path":""},"id":"fb8e53eb-d0e2-475f-a659-2c2771c40fca","timestamp":1796041849.325219}');
INSERT INTO "events" VALUES('42aabc49-5e54-433e-8eb5-4209de628e21','app','u','late','late-1',1.79604184933691549304e+09,'{"content":{"parts":[{"function_call":{"id":"c3","args":{"city":"Bern"},"name":"weather"}}],"role":"model"},"invocation_id":"late-1","author":"bot","actions":{"state_delta":{},"artifact_delta":{},"requested_auth_configs":{},"requested_tool_confirmations":{}},"node_info":{"path":""},"id":"42aabc49-5e54-433e-8eb5-4209de628e21","timestamp":1796041849.3369155}');
INSERT INTO "events" VALUES('4fecaa85-5e43-497f-ad12-23a606f1a791','app','u','end','end-1',1.79604184934935903542e+09,'{"content":{"parts":[{"function_call":{"id":"c4","args":{"city":"Bern"},"name":"weather"}}],"role":"model"},"invocation_id":"end-1","author":"bot","actions":{"state_delta":{},"artifact_delta":{},"requested_auth_configs":{},"requested_tool_confirmations":{}},"node_info":{"path":""},"id":"4fecaa85-5e43-497f-ad12-23a606f1a791","timestamp":1796041849.349359}');
INSERT INTO "events" VALUES('4f53c6e9-e6ce-4053-ac6d-f4aea7d9a15c','app','u','sound','sound-1',1.79604184936084556581e+09,'{"content":{"parts":[{"function_call":{"id":"c5","args":{"city":"Bern"},"name":"weather"}}],"role":"model"},"invocation_id":"sound-1","author":"bot","actions":{"state_delta":{},"artifact_delta":{},"requested_auth_configs":{},"requested_tool_confirmations":{}},"node_info":{"path":""},"id":"4f53c6e9-e6ce-4053-ac6d-f4aea7d9a15c","timestamp":1796041849.3608456}');
INSERT INTO "events" VALUES('b6d7c04d-9cd0-41a8-9bb9-4786a0c59e58','app','u','middle','middle-1',1.79604184937327647202e+09,'{"content":{"parts":[{"function_response":{"id":"c1","name":"weather","response":{"degrees":21}}}],"role":"user"},"invocation_id":"middle-1","author":"bot","actions":{"state_delta":{},"artifact_delta":{},"requested_auth_configs":{},"requested_tool_confirmations":{}},"node_info":{"path":""},"id":"b6d7c04d-9cd0-41a8-9bb9-4786a0c59e58","timestamp":1796041849.3732765}');
INSERT INTO "events" VALUES('1bc19f33-19a2-4c51-9035-709e4f11fb58','app','u','late','late-2',1.7960418493853514194e+09,'{"content":{"parts":[{"text":"Hello?"}],"role":"user"},"invocation_id":"late-2","author":"user","actions":{"state_delta":{},"artifact_delta":{},"requested_auth_configs":{},"requested_tool_confirmations":{}},"node_info":{"path":""},"id":"1bc19f33-19a2-4c51-9035-709e4f11fb58","timestamp":1796041849.3853514}');
INSERT INTO "events" VALUES('a1de6b32-149f-4502-af86-3734b378bf69','app','u','sound','sound-1',1.79604184939956760405e+09,'{"content":{"parts":[{"function_response":{"id":"c5","name":"weather","response":{"degrees":21}}}],"role":"user"},"invocation_id":"sound-1","author":"bot","actions":{"state_delta":{},"artifact_delta":{},"requested_auth_configs":{},"requested_tool_confirmations":{}},"node_info":{"path":""},"id":"a1de6b32-149f-4502-af86-3734b378bf69","timestamp":1796041849.3995676}');
INSERT INTO "events" VALUES('6dd3f855-8113-400e-aa78-318c84955a49','app','u','middle','middle-2',1.79604184940600252158e+09,'{"content":{"parts":[{"text":"Hello?"}],"role":"user"},"invocation_id":"middle-2","author":"user","actions":{"state_delta":{},"artifact_delta":{},"requested_auth_configs":{},"requested_tool_confirmations":{}},"node_info":{"path":""},"id":"6dd3f855-8113-400e-aa78-318c84955a49","timestamp":1796041849.4060025}');
INSERT INTO "events" VALUES('10bdd8a5-3390-47e2-80a6-b44fa152c803','app','u','late','late-2',1.79604184942144179341e+09,'{"content":{"parts":[{"function_response":{"id":"c3","name":"weather","response":{"degrees":21}}}],"role":"user"},"invocation_id":"late-2","author":"bot","actions":{"state_delta":{},"artifact_delta":{},"requested_auth_configs":{},"requested_tool_confirmations":{}},"node_info":{"path":""},"id":"10bdd8a5-3390-47e2-80a6-b44fa152c803","timestamp":1796041849.4214418}');
INSERT INTO "events" VALUES('c1742388-40d8-40d4-b483-b92cdc5972af','app','u','sound','sound-1',1.7960418494386911392e+09,'{"content":{"parts":[{"text":"Sunny."}],"role":"model"},"invocation_id":"sound-1","author":"bot","actions":{"state_delta":{},"artifact_delta":{},"requested_auth_configs":{},"requested_tool_confirmations":{}},"node_info":{"path":""},"id":"c1742388-40d8-40d4-b483-b92cdc5972af","timestamp":1796041849.4386911}');
INSERT INTO "events" VALUES('86cbbb07-11c5-4ac0-9397-b6011eaa12c9','app','u','sound','sound-2',1.79604184946493625639e+09,'{"content":{"parts":[{"text":"Thanks."}],"role":"user"},"invocation_id":"sound-2","author":"user","actions":{"state_delta":{},"artifact_delta":{},"requested_auth_configs":{},"requested_tool_confirmations":{}},"node_info":{"path":""},"id":"86cbbb07-11c5-4ac0-9397-b6011eaa12c9","timestamp":1796041849.4649363}');
INSERT INTO "events" VALUES('5aa213d6-79dd-4137-a53b-a498c901329c','app','u','waits','waits-1',1.79604184948111057287e+09,'{"content":{"parts":[{"function_call":{"id":"c6","args":{"city":"Bern"},"name":"weather"}}],"role":"model"},"invocation_id":"waits-1","author":"bot","actions":{"state_delta":{},"artifact_delta":{},"requested_auth_configs":{},"requested_tool_confirmations":{}},"node_info":{"path":""},"long_running_tool_ids":["c6"],"id":"5aa213d6-79dd-4137-a53b-a498c901329c","timestamp":1796041849.4811106}');
CREATE TABLE sessions (
    app_name TEXT NOT NULL,
    user_id TEXT NOT NULL,
    id TEXT NOT NULL,
    state TEXT NOT NULL,
    create_time REAL NOT NULL,
    update_time REAL NOT NULL,
    PRIMARY KEY (app_name, user_id, id)
);
INSERT INTO "sessions" VALUES('app','u','middle','{}',1.79604184910695552825e+09,1.79604184940600252158e+09);
INSERT INTO "sessions" VALUES('app','u','late','{}',1.79604184918148088449e+09,1.79604184942144179341e+09);
INSERT INTO "sessions" VALUES('app','u','end','{}',1.79604184920120787624e+09,1.79604184934935903542e+09);
INSERT INTO "sessions" VALUES('app','u','sound','{}',1.79604184922115063666e+09,1.79604184946493625639e+09);
INSERT INTO "sessions" VALUES('app','u','waits','{}',1.79604184948121762275e+09,1.79604184948111057287e+09);
CREATE TABLE user_states (
    app_name TEXT NOT NULL,
    user_id TEXT NOT NULL,
    state TEXT NOT NULL,
    update_time REAL NOT NULL,
    PRIMARY KEY (app_name, user_id)
);
COMMIT;
