BEGIN TRANSACTION;
CREATE TABLE mastra_threads (
  "id" TEXT NOT NULL PRIMARY KEY,
  "resourceId" TEXT NOT NULL,
  "title" TEXT NOT NULL,
  "metadata" TEXT,
  "createdAt" TEXT NOT NULL,
  "updatedAt" TEXT NOT NULL
);
INSERT INTO mastra_threads VALUES('end','u','',NULL,'2026-11-30T17:37:27.254Z','2026-11-30T17:37:27.257Z');
INSERT INTO mastra_threads VALUES('middle','u','',NULL,'2026-11-30T17:37:27.731Z','2026-11-30T17:37:27.745Z');
INSERT INTO mastra_threads VALUES('sound','u','',NULL,'2026-11-30T17:37:27.763Z','2026-11-30T17:37:27.897Z');
INSERT INTO mastra_threads VALUES('paused','u','',NULL,'2026-11-30T17:37:27.991Z','2026-11-30T17:37:28.085Z');
INSERT INTO mastra_threads VALUES('copies','u','',NULL,'2026-01-01T12:00:00.000Z','2026-11-30T17:37:28.097Z');
INSERT INTO mastra_threads VALUES('cut','u','',NULL,'2026-01-01T12:00:00.000Z','2026-11-30T17:37:28.111Z');
INSERT INTO mastra_threads VALUES('later','u','',NULL,'2026-01-01T12:00:00.000Z','2026-11-30T17:37:28.112Z');
INSERT INTO mastra_threads VALUES('failed','u','',NULL,'2026-01-01T12:00:00.000Z','2026-11-30T17:37:28.113Z');
INSERT INTO mastra_threads VALUES('asked','u','',NULL,'2026-01-01T12:00:00.000Z','2026-11-30T17:37:28.117Z');
CREATE TABLE mastra_messages (
  "id" TEXT NOT NULL PRIMARY KEY,
  "thread_id" TEXT NOT NULL,
  "content" TEXT NOT NULL,
  "role" TEXT NOT NULL,
  "type" TEXT NOT NULL,
  "createdAt" TEXT NOT NULL,
  "resourceId" TEXT
);
INSERT INTO mastra_messages VALUES('285adc4a-3e9a-496d-a586-9f9e0ad5d0ee','end','{"format":2,"parts":[{"type":"text","text":"Weather?","createdAt":1796060246419}],"content":"Weather?"}','user','v2','2026-11-30T17:37:26.419Z','u');
INSERT INTO mastra_messages VALUES('f2a9a075-aa6e-43eb-9660-ca8598b7eb53','end','{"format":2,"parts":[{"type":"tool-invocation","toolInvocation":{"state":"result","toolCallId":"c1","toolName":"weather","args":{"city":"Bern"},"result":"21 degrees"}},{"type":"tool-invocation","toolInvocation":{"state":"call","toolCallId":"c2","toolName":"hang","args":{"city":"Bern"}},"createdAt":1796060246823}],"metadata":{"modelId":"fake","provider":"fake"}}','assistant','v2','2026-11-30T17:37:26.823Z','u');
INSERT INTO mastra_messages VALUES('7289ad55-eeec-4cd2-91c2-4bc3178a230f','middle','{"format":2,"parts":[{"type":"text","text":"Weather?","createdAt":1796060247335}],"content":"Weather?"}','user','v2','2026-11-30T17:37:27.335Z','u');
INSERT INTO mastra_messages VALUES('69bb740b-ca89-4abb-9ece-43909375f4bb','middle','{"format":2,"parts":[{"type":"tool-invocation","toolInvocation":{"state":"result","toolCallId":"c1","toolName":"weather","args":{"city":"Bern"},"result":"21 degrees"}},{"type":"tool-invocation","toolInvocation":{"state":"call","toolCallId":"c2","toolName":"hang","args":{"city":"Bern"}},"createdAt":1796060247400}],"metadata":{"modelId":"fake","provider":"fake"}}','assistant','v2','2026-11-30T17:37:27.400Z','u');
INSERT INTO mastra_messages VALUES('middle-0','middle','{"format":2,"parts":[{"type":"text","text":"Hello?"}],"content":"Hello?"}','user','v2','2026-11-30T17:37:27.745Z','u');
INSERT INTO mastra_messages VALUES('19c623b8-4d88-4f24-9ffc-db0d97c1de07','sound','{"format":2,"parts":[{"type":"text","text":"Weather?","createdAt":1796060247764}],"content":"Weather?"}','user','v2','2026-11-30T17:37:27.764Z','u');
INSERT INTO mastra_messages VALUES('a2315fff-d6ee-4f98-a1a8-63c26d72dd13','sound','{"format":2,"parts":[{"type":"tool-invocation","toolInvocation":{"state":"result","toolCallId":"c3","toolName":"weather","args":{"city":"Bern"},"result":"21 degrees"}},{"type":"step-start","createdAt":1796060247843,"model":"fake/fake"},{"type":"text","text":"Sunny.","createdAt":1796060247865}],"metadata":{"modelId":"fake","provider":"fake"},"content":"Sunny."}','assistant','v2','2026-11-30T17:37:27.805Z','u');
INSERT INTO mastra_messages VALUES('be404787-2d51-475c-b79c-17601c0c3dbd','paused','{"format":2,"parts":[{"type":"text","text":"Book!","createdAt":1796060247992}],"content":"Book!"}','user','v2','2026-11-30T17:37:27.991Z','u');
INSERT INTO mastra_messages VALUES('849171ce-96e3-45ab-9313-460ac6886f91','paused','{"format":2,"parts":[{"type":"tool-invocation","toolInvocation":{"state":"call","toolCallId":"c4","toolName":"book","args":{"city":"Bern"}},"createdAt":1796060248052}],"metadata":{"modelId":"fake","provider":"fake","pendingToolApprovals":{"c4":{"toolCallId":"c4","toolName":"book","args":{"city":"Bern"},"type":"approval","runId":"b2180461-def2-447e-8a8f-be71c74bec04","resumeSchema":"{\"$schema\":\"http://json-schema.org/draft-07/schema#\",\"type\":\"object\",\"properties\":{\"approved\":{\"type\":\"boolean\",\"description\":\"Controls if the tool call is approved or not, should be true when approved and false when declined\"},\"reason\":{\"description\":\"Optional explanation for the decision, surfaced to the model when the tool call is declined\",\"type\":\"string\"}},\"required\":[\"approved\"],\"additionalProperties\":false}"}}}}','assistant','v2','2026-11-30T17:37:28.052Z','u');
INSERT INTO mastra_messages VALUES('copies-1','copies','{"format":2,"parts":[{"type":"tool-invocation","toolInvocation":{"state":"call","toolCallId":"c5","toolName":"weather","args":{"city":"Bern"}}},{"type":"tool-invocation","toolInvocation":{"state":"result","toolCallId":"c6","toolName":"weather","args":{"city":"Bern"},"result":"20 degrees"}}],"content":"","toolInvocations":[{"state":"call","toolCallId":"c5","toolName":"weather","args":{"city":"Bern"}},{"state":"result","toolCallId":"c6","toolName":"weather","args":{"city":"Bern"},"result":"20 degrees"}]}','assistant','v2','2026-01-01T12:00:01.000Z','u');
INSERT INTO mastra_messages VALUES('copies-2','copies','{"format":2,"parts":[{"type":"text","text":"Hello?"}],"content":"Hello?"}','user','v2','2026-01-01T12:00:02.000Z','u');
INSERT INTO mastra_messages VALUES('cut-1','cut','{"format":2,"parts":[{"type":"tool-invocation","toolInvocation":{"state":"partial-call","toolCallId":"c7","toolName":"weather","args":{}}}],"content":""}','assistant','v2','2026-01-01T12:00:01.000Z','u');
INSERT INTO mastra_messages VALUES('cut-2','cut','{"format":2,"parts":[{"type":"text","text":"Hello?"}],"content":"Hello?"}','user','v2','2026-01-01T12:00:02.000Z','u');
INSERT INTO mastra_messages VALUES('later-1','later','{"format":2,"parts":[{"type":"tool-invocation","toolInvocation":{"state":"call","toolCallId":"c8","toolName":"weather","args":{"city":"Bern"}}}],"content":""}','assistant','v2','2026-01-01T12:00:01.000Z','u');
INSERT INTO mastra_messages VALUES('later-2','later','{"format":2,"parts":[{"type":"tool-invocation","toolInvocation":{"state":"result","toolCallId":"c8","toolName":"weather","args":{},"result":"22 degrees"}}],"content":""}','assistant','v2','2026-01-01T12:00:02.000Z','u');
INSERT INTO mastra_messages VALUES('later-3','later','{"format":2,"parts":[{"type":"text","text":"Hello?"}],"content":"Hello?"}','user','v2','2026-01-01T12:00:03.000Z','u');
INSERT INTO mastra_messages VALUES('failed-1','failed','{"format":2,"parts":[{"type":"tool-invocation","toolInvocation":{"state":"output-error","toolCallId":"c9","toolName":"weather","args":{"city":"Bern"},"errorText":"no network"}}],"content":""}','assistant','v2','2026-01-01T12:00:01.000Z','u');
INSERT INTO mastra_messages VALUES('failed-2','failed','{"format":2,"parts":[{"type":"text","text":"Hello?"}],"content":"Hello?"}','user','v2','2026-01-01T12:00:02.000Z','u');
INSERT INTO mastra_messages VALUES('asked-1','asked','{"format":2,"parts":[{"type":"tool-invocation","toolInvocation":{"state":"approval-requested","toolCallId":"c10","toolName":"weather","args":{"city":"Bern"},"approval":{"id":"a1"}}}],"content":""}','assistant','v2','2026-01-01T12:00:01.000Z','u');
COMMIT;
