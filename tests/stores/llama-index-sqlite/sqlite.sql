BEGIN TRANSACTION;
CREATE TABLE data_chatstore (
	id INTEGER NOT NULL, 
	"key" VARCHAR NOT NULL, 
	value JSON NOT NULL, 
	PRIMARY KEY (id)
);
INSERT INTO "data_chatstore" VALUES(1,'middle','{"role": "user", "additional_kwargs": {}, "blocks": [{"block_type": "text", "text": "Weather?"}]}');
INSERT INTO "data_chatstore" VALUES(2,'late','{"role": "user", "additional_kwargs": {}, "blocks": [{"block_type": "text", "text": "Weather?"}]}');
INSERT INTO "data_chatstore" VALUES(3,'end','{"role": "user", "additional_kwargs": {}, "blocks": [{"block_type": "text", "text": "Weather?"}]}');
INSERT INTO "data_chatstore" VALUES(4,'sound','{"role": "user", "additional_kwargs": {}, "blocks": [{"block_type": "text", "text": "Weather?"}]}');
INSERT INTO "data_chatstore" VALUES(5,'middle','{"role": "assistant", "additional_kwargs": {}, "blocks": [{"block_type": "tool_call", "tool_call_id": "c1", "tool_name": "weather", "tool_kwargs": {"city": "Bern"}}, {"block_type": "tool_call", "tool_call_id": "c2", "tool_name": "weather", "tool_kwargs": {"city": "Bern"}}]}');
INSERT INTO "data_chatstore" VALUES(6,'late','{"role": "assistant", "additional_kwargs": {}, "blocks": [{"block_type": "tool_call", "tool_call_id": "c3", "tool_name": "weather", "tool_kwargs": {"city": "Bern"}}]}');
INSERT INTO "data_chatstore" VALUES(7,'end','{"role": "assistant", "additional_kwargs": {}, "blocks": [{"block_type": "tool_call", "tool_call_id": "c4", "tool_name": "weather", "tool_kwargs": {"city": "Bern"}}]}');
INSERT INTO "data_chatstore" VALUES(8,'sound','{"role": "assistant", "additional_kwargs": {}, "blocks": [{"block_type": "tool_call", "tool_call_id": "c5", "tool_name": "weather", "tool_kwargs": {"city": "Bern"}}]}');
INSERT INTO "data_chatstore" VALUES(9,'middle','{"role": "tool", "additional_kwargs": {"tool_call_id": "c1"}, "blocks": [{"block_type": "text", "text": "21 degrees"}]}');
INSERT INTO "data_chatstore" VALUES(10,'late','{"role": "user", "additional_kwargs": {}, "blocks": [{"block_type": "text", "text": "Hello?"}]}');
INSERT INTO "data_chatstore" VALUES(11,'sound','{"role": "tool", "additional_kwargs": {"tool_call_id": "c5"}, "blocks": [{"block_type": "text", "text": "21 degrees"}]}');
INSERT INTO "data_chatstore" VALUES(12,'middle','{"role": "user", "additional_kwargs": {}, "blocks": [{"block_type": "text", "text": "Hello?"}]}');
INSERT INTO "data_chatstore" VALUES(13,'late','{"role": "tool", "additional_kwargs": {"tool_call_id": "c3"}, "blocks": [{"block_type": "text", "text": "21 degrees"}]}');
INSERT INTO "data_chatstore" VALUES(14,'sound','{"role": "assistant", "additional_kwargs": {}, "blocks": [{"block_type": "text", "text": "Sunny."}]}');
INSERT INTO "data_chatstore" VALUES(15,'sound','{"role": "user", "additional_kwargs": {}, "blocks": [{"block_type": "text", "text": "Thanks."}]}');
CREATE INDEX ix_data_chatstore_id ON data_chatstore (id);
CREATE INDEX ix_data_chatstore_key ON data_chatstore ("key");
COMMIT;
