-- symfony 5.4.53, by make_rows.py
CREATE TABLE messenger_messages (
    id bigint NOT NULL,
    body text NOT NULL,
    headers text NOT NULL,
    queue_name character varying(190) NOT NULL,
    created_at timestamp(0) without time zone NOT NULL,
    available_at timestamp(0) without time zone NOT NULL,
    delivered_at timestamp(0) without time zone DEFAULT NULL::timestamp without time zone
);
CREATE SEQUENCE messenger_messages_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1;
ALTER SEQUENCE messenger_messages_id_seq OWNED BY messenger_messages.id;
ALTER TABLE ONLY messenger_messages ALTER COLUMN id SET DEFAULT nextval('messenger_messages_id_seq'::regclass);
INSERT INTO messenger_messages VALUES (2, 'O:36:\"Symfony\\Component\\Messenger\\Envelope\":2:{s:44:\"\0Symfony\\Component\\Messenger\\Envelope\0stamps\";a:2:{s:57:\"Symfony\\Component\\Messenger\\Stamp\\TransportMessageIdStamp\";a:1:{i:0;O:57:\"Symfony\\Component\\Messenger\\Stamp\\TransportMessageIdStamp\":1:{s:61:\"\0Symfony\\Component\\Messenger\\Stamp\\TransportMessageIdStamp\0id\";i:1;}}s:51:\"Symfony\\Component\\Messenger\\Stamp\\ErrorDetailsStamp\";a:1:{i:0;O:51:\"Symfony\\Component\\Messenger\\Stamp\\ErrorDetailsStamp\":4:{s:67:\"\0Symfony\\Component\\Messenger\\Stamp\\ErrorDetailsStamp\0exceptionClass\";s:16:\"RuntimeException\";s:66:\"\0Symfony\\Component\\Messenger\\Stamp\\ErrorDetailsStamp\0exceptionCode\";i:0;s:69:\"\0Symfony\\Component\\Messenger\\Stamp\\ErrorDetailsStamp\0exceptionMessage\";s:18:\"no such address: 3\";s:69:\"\0Symfony\\Component\\Messenger\\Stamp\\ErrorDetailsStamp\0flattenException\";N;}}}s:45:\"\0Symfony\\Component\\Messenger\\Envelope\0message\";O:3:\"Run\":2:{s:6:\"number\";i:3;s:5:\"fails\";b:1;}}', '[]', 'failed', '2026-11-28 07:32:15', '2026-11-28 07:32:15', NULL);
INSERT INTO messenger_messages VALUES (3, 'O:36:\"Symfony\\Component\\Messenger\\Envelope\":2:{s:44:\"\0Symfony\\Component\\Messenger\\Envelope\0stamps\";a:0:{}s:45:\"\0Symfony\\Component\\Messenger\\Envelope\0message\";O:3:\"Run\":2:{s:6:\"number\";i:1;s:5:\"fails\";b:0;}}', '[]', 'mail', '2026-11-28 07:32:21', '2026-11-28 07:32:21', NULL);
INSERT INTO messenger_messages VALUES (4, 'O:36:\"Symfony\\Component\\Messenger\\Envelope\":2:{s:44:\"\0Symfony\\Component\\Messenger\\Envelope\0stamps\";a:1:{s:44:\"Symfony\\Component\\Messenger\\Stamp\\DelayStamp\";a:1:{i:0;O:44:\"Symfony\\Component\\Messenger\\Stamp\\DelayStamp\":1:{s:51:\"\0Symfony\\Component\\Messenger\\Stamp\\DelayStamp\0delay\";i:318529659000;}}}s:45:\"\0Symfony\\Component\\Messenger\\Envelope\0message\";O:3:\"Run\":2:{s:6:\"number\";i:2;s:5:\"fails\";b:0;}}', '[]', 'mail', '2026-11-28 07:32:21', '2037-01-01 00:00:00', NULL);
SELECT pg_catalog.setval('messenger_messages_id_seq', 4, true);
ALTER TABLE ONLY messenger_messages
    ADD CONSTRAINT messenger_messages_pkey PRIMARY KEY (id);
CREATE INDEX idx_75ea56e016ba31db ON messenger_messages USING btree (delivered_at);
CREATE INDEX idx_75ea56e0e3bd61ce ON messenger_messages USING btree (available_at);
CREATE INDEX idx_75ea56e0fb7336f0 ON messenger_messages USING btree (queue_name);
