-- djangoq 1.11.1, by make_rows.py
CREATE TABLE `django_q_ormq` (
  `id` int(11) NOT NULL AUTO_INCREMENT,
  `key` varchar(100) NOT NULL,
  `payload` longtext NOT NULL,
  `lock` datetime(6) DEFAULT NULL,
  PRIMARY KEY (`id`)
) ENGINE=InnoDB AUTO_INCREMENT=3 DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_general_ci;
INSERT INTO `django_q_ormq` VALUES (2,'mail','gAWV8gAAAAAAAAB9lCiMAmlklIwgMzE1NmIwMTY3NTliNGIzMzk1NGE2NDY4MWI4MDdmYTSUjARuYW1llIwec2VwdGVtYmVyLW11c2ljLXN0YWlyd2F5LWVxdWFslIwEZnVuY5SMDmRqYW5nb19hcHAucnVulIwEYXJnc5RLAYWUjAthY2tfZmFpbHVyZZSIjAZrd2FyZ3OUfZSMB3N0YXJ0ZWSUjAhkYXRldGltZZSMCGRhdGV0aW1llJOUQwoH6gscCiUjDGxzlGgNjAh0aW1lem9uZZSTlGgNjAl0aW1lZGVsdGGUk5RLAEsASwCHlFKUhZRSlIaUUpR1Lg:1xXFoF:eKysLXVExfdvWtZyggVhLTpuOdrDK6H0y9YDblQCY98','2026-11-28 10:37:36.105524');
CREATE TABLE `django_q_task` (
  `name` varchar(100) NOT NULL,
  `func` varchar(256) NOT NULL,
  `hook` varchar(256) DEFAULT NULL,
  `args` longtext DEFAULT NULL,
  `kwargs` longtext DEFAULT NULL,
  `result` longtext DEFAULT NULL,
  `started` datetime(6) NOT NULL,
  `stopped` datetime(6) NOT NULL,
  `success` tinyint(1) NOT NULL,
  `id` varchar(32) NOT NULL,
  `group` varchar(100) DEFAULT NULL,
  `attempt_count` int(11) NOT NULL,
  `cluster` varchar(100) DEFAULT NULL,
  PRIMARY KEY (`id`),
  KEY `success_index` (`group`,`name`,`func`)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_general_ci;
INSERT INTO `django_q_task` VALUES ('jig-bluebird-magazine-romeo','django_app.run',NULL,'gAWVBQAAAAAAAABLA4WULg==','gAWVDQAAAAAAAAB9lIwFZmFpbHOUiHMu','gAWVnwEAAAAAAABYmAEAAG5vIHN1Y2ggYWRkcmVzczogMyA6IFRyYWNlYmFjayAobW9zdCByZWNlbnQgY2FsbCBsYXN0KToKICBGaWxlICIvd29yay90ZWFtL2g0Ly5idWlsZC9maXh0dXJlcy1kamFuZ28vbGliL3B5dGhvbjMuMTEvc2l0ZS1wYWNrYWdlcy9kamFuZ29fcS93b3JrZXIucHkiLCBsaW5lIDEwNCwgaW4gd29ya2VyCiAgICByZXMgPSBmKCp0YXNrWyJhcmdzIl0sICoqdGFza1sia3dhcmdzIl0pCiAgICAgICAgICBeXl5eXl5eXl5eXl5eXl5eXl5eXl5eXl5eXl5eXl5eXl5eCiAgRmlsZSAiL3RtcC9zbHVpY2UtZml4dHVyZXMvZGphbmdvX2FwcC5weSIsIGxpbmUgNTEsIGluIHJ1bgogICAgcmFpc2UgUnVudGltZUVycm9yKGYibm8gc3VjaCBhZGRyZXNzOiB7bnVtYmVyfSIpClJ1bnRpbWVFcnJvcjogbm8gc3VjaCBhZGRyZXNzOiAzCpQu','2026-11-28 10:37:22.940292','2026-11-28 10:37:28.115159',0,'16a63be198874f49a05ce86ba3f07b94',NULL,1,'mail');
