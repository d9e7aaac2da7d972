BEGIN TRANSACTION;
CREATE TABLE llama_index_memory (
	id INTEGER NOT NULL, 
	"key" VARCHAR NOT NULL, 
	timestamp BIGINT NOT NULL, 
	role VARCHAR NOT NULL, 
	status VARCHAR NOT NULL, 
	data JSON NOT NULL, 
	PRIMARY KEY (id)
);
INSERT INTO "llama_index_memory" VALUES(1,'middle',1796040850691890103,'user','active','{"role": "user", "additional_kwargs": {}, "blocks": [{"block_type": "text", "text": "Weather?"}]}');
INSERT INTO "llama_index_memory" VALUES(2,'late',1796040850696421958,'user','active','{"role": "user", "additional_kwargs": {}, "blocks": [{"block_type": "text", "text": "Weather?"}]}');
INSERT INTO "llama_index_memory" VALUES(3,'end',1796040850699209028,'user','active','{"role": "user", "additional_kwargs": {}, "blocks": [{"block_type": "text", "text": "Weather?"}]}');
INSERT INTO "llama_index_memory" VALUES(4,'sound',1796040850701550857,'user','active','{"role": "user", "additional_kwargs": {}, "blocks": [{"block_type": "text", "text": "Weather?"}]}');
INSERT INTO "llama_index_memory" VALUES(5,'middle',1796040850704100197,'assistant','active','{"role": "assistant", "additional_kwargs": {}, "blocks": [{"block_type": "tool_call", "tool_call_id": "c1", "tool_name": "weather", "tool_kwargs": {"city": "Bern"}}, {"block_type": "tool_call", "tool_call_id": "c2", "tool_name": "weather", "tool_kwargs": {"city": "Bern"}}]}');
INSERT INTO "llama_index_memory" VALUES(6,'late',1796040850729224700,'assistant','active','{"role": "assistant", "additional_kwargs": {}, "blocks": [{"block_type": "tool_call", "tool_call_id": "c3", "tool_name": "weather", "tool_kwargs": {"city": "Bern"}}]}');
INSERT INTO "llama_index_memory" VALUES(7,'end',1796040850731848724,'assistant','active','{"role": "assistant", "additional_kwargs": {}, "blocks": [{"block_type": "tool_call", "tool_call_id": "c4", "tool_name": "weather", "tool_kwargs": {"city": "Bern"}}]}');
INSERT INTO "llama_index_memory" VALUES(8,'sound',1796040850734388640,'assistant','active','{"role": "assistant", "additional_kwargs": {}, "blocks": [{"block_type": "tool_call", "tool_call_id": "c5", "tool_name": "weather", "tool_kwargs": {"city": "Bern"}}]}');
INSERT INTO "llama_index_memory" VALUES(9,'middle',1796040850736783200,'tool','active','{"role": "tool", "additional_kwargs": {"tool_call_id": "c1"}, "blocks": [{"block_type": "text", "text": "21 degrees"}]}');
INSERT INTO "llama_index_memory" VALUES(10,'late',1796040850738982613,'user','active','{"role": "user", "additional_kwargs": {}, "blocks": [{"block_type": "text", "text": "Hello?"}]}');
INSERT INTO "llama_index_memory" VALUES(11,'sound',1796040850741366008,'tool','active','{"role": "tool", "additional_kwargs": {"tool_call_id": "c5"}, "blocks": [{"block_type": "text", "text": "21 degrees"}]}');
INSERT INTO "llama_index_memory" VALUES(12,'middle',1796040850743500403,'user','active','{"role": "user", "additional_kwargs": {}, "blocks": [{"block_type": "text", "text": "Hello?"}]}');
INSERT INTO "llama_index_memory" VALUES(13,'late',1796040850745745780,'tool','active','{"role": "tool", "additional_kwargs": {"tool_call_id": "c3"}, "blocks": [{"block_type": "text", "text": "21 degrees"}]}');
INSERT INTO "llama_index_memory" VALUES(14,'sound',1796040850747841599,'assistant','active','{"role": "assistant", "additional_kwargs": {}, "blocks": [{"block_type": "text", "text": "Sunny."}]}');
INSERT INTO "llama_index_memory" VALUES(15,'sound',1796040850750245449,'user','active','{"role": "user", "additional_kwargs": {}, "blocks": [{"block_type": "text", "text": "Thanks."}]}');
INSERT INTO "llama_index_memory" VALUES(16,'archived',1796040850752422089,'user','archived','{"role": "user", "additional_kwargs": {}, "blocks": [{"block_type": "text", "text": "Weather?"}]}');
INSERT INTO "llama_index_memory" VALUES(17,'archived',1796040850754826345,'assistant','archived','{"role": "assistant", "additional_kwargs": {}, "blocks": [{"block_type": "tool_call", "tool_call_id": "c6", "tool_name": "weather", "tool_kwargs": {"city": "Bern"}}]}');
CREATE INDEX ix_llama_index_memory_key ON llama_index_memory ("key");
CREATE INDEX ix_llama_index_memory_status ON llama_index_memory (status);
CREATE INDEX ix_llama_index_memory_timestamp ON llama_index_memory (timestamp);
COMMIT;
