CREATE TABLE schema_version (
    version INTEGER NOT NULL
);
CREATE TABLE sessions (
    id TEXT PRIMARY KEY,
    source TEXT NOT NULL,
    user_id TEXT,
    session_key TEXT,
    chat_id TEXT,
    chat_type TEXT,
    thread_id TEXT,
    display_name TEXT,
    origin_json TEXT,
    expiry_finalized INTEGER DEFAULT 0,
    model TEXT,
    model_config TEXT,
    system_prompt TEXT,
    parent_session_id TEXT,
    started_at REAL NOT NULL,
    ended_at REAL,
    end_reason TEXT,
    message_count INTEGER DEFAULT 0,
    tool_call_count INTEGER DEFAULT 0,
    input_tokens INTEGER DEFAULT 0,
    output_tokens INTEGER DEFAULT 0,
    cache_read_tokens INTEGER DEFAULT 0,
    cache_write_tokens INTEGER DEFAULT 0,
    reasoning_tokens INTEGER DEFAULT 0,
    cwd TEXT,
    git_branch TEXT,
    git_repo_root TEXT,
    billing_provider TEXT,
    billing_base_url TEXT,
    billing_mode TEXT,
    estimated_cost_usd REAL,
    actual_cost_usd REAL,
    cost_status TEXT,
    cost_source TEXT,
    pricing_version TEXT,
    title TEXT,
    api_call_count INTEGER DEFAULT 0,
    handoff_state TEXT,
    handoff_platform TEXT,
    handoff_error TEXT,
    compression_failure_cooldown_until REAL,
    compression_failure_error TEXT,
    compression_fallback_streak INTEGER NOT NULL DEFAULT 0,
    profile_name TEXT,
    rewind_count INTEGER NOT NULL DEFAULT 0,
    archived INTEGER NOT NULL DEFAULT 0,
    FOREIGN KEY (parent_session_id) REFERENCES sessions(id)
);
CREATE TABLE messages (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    session_id TEXT NOT NULL REFERENCES sessions(id),
    role TEXT NOT NULL,
    content TEXT,
    tool_call_id TEXT,
    tool_calls TEXT,
    tool_name TEXT,
    effect_disposition TEXT,
    timestamp REAL NOT NULL,
    token_count INTEGER,
    finish_reason TEXT,
    reasoning TEXT,
    reasoning_content TEXT,
    reasoning_details TEXT,
    codex_reasoning_items TEXT,
    codex_message_items TEXT,
    platform_message_id TEXT,
    observed INTEGER DEFAULT 0,
    active INTEGER NOT NULL DEFAULT 1,
    compacted INTEGER NOT NULL DEFAULT 0,
    api_content TEXT
);
CREATE TABLE session_model_usage (
    session_id TEXT NOT NULL REFERENCES sessions(id) ON DELETE CASCADE,
    model TEXT NOT NULL,
    billing_provider TEXT NOT NULL DEFAULT '',
    billing_base_url TEXT NOT NULL DEFAULT '',
    billing_mode TEXT NOT NULL DEFAULT '',
    task TEXT NOT NULL DEFAULT '',
    api_call_count INTEGER NOT NULL DEFAULT 0,
    input_tokens INTEGER NOT NULL DEFAULT 0,
    output_tokens INTEGER NOT NULL DEFAULT 0,
    cache_read_tokens INTEGER NOT NULL DEFAULT 0,
    cache_write_tokens INTEGER NOT NULL DEFAULT 0,
    reasoning_tokens INTEGER NOT NULL DEFAULT 0,
    estimated_cost_usd REAL NOT NULL DEFAULT 0,
    actual_cost_usd REAL NOT NULL DEFAULT 0,
    cost_status TEXT,
    cost_source TEXT,
    first_seen REAL,
    last_seen REAL,
    PRIMARY KEY (session_id, model, billing_provider, billing_base_url, billing_mode, task)
);
CREATE TABLE state_meta (
    key TEXT PRIMARY KEY,
    value TEXT
);
CREATE TABLE gateway_routing (
    scope TEXT NOT NULL DEFAULT '',
    session_key TEXT NOT NULL,
    entry_json TEXT NOT NULL,
    updated_at REAL NOT NULL,
    PRIMARY KEY (scope, session_key)
);
CREATE TABLE compression_locks (
    session_id TEXT PRIMARY KEY,
    holder TEXT NOT NULL,
    acquired_at REAL NOT NULL,
    expires_at REAL NOT NULL
);
CREATE TABLE async_delegations (
    delegation_id TEXT PRIMARY KEY,
    origin_session TEXT NOT NULL,
    origin_ui_session_id TEXT NOT NULL DEFAULT '',
    parent_session_id TEXT,
    state TEXT NOT NULL,
    dispatched_at REAL NOT NULL,
    completed_at REAL,
    updated_at REAL NOT NULL,
    event_json TEXT,
    result_json TEXT,
    delivery_state TEXT NOT NULL DEFAULT 'pending',
    delivery_attempts INTEGER NOT NULL DEFAULT 0,
    delivered_at REAL,
    owner_pid INTEGER,
    owner_started_at INTEGER,
    task_json TEXT,
    delivery_claim TEXT,
    delivery_claimed_at REAL
);
CREATE INDEX idx_sessions_source ON sessions(source);
CREATE INDEX idx_sessions_source_id ON sessions(source, id);
CREATE INDEX idx_sessions_parent ON sessions(parent_session_id);
CREATE INDEX idx_sessions_started ON sessions(started_at DESC);
CREATE INDEX idx_messages_session ON messages(session_id, timestamp);
CREATE INDEX idx_compression_locks_expires ON compression_locks(expires_at);
CREATE INDEX idx_session_model_usage_session ON session_model_usage(session_id);
CREATE INDEX idx_session_model_usage_model ON session_model_usage(model);
CREATE INDEX idx_async_delegations_delivery
    ON async_delegations(delivery_state, completed_at);
