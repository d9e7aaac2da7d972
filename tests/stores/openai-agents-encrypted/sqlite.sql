BEGIN TRANSACTION;
CREATE TABLE agent_messages (
                id INTEGER PRIMARY KEY AUTOINCREMENT,
                session_id TEXT NOT NULL,
                message_data TEXT NOT NULL,
                created_at TIMESTAMP DEFAULT CURRENT_TIMESTAMP,
                FOREIGN KEY (session_id) REFERENCES agent_sessions (session_id)
                    ON DELETE CASCADE
            );
INSERT INTO "agent_messages" VALUES(1,'middle','{"__enc__": 1, "v": 1, "kid": "hkdf-v1", "payload": "gAAAAABrDWd0HCqUROnG3H9_NNDOLVqELlmQRpWYgBP_kn8I0kVGaRVs0gYyrmizLfvY0aN5XlEylQD5t2AQcOuIxc3aoQ16hrYx9kSIrMH-9OM2derw7xMcmUPdMQnT7e5TvkOYfylQ"}','2026-11-30 12:09:24');
INSERT INTO "agent_messages" VALUES(2,'late','{"__enc__": 1, "v": 1, "kid": "hkdf-v1", "payload": "gAAAAABrDWd0V01Bn2JcMphYk5Fc9gPoI0KdtBDmovXkYuisVGUi9pY46HIUxAC8QRG2Cq32LAMVa2Q2LPda7Vr72DaD6O4ZsBiK-ID3ZDURcSlRS5-MkRX5n_Mwwzh44ytWDfE4zlbC"}','2026-11-30 12:09:24');
INSERT INTO "agent_messages" VALUES(3,'end','{"__enc__": 1, "v": 1, "kid": "hkdf-v1", "payload": "gAAAAABrDWd0F7PLi-4LfFA_qoXMpIxNMKdqWQBAwqWuvlDkOwQHCTJQLaa1FsKRt2YIOi3b0GRzcq49aEo_23WjUBVS-Dry1SsjqSos6ZgePxNxRyJ6oZTtYeHeNtBdSWtqqzI13HI5"}','2026-11-30 12:09:24');
INSERT INTO "agent_messages" VALUES(4,'sound','{"__enc__": 1, "v": 1, "kid": "hkdf-v1", "payload": "gAAAAABrDWd0HS4lSkfWLKfkIv3xUgPvTkw_H40uI0bS9BjosTdUll36HA0i0jGf9IwuORaY2ouOVGkVCcmF8BL1cwv7xH-jatH04CHD5pEwDdey9bvemzRTVsBfdiQun4VWTPw3Ktcx"}','2026-11-30 12:09:24');
INSERT INTO "agent_messages" VALUES(5,'middle','{"__enc__": 1, "v": 1, "kid": "hkdf-v1", "payload": "gAAAAABrDWd0DNDNbNcnWcZ4HJjtOSZYJPbbvab48B-JgIcAzBQrEX_erHB1AV8ia3zGJFDaw2NblZOFJe4W_FLJ95xXZdbyoYxxsHal0eQtLZCa1fd-5OlrvsmlN02uG1gIdwDWdmG8XoE97Qekqoco2tNGs1H-Qt1Wx5haMA3ETrbKrXD5bBfkctRCGbRTu5EX3mcpRK6cDIWNlhFO9xOcW6hSkVQctzaOV1nrYQ1T5xmYkMIXX6M="}','2026-11-30 12:09:24');
INSERT INTO "agent_messages" VALUES(6,'middle','{"__enc__": 1, "v": 1, "kid": "hkdf-v1", "payload": "gAAAAABrDWd0Cxk4HR4QJjgeQvJ08bIQzf8vCr59cSzKgBqCu-clqZfGiuHs3FQZLnpJW1IXP_Wq1PR-ZTuu0uVTBQNgLrYHBiOs0JWuD_YoegF19SaNBMCR7zMFs8rnHitLvZR64QvTjnsN2GDOE5jex8zDQNbVx_lXvNFXxiaDFEjzcZwWQ68xO48sFD3WX8xd0neeyolFI0JDN2GdWcFdKbZWkKAa6jPTqtwfoYuaqJRVRtfx1QY="}','2026-11-30 12:09:24');
INSERT INTO "agent_messages" VALUES(7,'late','{"__enc__": 1, "v": 1, "kid": "hkdf-v1", "payload": "gAAAAABrDWd0rx-_a2EUlNS6LY6lCniWpXLYfOHyu-ClwcdQn8KkUXxu6b0b2r7MAhbyHFOLV4Zf6eXs7SJ2SvvNm34KQLDtPeew9CxY7wleFcqo26G_eZtUU403Zs79hHb1oVy4--QgMhLF0ezIT3ctwqZf36hT_R6sv1p5--JVhZWjjz_idS2qGNda6u3Pv5HZaBvaIxuU19PKGIrFJl7nH4wjzOBP2kHxoNMV0OGHVs6vjogB294="}','2026-11-30 12:09:24');
INSERT INTO "agent_messages" VALUES(8,'end','{"__enc__": 1, "v": 1, "kid": "hkdf-v1", "payload": "gAAAAABrDWd028fYx32PDNUy1_h6BF97FVZqLZ8CZOEE6HuyzLwFFRw6wsBvW0Fzhh7vKGk97bvpQBWtz2WBXjBhE7N15xRlZ_rk2q3VM3k8GGv2tQeKbHbqI9ftOnZg3QnoHzPfVPU2fJWni4EtNkFbGlHPPJCYT4MwHbHeKodO4oix0S3F4Nyq3NFVT7P2LevSHSbUgUf1R5F_AeEqZ26piUpgdg_P_UiXRqyu9dyxUcSe9t_dsyw="}','2026-11-30 12:09:24');
INSERT INTO "agent_messages" VALUES(9,'sound','{"__enc__": 1, "v": 1, "kid": "hkdf-v1", "payload": "gAAAAABrDWd0_Xx2h9VxJhAG-o2R5qgIaJVlp-0YXpCpGm-l29AVXu62vePwE80M5cg8wfRU3kSl7qvb_YEPqXvqZcv2MnqmtMASNGK9O-QeJ4K4L1cV5-ZKNbx0PqyltnlzofjqMzSk294ya4UtXXzPqGDiXaYuEp9iB2fjPTC5SYhn9Q-6ExlSmcJZtPOy2zf9FZZNCGx5CWoj0yfEvKDJS6dtpf6agbV1Z9YUkSNzXw8S6u86e7w="}','2026-11-30 12:09:24');
INSERT INTO "agent_messages" VALUES(10,'middle','{"__enc__": 1, "v": 1, "kid": "hkdf-v1", "payload": "gAAAAABrDWd0wXjXEDH0EFdh-Eq8BOaTT-YXGUD-nxFkStLKlIluoteogQnIgUC4ExHW9lWCrXZEFJqIpeLnzJCrpEWBdClgBr2N-FDkRJOgohvHZIhzqXhlm-zI7zJn9XJNDaMy7TjAqRc9tsjlfUTTQlrAmorwmHIaeUSGuq9JGA5Nf9MZ5BU="}','2026-11-30 12:09:24');
INSERT INTO "agent_messages" VALUES(11,'late','{"__enc__": 1, "v": 1, "kid": "hkdf-v1", "payload": "gAAAAABrDWd0lq4C4jVxh0OhyzCkQOyywjZNisFqjf2-EWhQaAsrl7oZsVRZudkM_JwTdzEWLXe2_FIgeS8ixbQji_JbYpxjusWiJ0sdsapgkGHuI4JbDHBU00u6MJuY_7OromNV7e0x"}','2026-11-30 12:09:24');
INSERT INTO "agent_messages" VALUES(12,'sound','{"__enc__": 1, "v": 1, "kid": "hkdf-v1", "payload": "gAAAAABrDWd0RiHmE1-XP5yUe0meTyMo_97XipP6WcN2MOM8HUmKF0AvPEFU30h1HLFC0b90YVrKfKDd3oGhKsXC4FpKmjUTmmEhg0vWcL6crHEhF3upYnUxiyDpn8pjHbh8ghuHdNqMKEHPCKu1dSIjBqOawJvPe2LQ6axxX8elJM7_boDdu5A="}','2026-11-30 12:09:24');
INSERT INTO "agent_messages" VALUES(13,'middle','{"__enc__": 1, "v": 1, "kid": "hkdf-v1", "payload": "gAAAAABrDWd0zEeCMvJ99gPsgKA2e4V6YIuAoAytDzpWW5kxLFNIc3baDuf73n3ydKhTfn44kX06Sd02nDG9tHuhQkUNljStQpghKOAnS4xKUg1QINbWFBBvdeSSYb1g2qyF1gJbhz6N"}','2026-11-30 12:09:24');
INSERT INTO "agent_messages" VALUES(14,'late','{"__enc__": 1, "v": 1, "kid": "hkdf-v1", "payload": "gAAAAABrDWd002jUxrxl5cPyzfmSywoecJ9JsAyXunDYZTC4l9mmhj6jCyFWFG6i8kZOQoXQ02zT6YVn7sayzbJjYVo5XakBGasVwTHYpHVJaHdgBEcSaCSotrtXtGlhZsOtrcMkRFMVPOdpH1FLuaXeZOqzlq9XpE-OYzAXvkxm2J3hDLk0QIo="}','2026-11-30 12:09:24');
INSERT INTO "agent_messages" VALUES(15,'sound','{"__enc__": 1, "v": 1, "kid": "hkdf-v1", "payload": "gAAAAABrDWd0EuYLbGh907WDlTUoZOoPr8LnRdjtyDmT7KY-0wtudAYxi7lKvY3m0WbG99mgb_3u8LDjIxcBEhWUQWq1UeXR2kcVBz2AURg4V9jKRu6bu_3udOIliW0T6_o975_rNyUm"}','2026-11-30 12:09:24');
INSERT INTO "agent_messages" VALUES(16,'sound','{"__enc__": 1, "v": 1, "kid": "hkdf-v1", "payload": "gAAAAABrDWd06w5ch2NklxOxjYwt-QE8x_3pDMEza5jBa-pKnMUhukCcD2zNC9lRD68KxuT3FNodm4xdoOQhCRUt7iOFxsjdxPwByz1NDv1rvg6rqfB3Z0yyF3ZuUHmeX0WOOyoBCPP4"}','2026-11-30 12:09:24');
CREATE TABLE agent_sessions (
                session_id TEXT PRIMARY KEY,
                created_at TIMESTAMP DEFAULT CURRENT_TIMESTAMP,
                updated_at TIMESTAMP DEFAULT CURRENT_TIMESTAMP
            );
INSERT INTO "agent_sessions" VALUES('middle','2026-11-30 12:09:24','2026-11-30 12:09:24');
INSERT INTO "agent_sessions" VALUES('late','2026-11-30 12:09:24','2026-11-30 12:09:24');
INSERT INTO "agent_sessions" VALUES('end','2026-11-30 12:09:24','2026-11-30 12:09:24');
INSERT INTO "agent_sessions" VALUES('sound','2026-11-30 12:09:24','2026-11-30 12:09:24');
CREATE INDEX idx_agent_messages_session_id
            ON agent_messages (session_id, id)
        ;
DELETE FROM "sqlite_sequence";
INSERT INTO "sqlite_sequence" VALUES('agent_messages',16);
COMMIT;
