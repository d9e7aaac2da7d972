CREATE TABLE public."Chat" (
    id uuid DEFAULT gen_random_uuid() NOT NULL,
    "createdAt" timestamp without time zone NOT NULL,
    title text NOT NULL,
    "userId" uuid NOT NULL,
    visibility character varying DEFAULT 'private'::character varying NOT NULL
);
CREATE TABLE public."Message_v2" (
    id uuid DEFAULT gen_random_uuid() NOT NULL,
    "chatId" uuid NOT NULL,
    role character varying NOT NULL,
    parts json NOT NULL,
    attachments json NOT NULL,
    "createdAt" timestamp without time zone NOT NULL
);
INSERT INTO public."Chat" VALUES ('2dae52cb-1b4a-a443-53c3-5b9b49fdcc8c', '2026-11-30 22:21:06.061072', 'middle 5', '2dae52cb-1b4a-a443-53c3-5b9b49fdcc8c', 'private');
INSERT INTO public."Chat" VALUES ('5e8a0c2f-7362-7755-4ded-42e91c260a5e', '2026-11-30 22:21:06.55024', 'end 5', '5e8a0c2f-7362-7755-4ded-42e91c260a5e', 'private');
INSERT INTO public."Chat" VALUES ('70c32027-3b8f-86cd-32b2-5e9685710986', '2026-11-30 22:21:06.630394', 'sound 5', '70c32027-3b8f-86cd-32b2-5e9685710986', 'private');
INSERT INTO public."Chat" VALUES ('7d730bb2-6601-be10-8815-5a1a2f4e9fd7', '2026-11-30 22:21:06.664125', 'middle 6', '7d730bb2-6601-be10-8815-5a1a2f4e9fd7', 'private');
INSERT INTO public."Chat" VALUES ('7950c5e4-4ed2-f50b-7ad7-84316e88befd', '2026-11-30 22:21:06.850187', 'end 6', '7950c5e4-4ed2-f50b-7ad7-84316e88befd', 'private');
INSERT INTO public."Chat" VALUES ('44c86b48-0ee9-4141-5632-e6b84f54a47e', '2026-11-30 22:21:06.925444', 'sound 6', '44c86b48-0ee9-4141-5632-e6b84f54a47e', 'private');
INSERT INTO public."Chat" VALUES ('8b2a1865-a1b4-173b-d3e7-7f6b24757d96', '2026-11-30 22:21:06.972417', 'middle 7', '8b2a1865-a1b4-173b-d3e7-7f6b24757d96', 'private');
INSERT INTO public."Chat" VALUES ('dfc44ed2-c51d-5318-471d-08b5c826a0ea', '2026-11-30 22:21:07.198497', 'end 7', 'dfc44ed2-c51d-5318-471d-08b5c826a0ea', 'private');
INSERT INTO public."Chat" VALUES ('d26db58b-420f-3a2e-4922-96e46dd3590b', '2026-11-30 22:21:07.271173', 'sound 7', 'd26db58b-420f-3a2e-4922-96e46dd3590b', 'private');
INSERT INTO public."Message_v2" VALUES ('18c392c8-a9d2-0169-4b16-ad8d33932a81', '2dae52cb-1b4a-a443-53c3-5b9b49fdcc8c', 'user', '[{"type":"text","text":"Weather?"}]', '[]', '2026-11-30 22:21:06.069401');
INSERT INTO public."Message_v2" VALUES ('937178cd-1940-159d-0d34-befb018c332d', '2dae52cb-1b4a-a443-53c3-5b9b49fdcc8c', 'assistant', '[{"type":"step-start"},{"type":"tool-weather","toolCallId":"c1","state":"output-available","input":{"city":"Bern"},"output":"21 degrees"},{"type":"tool-hang","toolCallId":"c2","state":"input-available","input":{"city":"Bern"}}]', '[]', '2026-11-30 22:21:06.541447');
INSERT INTO public."Message_v2" VALUES ('031ee96f-7a39-cd53-d19f-f3edfa56dd56', '2dae52cb-1b4a-a443-53c3-5b9b49fdcc8c', 'user', '[{"type":"text","text":"Hello?"}]', '[]', '2026-11-30 22:21:06.549227');
INSERT INTO public."Message_v2" VALUES ('67bb8309-713e-d152-0d3f-36357246f3c2', '5e8a0c2f-7362-7755-4ded-42e91c260a5e', 'user', '[{"type":"text","text":"Weather?"}]', '[]', '2026-11-30 22:21:06.553138');
INSERT INTO public."Message_v2" VALUES ('053979b4-14d5-7dc0-4c07-c8d93eff1bbf', '5e8a0c2f-7362-7755-4ded-42e91c260a5e', 'assistant', '[{"type":"step-start"},{"type":"tool-hang","toolCallId":"c3","state":"input-available","input":{"city":"Bern"}}]', '[]', '2026-11-30 22:21:06.62528');
INSERT INTO public."Message_v2" VALUES ('a3b14c12-fdcf-47f2-99fc-a0c3225264a2', '70c32027-3b8f-86cd-32b2-5e9685710986', 'user', '[{"type":"text","text":"Weather?"}]', '[]', '2026-11-30 22:21:06.631376');
INSERT INTO public."Message_v2" VALUES ('a2248a13-9a7e-dc74-2ed2-43ed842553c1', '70c32027-3b8f-86cd-32b2-5e9685710986', 'assistant', '[{"type":"step-start"},{"type":"tool-weather","toolCallId":"c4","state":"output-available","input":{"city":"Bern"},"output":"21 degrees"},{"type":"step-start"},{"type":"text","text":"Sunny.","state":"done"}]', '[]', '2026-11-30 22:21:06.663296');
INSERT INTO public."Message_v2" VALUES ('9da874b6-b5f7-feca-61c6-18c7eb3e67f5', '7d730bb2-6601-be10-8815-5a1a2f4e9fd7', 'user', '[{"type":"text","text":"Weather?"}]', '[]', '2026-11-30 22:21:06.664708');
INSERT INTO public."Message_v2" VALUES ('33959bd1-ea0e-6022-5f0a-69a50225153c', '7d730bb2-6601-be10-8815-5a1a2f4e9fd7', 'assistant', '[{"type":"step-start"},{"type":"tool-weather","toolCallId":"c1","state":"output-available","input":{"city":"Bern"},"output":"21 degrees"},{"type":"tool-hang","toolCallId":"c2","state":"input-available","input":{"city":"Bern"}}]', '[]', '2026-11-30 22:21:06.846407');
INSERT INTO public."Message_v2" VALUES ('7e6801ce-670b-645c-e0d6-04c0b747ba62', '7d730bb2-6601-be10-8815-5a1a2f4e9fd7', 'user', '[{"type":"text","text":"Hello?"}]', '[]', '2026-11-30 22:21:06.84916');
INSERT INTO public."Message_v2" VALUES ('6c744de3-dbe9-d04e-5dfc-071019493f18', '7950c5e4-4ed2-f50b-7ad7-84316e88befd', 'user', '[{"type":"text","text":"Weather?"}]', '[]', '2026-11-30 22:21:06.850974');
INSERT INTO public."Message_v2" VALUES ('36d45de0-059f-82aa-5b85-544813040778', '7950c5e4-4ed2-f50b-7ad7-84316e88befd', 'assistant', '[{"type":"step-start"},{"type":"tool-hang","toolCallId":"c3","state":"input-available","input":{"city":"Bern"}}]', '[]', '2026-11-30 22:21:06.916636');
INSERT INTO public."Message_v2" VALUES ('b662fbbb-acea-1930-8590-e05b9be9a4f0', '44c86b48-0ee9-4141-5632-e6b84f54a47e', 'user', '[{"type":"text","text":"Weather?"}]', '[]', '2026-11-30 22:21:06.929164');
INSERT INTO public."Message_v2" VALUES ('6331feff-9516-5c5e-90e5-4d71c68d69bb', '44c86b48-0ee9-4141-5632-e6b84f54a47e', 'assistant', '[{"type":"step-start"},{"type":"tool-weather","toolCallId":"c4","state":"output-available","input":{"city":"Bern"},"output":"21 degrees"},{"type":"step-start"},{"type":"text","text":"Sunny.","state":"done"}]', '[]', '2026-11-30 22:21:06.966712');
INSERT INTO public."Message_v2" VALUES ('227a3c5d-01d0-f402-37ef-7805e3e1de36', '8b2a1865-a1b4-173b-d3e7-7f6b24757d96', 'user', '[{"type":"text","text":"Weather?"}]', '[]', '2026-11-30 22:21:06.977201');
INSERT INTO public."Message_v2" VALUES ('460f1c44-dfed-5416-49d5-1c9e108321af', '8b2a1865-a1b4-173b-d3e7-7f6b24757d96', 'assistant', '[{"type":"step-start"},{"type":"tool-weather","toolCallId":"c1","state":"output-available","input":{"city":"Bern"},"output":"21 degrees"},{"type":"tool-hang","toolCallId":"c2","state":"input-available","input":{"city":"Bern"}}]', '[]', '2026-11-30 22:21:07.195444');
INSERT INTO public."Message_v2" VALUES ('8fa9077b-07ba-eaca-fa29-d2d6ef70731a', '8b2a1865-a1b4-173b-d3e7-7f6b24757d96', 'user', '[{"type":"text","text":"Hello?"}]', '[]', '2026-11-30 22:21:07.198008');
INSERT INTO public."Message_v2" VALUES ('d8982a2a-d39f-bd5b-d3aa-fed8829c40b0', 'dfc44ed2-c51d-5318-471d-08b5c826a0ea', 'user', '[{"type":"text","text":"Weather?"}]', '[]', '2026-11-30 22:21:07.199001');
INSERT INTO public."Message_v2" VALUES ('50f63c50-a8b2-b676-23ac-a21099d79ae6', 'dfc44ed2-c51d-5318-471d-08b5c826a0ea', 'assistant', '[{"type":"step-start"},{"type":"tool-hang","toolCallId":"c3","state":"input-available","input":{"city":"Bern"}}]', '[]', '2026-11-30 22:21:07.267459');
INSERT INTO public."Message_v2" VALUES ('d4cc7c6a-a684-c4ff-3618-fdab3bb7f7d1', 'd26db58b-420f-3a2e-4922-96e46dd3590b', 'user', '[{"type":"text","text":"Weather?"}]', '[]', '2026-11-30 22:21:07.272096');
INSERT INTO public."Message_v2" VALUES ('6260278d-3205-7477-611c-05edb41a4d05', 'd26db58b-420f-3a2e-4922-96e46dd3590b', 'assistant', '[{"type":"step-start"},{"type":"tool-weather","toolCallId":"c4","state":"output-available","input":{"city":"Bern"},"output":"21 degrees"},{"type":"step-start"},{"type":"text","text":"Sunny.","state":"done"}]', '[]', '2026-11-30 22:21:07.325241');
ALTER TABLE ONLY public."Chat"
    ADD CONSTRAINT "Chat_pkey" PRIMARY KEY (id);
ALTER TABLE ONLY public."Message_v2"
    ADD CONSTRAINT "Message_v2_pkey" PRIMARY KEY (id);
ALTER TABLE ONLY public."Message_v2"
    ADD CONSTRAINT "Message_v2_chatId_fkey" FOREIGN KEY ("chatId") REFERENCES public."Chat"(id);