CREATE INDEX idx_messages_platform_msg_id ON messages(session_id, platform_message_id) WHERE platform_message_id IS NOT NULL;
CREATE INDEX idx_messages_session_active
    ON messages(session_id, active, timestamp);
CREATE INDEX idx_messages_active_null
    ON messages(active) WHERE active IS NULL;
CREATE INDEX idx_sessions_session_key
    ON sessions(session_key, started_at DESC);
CREATE INDEX idx_sessions_gateway_peer
    ON sessions(source, user_id, chat_id, chat_type, thread_id, started_at DESC);
CREATE INDEX idx_sessions_handoff_state
    ON sessions(handoff_state, started_at);
CREATE UNIQUE INDEX idx_sessions_title_unique ON sessions(title) WHERE title IS NOT NULL;
CREATE VIRTUAL TABLE messages_fts USING fts5(
    content
);
CREATE VIRTUAL TABLE messages_fts_trigram USING fts5(
    content,
    tokenize='trigram'
);
CREATE TRIGGER messages_fts_insert AFTER INSERT ON messages BEGIN
    INSERT INTO messages_fts(rowid, content) VALUES (
        new.id,
        COALESCE(new.content, '') || ' ' || COALESCE(new.tool_name, '') || ' ' || COALESCE(new.tool_calls, '')
    );
END;
CREATE TRIGGER messages_fts_delete AFTER DELETE ON messages BEGIN
    DELETE FROM messages_fts WHERE rowid = old.id;
END;
CREATE TRIGGER messages_fts_update AFTER UPDATE ON messages BEGIN
    DELETE FROM messages_fts WHERE rowid = old.id;
    INSERT INTO messages_fts(rowid, content) VALUES (
        new.id,
        COALESCE(new.content, '') || ' ' || COALESCE(new.tool_name, '') || ' ' || COALESCE(new.tool_calls, '')
    );
END;
CREATE TRIGGER messages_fts_trigram_insert AFTER INSERT ON messages BEGIN
    INSERT INTO messages_fts_trigram(rowid, content) VALUES (
        new.id,
        COALESCE(new.content, '') || ' ' || COALESCE(new.tool_name, '') || ' ' || COALESCE(new.tool_calls, '')
    );
