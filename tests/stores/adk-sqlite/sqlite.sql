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
INSERT INTO "events" VALUES('e3ac136f-f2dd-4bd9-bfb6-6afa143e6626','app','u','middle','middle-1',1.79604068039978671074e+09,'{"content":{"parts":[{"text":"Weather?"}],"role":"user"},"invocation_id":"middle-1","author":"user","actions":{"state_delta":{},"artifact_delta":{},"requested_auth_configs":{},"requested_tool_confirmations":{}},"node_info":{"path":""},"id":"e3ac136f-f2dd-4bd9-bfb6-6afa143e6626","timestamp":1796040680.3997867}');
INSERT INTO "events" VALUES('ff12b05c-90b3-43da-b7f4-4b83736ba7f1','app','u','late','late-1',1796040680.40278,'{"content":{"parts":[{"text":"Weather?"}],"role":"user"},"invocation_id":"late-1","author":"user","actions":{"state_delta":{},"artifact_delta":{},"requested_auth_configs":{},"requested_tool_confirmations":{}},"node_info":{"path":""},"id":"ff12b05c-90b3-43da-b7f4-4b83736ba7f1","timestamp":1796040680.40278}');
INSERT INTO "events" VALUES('3a3a4f03-e39e-4ad2-8716-545919ec4299','app','u','end','end-1',1.7960406804051766396e+09,'{"content":{"parts":[{"text":"Weather?"}],"role":"user"},"invocation_id":"end-1","author":"user","actions":{"state_delta":{},"artifact_delta":{},"requested_auth_configs":{},"requested_tool_confirmations":{}},"node_info":{"path":""},"id":"3a3a4f03-e39e-4ad2-8716-545919ec4299","timestamp":1796040680.4051766}');
INSERT INTO "events" VALUES('0adc782e-a6df-4cc4-94ae-20190e769fb7','app','u','sound','sound-1',1.79604068041362357143e+09,'{"content":{"parts":[{"text":"Weather?"}],"role":"user"},"invocation_id":"sound-1","author":"user","actions":{"state_delta":{},"artifact_delta":{},"requested_auth_configs":{},"requested_tool_confirmations":{}},"node_info":{"path":""},"id":"0adc782e-a6df-4cc4-94ae-20190e769fb7","timestamp":1796040680.4136236}');
INSERT INTO "events" VALUES('c58198e4-93e4-4b4f-9420-0909ef598123','app','u','middle','middle-1',1.79604068041868042944e+09,'{"content":{"parts":[{"function_call":{"id":"c1","args":{"city":"Bern"},"name":"weather"}},{"function_call":{"id":"c2","args":{"city":"Bern"},"name":"weather"}}],"role":"model"},"invocation_id":"middle-1","author":"bot","actions":{"state_delta":{},"artifact_delta":{},"requested_auth_configs":{},"requested_tool_confirmations":{}},"node_info":{"path":""},"id":"c58198e4-93e4-4b4f-9420-0909ef598123","timestamp":1796040680.4186804}');
INSERT INTO "events" VALUES('029512ff-8450-4501-8012-46e4823aab7a','app','u','late','late-1',1.79604068042253422737e+09,'{"content":{"parts":[{"function_call":{"id":"c3","args":{"city":"Bern"},"name":"weather"}}],"role":"model"},"invocation_id":"late-1","author":"bot","actions":{"state_delta":{},"artifact_delta":{},"requested_auth_configs":{},"requested_tool_confirmations":{}},"node_info":{"path":""},"id":"029512ff-8450-4501-8012-46e4823aab7a","timestamp":1796040680.4225342}');
INSERT INTO "events" VALUES('1ce45752-9d64-42ce-9d0f-0f3b656cd082','app','u','end','end-1',1.79604068042476058006e+09,'{"content":{"parts":[{"function_call":{"id":"c4","args":{"city":"Bern"},"name":"weather"}}],"role":"model"},"invocation_id":"end-1","author":"bot","actions":{"state_delta":{},"artifact_delta":{},"requested_auth_configs":{},"requested_tool_confirmations":{}},"node_info":{"path":""},"id":"1ce45752-9d64-42ce-9d0f-0f3b656cd082","timestamp":1796040680.4247606}');
INSERT INTO "events" VALUES('1861fbe8-8864-449d-879c-7e4c9add3db5','app','u','sound','sound-1',1.79604068042711663248e+09,'{"content":{"parts":[{"function_call":{"id":"c5","args":{"city":"Bern"},"name":"weather"}}],"role":"model"},"invocation_id":"sound-1","author":"bot","actions":{"state_delta":{},"artifact_delta":{},"requested_auth_configs":{},"requested_tool_confirmations":{}},"node_info":{"path":""},"id":"1861fbe8-8864-449d-879c-7e4c9add3db5","timestamp":1796040680.4271166}');
INSERT INTO "events" VALUES('918ddf87-6954-4761-8146-8c5881fd51c4','app','u','middle','middle-1',1.79604068044080281262e+09,'{"content":{"parts":[{"function_response":{"id":"c1","name":"weather","response":{"degrees":21}}}],"role":"user"},"invocation_id":"middle-1","author":"bot","actions":{"state_delta":{},"artifact_delta":{},"requested_auth_configs":{},"requested_tool_confirmations":{}},"node_info":{"path":""},"id":"918ddf87-6954-4761-8146-8c5881fd51c4","timestamp":1796040680.4408028}');
INSERT INTO "events" VALUES('dd7792de-0bd0-4845-880d-ffb31392c2b7','app','u','late','late-2',1.79604068044688868518e+09,'{"content":{"parts":[{"text":"Hello?"}],"role":"user"},"invocation_id":"late-2","author":"user","actions":{"state_delta":{},"artifact_delta":{},"requested_auth_configs":{},"requested_tool_confirmations":{}},"node_info":{"path":""},"id":"dd7792de-0bd0-4845-880d-ffb31392c2b7","timestamp":1796040680.4468887}');
INSERT INTO "events" VALUES('b9c80345-3a69-41f8-a291-12cfc9228d62','app','u','sound','sound-1',1.79604068045077371594e+09,'{"content":{"parts":[{"function_response":{"id":"c5","name":"weather","response":{"degrees":21}}}],"role":"user"},"invocation_id":"sound-1","author":"bot","actions":{"state_delta":{},"artifact_delta":{},"requested_auth_configs":{},"requested_tool_confirmations":{}},"node_info":{"path":""},"id":"b9c80345-3a69-41f8-a291-12cfc9228d62","timestamp":1796040680.4507737}');
INSERT INTO "events" VALUES('51fc96f6-db66-42e7-a36a-6cc50b99cbd6','app','u','middle','middle-2',1.7960406804526174068e+09,'{"content":{"parts":[{"text":"Hello?"}],"role":"user"},"invocation_id":"middle-2","author":"user","actions":{"state_delta":{},"artifact_delta":{},"requested_auth_configs":{},"requested_tool_confirmations":{}},"node_info":{"path":""},"id":"51fc96f6-db66-42e7-a36a-6cc50b99cbd6","timestamp":1796040680.4526174}');
INSERT INTO "events" VALUES('f032c19a-f8b2-4027-9ea7-3cb5c069999e','app','u','late','late-2',1.79604068045817160609e+09,'{"content":{"parts":[{"function_response":{"id":"c3","name":"weather","response":{"degrees":21}}}],"role":"user"},"invocation_id":"late-2","author":"bot","actions":{"state_delta":{},"artifact_delta":{},"requested_auth_configs":{},"requested_tool_confirmations":{}},"node_info":{"path":""},"id":"f032c19a-f8b2-4027-9ea7-3cb5c069999e","timestamp":1796040680.4581716}');
INSERT INTO "events" VALUES('321e4f9b-e3bf-46f5-ab8c-8f46c120491b','app','u','sound','sound-1',1.796040680460101366e+09,'{"content":{"parts":[{"text":"Sunny."}],"role":"model"},"invocation_id":"sound-1","author":"bot","actions":{"state_delta":{},"artifact_delta":{},"requested_auth_configs":{},"requested_tool_confirmations":{}},"node_info":{"path":""},"id":"321e4f9b-e3bf-46f5-ab8c-8f46c120491b","timestamp":1796040680.4601014}');
INSERT INTO "events" VALUES('2380db4e-03ad-4242-9441-36fdec0e37bd','app','u','sound','sound-2',1.79604068046222376821e+09,'{"content":{"parts":[{"text":"Thanks."}],"role":"user"},"invocation_id":"sound-2","author":"user","actions":{"state_delta":{},"artifact_delta":{},"requested_auth_configs":{},"requested_tool_confirmations":{}},"node_info":{"path":""},"id":"2380db4e-03ad-4242-9441-36fdec0e37bd","timestamp":1796040680.4622238}');
CREATE TABLE sessions (
    app_name TEXT NOT NULL,
    user_id TEXT NOT NULL,
    id TEXT NOT NULL,
    state TEXT NOT NULL,
    create_time REAL NOT NULL,
    update_time REAL NOT NULL,
    PRIMARY KEY (app_name, user_id, id)
);
INSERT INTO "sessions" VALUES('app','u','middle','{}',1.79604068034155082709e+09,1.7960406804526174068e+09);
INSERT INTO "sessions" VALUES('app','u','late','{}',1.79604068036884737015e+09,1.79604068045817160609e+09);
INSERT INTO "sessions" VALUES('app','u','end','{}',1.79604068038774037363e+09,1.79604068042476058006e+09);
INSERT INTO "sessions" VALUES('app','u','sound','{}',1.79604068039106631272e+09,1.79604068046222376821e+09);
CREATE TABLE user_states (
    app_name TEXT NOT NULL,
    user_id TEXT NOT NULL,
    state TEXT NOT NULL,
    update_time REAL NOT NULL,
    PRIMARY KEY (app_name, user_id)
);
COMMIT;