END;
CREATE TRIGGER messages_fts_trigram_delete AFTER DELETE ON messages BEGIN
    DELETE FROM messages_fts_trigram WHERE rowid = old.id;
END;
CREATE TRIGGER messages_fts_trigram_update AFTER UPDATE ON messages BEGIN
    DELETE FROM messages_fts_trigram WHERE rowid = old.id;
    INSERT INTO messages_fts_trigram(rowid, content) VALUES (
        new.id,
        COALESCE(new.content, '') || ' ' || COALESCE(new.tool_name, '') || ' ' || COALESCE(new.tool_calls, '')
    );
END;
INSERT INTO "messages" VALUES(1,'middle','user','Weather?',NULL,NULL,NULL,NULL,1772445600.25,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,0,1,0,NULL);
INSERT INTO "messages" VALUES(2,'late','user','Weather?',NULL,NULL,NULL,NULL,1772445601.25,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,0,1,0,NULL);
INSERT INTO "messages" VALUES(3,'end','user','Weather?',NULL,NULL,NULL,NULL,1772445602.25,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,0,1,0,NULL);
INSERT INTO "messages" VALUES(4,'sound','user','Weather?',NULL,NULL,NULL,NULL,1772445603.25,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,0,1,0,NULL);
INSERT INTO "messages" VALUES(5,'middle','assistant','',NULL,'[{"id": "c1", "call_id": "c1", "type": "function", "function": {"name": "weather", "arguments": "{\"city\": \"Bern\"}"}}, {"id": "c2", "call_id": "c2", "type": "function", "function": {"name": "weather", "arguments": "{\"city\": \"Bern\"}"}}]',NULL,NULL,1772445604.25,NULL,'tool_calls','They ask for Bern.',NULL,NULL,NULL,NULL,NULL,0,1,0,NULL);
INSERT INTO "messages" VALUES(6,'late','assistant','',NULL,'[{"id": "c3", "call_id": "c3", "type": "function", "function": {"name": "weather", "arguments": "{\"city\": \"Bern\"}"}}]',NULL,NULL,1772445605.25,NULL,'tool_calls','They ask for Bern.',NULL,NULL,NULL,NULL,NULL,0,1,0,NULL);
INSERT INTO "messages" VALUES(7,'end','assistant','',NULL,'[{"id": "c4", "call_id": "c4", "type": "function", "function": {"name": "weather", "arguments": "{\"city\": \"Bern\"}"}}]',NULL,NULL,1772445606.25,NULL,'tool_calls','They ask for Bern.',NULL,NULL,NULL,NULL,NULL,0,1,0,NULL);
INSERT INTO "messages" VALUES(8,'sound','assistant','',NULL,'[{"id": "c5", "call_id": "c5", "type": "function", "function": {"name": "weather", "arguments": "{\"city\": \"Bern\"}"}}]',NULL,NULL,1772445607.25,NULL,'tool_calls','They ask for Bern.',NULL,NULL,NULL,NULL,NULL,0,1,0,NULL);
INSERT INTO "messages" VALUES(9,'middle','tool','{"degrees": 21}','c1',NULL,'weather',NULL,1772445608.25,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,0,1,0,NULL);
INSERT INTO "messages" VALUES(10,'late','user','Hello?',NULL,NULL,NULL,NULL,1772445609.25,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,0,1,0,NULL);
INSERT INTO "messages" VALUES(11,'sound','tool','{"degrees": 21}','c5',NULL,'weather',NULL,1772445610.25,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,0,1,0,NULL);
INSERT INTO "messages" VALUES(12,'middle','user','Hello?',NULL,NULL,NULL,NULL,1772445611.25,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,0,1,0,NULL);
INSERT INTO "messages" VALUES(13,'late','tool','{"degrees": 21}','c3',NULL,'weather',NULL,1772445612.25,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,0,1,0,NULL);
INSERT INTO "messages" VALUES(14,'sound','assistant','Sunny.',NULL,NULL,NULL,NULL,1772445613.25,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,0,1,0,NULL);
INSERT INTO "messages" VALUES(15,'sound','user','Thanks.',NULL,NULL,NULL,NULL,1772445614.25,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,0,1,0,NULL);
INSERT INTO "messages" VALUES(16,'compacted','user','Weather?',NULL,NULL,NULL,NULL,1772445615.25,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,0,0,1,NULL);
INSERT INTO "messages" VALUES(17,'compacted','assistant','',NULL,'[{"id": "c7", "call_id": "c7", "type": "function", "function": {"name": "weather", "arguments": "{\"city\": \"Bern\"}"}}]',NULL,NULL,1772445616.25,NULL,'tool_calls','They ask for Bern.',NULL,NULL,NULL,NULL,NULL,0,0,1,NULL);
INSERT INTO "messages" VALUES(18,'compacted','user','They asked for the weather.',NULL,NULL,NULL,NULL,1772445617.25,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,0,1,0,NULL);
INSERT INTO "messages" VALUES(19,'back','user','Hi.',NULL,NULL,NULL,NULL,1772445615.25,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,0,1,0,NULL);
INSERT INTO "messages" VALUES(20,'back','assistant','Hello.',NULL,NULL,NULL,NULL,1772445616.25,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,0,1,0,NULL);
INSERT INTO "messages" VALUES(21,'back','user','Weather?',NULL,NULL,NULL,NULL,1772445617.25,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,0,0,0,NULL);
INSERT INTO "messages" VALUES(22,'back','assistant','',NULL,'[{"id": "c8", "call_id": "c8", "type": "function", "function": {"name": "weather", "arguments": "{\"city\": \"Bern\"}"}}]',NULL,NULL,1772445618.25,NULL,'tool_calls','They ask for Bern.',NULL,NULL,NULL,NULL,NULL,0,0,0,NULL);
INSERT INTO "schema_version" VALUES(22);
INSERT INTO "sessions" VALUES('middle','cli',NULL,NULL,NULL,NULL,NULL,NULL,NULL,0,'fake',NULL,NULL,NULL,1.79605973959021234507e+09,NULL,NULL,4,2,0,0,0,0,0,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,0,NULL,NULL,NULL,NULL,NULL,0,NULL,0,0);
INSERT INTO "sessions" VALUES('late','cli',NULL,NULL,NULL,NULL,NULL,NULL,NULL,0,'fake',NULL,NULL,NULL,1.79605973959385418897e+09,NULL,NULL,4,1,0,0,0,0,0,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,0,NULL,NULL,NULL,NULL,NULL,0,NULL,0,0);
INSERT INTO "sessions" VALUES('end','cli',NULL,NULL,NULL,NULL,NULL,NULL,NULL,0,'fake',NULL,NULL,NULL,1.79605973959786868092e+09,NULL,NULL,2,1,0,0,0,0,0,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,0,NULL,NULL,NULL,NULL,NULL,0,NULL,0,0);
INSERT INTO "sessions" VALUES('sound','cli',NULL,NULL,NULL,NULL,NULL,NULL,NULL,0,'fake',NULL,NULL,NULL,1.79605973960186314584e+09,NULL,NULL,5,1,0,0,0,0,0,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,0,NULL,NULL,NULL,NULL,NULL,0,NULL,0,0);
INSERT INTO "sessions" VALUES('compacted','cli',NULL,NULL,NULL,NULL,NULL,NULL,NULL,0,'fake',NULL,NULL,NULL,1.79605973960584282874e+09,NULL,NULL,1,0,0,0,0,0,0,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,0,NULL,NULL,NULL,NULL,NULL,0,NULL,0,0);
INSERT INTO "sessions" VALUES('back','cli',NULL,NULL,NULL,NULL,NULL,NULL,NULL,0,'fake',NULL,NULL,NULL,1.79605973961346054076e+09,NULL,NULL,4,1,0,0,0,0,0,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,0,NULL,NULL,NULL,NULL,NULL,0,NULL,1,0);
