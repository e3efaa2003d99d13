DELETE FROM sluice.schema;

DELETE FROM sluice.number;

DELETE FROM sluice.tally;

INSERT INTO sluice."group" VALUES (2, 'g', 1, 1, 0);

INSERT INTO sluice.attempt VALUES(1, 1, 'mail', 'send', 1, 1795640391045, 1795640391073, 'success', 1, NULL, 1, NULL, NULL, NULL, NULL, 19, NULL);

INSERT INTO sluice.attempt VALUES(2, 1, 'mail', 'render', 1, 1795640391045, 1795640391073, 'retry', 1, 'boom', 1, NULL, NULL, NULL, NULL, 20, 'retry in 10h');

INSERT INTO sluice.attempt VALUES(3, 1, 'mail', 'lost', 1, 1795640391073, 1795640391102, 'retry', 1, 'boom 7', 1, NULL, NULL, NULL, NULL, 21, 'given up');

INSERT INTO sluice.ended VALUES (1, 20, 43, 29927339, 0, 0, 0, 0, 0, 1);

INSERT INTO sluice.ended VALUES (0, 20, 43, 29927339, 0, 0, 0, 0, 0, 1);

INSERT INTO sluice.ended VALUES (1, 276, 43, 29927339, 0, 0, 0, 0, 0, 2);

INSERT INTO sluice.ended VALUES (1, -1398679259586847002, 43, 29927339, 0, 0, 0, 0, 0, 1);

INSERT INTO sluice.ended VALUES (0, 276, 43, 29927339, 0, 0, 0, 0, 0, 2);

INSERT INTO sluice.ended VALUES (0, -1398679259586847002, 43, 29927339, 0, 0, 0, 0, 0, 1);

INSERT INTO sluice.event VALUES(1, 1795640388069, 'queueSet', 'mail', NULL, 'ann', 'mail made by ann', NULL, NULL, NULL);

INSERT INTO sluice.event VALUES(2, 1795640388251, 'queueSet', 'night', NULL, 'ann', 'night made by ann', NULL, NULL, NULL);

INSERT INTO sluice.event VALUES(3, 1795640388457, 'queueSet', 'held', NULL, 'ann', 'held made by ann', NULL, NULL, NULL);

INSERT INTO sluice.event VALUES(4, 1795640388669, 'pause', 'held', NULL, 'ann', 'held paused by ann: looking', '{"queue":{"name":"held","settings":{"order":"fifo","concurrency":1,"afterFailure":"advance","start":{"mode":"continuous"},"priority":0,"attemptLimit":10,"retry":{"rule":"exponential","base":1000,"factor":2.0,"cap":3600000,"jitter":0.1},"stuckAfter":300000,"startsExpire":true,"keepFinished":{"last":100},"whenStartFails":"hold","maximumDepth":100,"maximumPayloadBytes":1048576},"pauses":[],"barrenRuns":0,"createdAt":1795640388457,"version":1},"queueVersionAfter":2}', NULL, NULL);

INSERT INTO sluice.event VALUES(5, 1795640388859, 'enqueue', 'mail', 1, 'ann', '#1 send enqueued by ann', '{"tasks":[{"made":1,"count":1}]}', NULL, NULL);

INSERT INTO sluice.event VALUES(6, 1795640389038, 'enqueue', 'mail', 2, 'ann', '#2 render enqueued by ann', '{"tasks":[{"made":2,"count":1}]}', NULL, NULL);

INSERT INTO sluice.event VALUES(7, 1795640389167, 'enqueue', 'mail', 3, 'ann', '#3 lost enqueued by ann', '{"tasks":[{"made":3,"count":1}]}', NULL, NULL);

INSERT INTO sluice.event VALUES(8, 1795640389313, 'enqueue', 'mail', 4, 'ann', '#4 later enqueued by ann', '{"tasks":[{"made":4,"count":1}]}', NULL, NULL);

INSERT INTO sluice.event VALUES(9, 1795640389418, 'enqueue', 'mail', 5, 'ann', '#5 later enqueued by ann', '{"tasks":[{"made":5,"count":1}]}', NULL, NULL);

INSERT INTO sluice.event VALUES(10, 1795640389527, 'enqueue', 'mail', 6, 'ann', '#6 later enqueued by ann', '{"tasks":[{"made":6,"count":1}]}', NULL, NULL);

INSERT INTO sluice.event VALUES(11, 1795640389669, 'enqueue', 'held', 7, 'ann', '#7 send enqueued by ann', '{"tasks":[{"made":7,"count":1}]}', NULL, NULL);

INSERT INTO sluice.event VALUES(12, 1795640389854, 'enqueue', 'held', 8, 'ann', '#8 send enqueued by ann', '{"tasks":[{"made":8,"count":1}]}', NULL, NULL);

INSERT INTO sluice.event VALUES(13, 1795640390016, 'enqueue', 'night', 9, 'ann', '#9 send enqueued by ann', '{"tasks":[{"made":9,"count":1}]}', NULL, NULL);

INSERT INTO sluice.event VALUES(14, 1795640390016, 'runTimer', 'night', NULL, 'sluice', 'the next run is due in 30s', NULL, NULL, NULL);

INSERT INTO sluice.event VALUES(15, 1795640390177, 'enqueue', 'night', 10, 'ann', '#10 send enqueued by ann', '{"tasks":[{"made":10,"count":1}]}', NULL, NULL);

INSERT INTO sluice.event VALUES(16, 1795640390396, 'pause', 'night', NULL, 'ann', 'night paused by ann: night', '{"queue":{"name":"night","settings":{"order":"fifo","concurrency":1,"afterFailure":"advance","start":{"mode":"batched","count":10,"delay":30000},"priority":0,"retry":{"rule":"fixed","base":0},"timeout":600000,"stuckAfter":300000,"expiresAfter":259200000,"keepFinished":{},"whenStartFails":"skipRun","maximumDepth":100,"maximumPayloadBytes":1048576,"preset":"customer-io"},"pauses":[],"barrenRuns":0,"createdAt":1795640388251,"version":2},"queueVersionAfter":3}', NULL, NULL);

INSERT INTO sluice.event VALUES(17, 1795640390611, 'skip', 'mail', 5, 'ann', '#5 skipped by ann', '{"tasks":[{"id":5,"before":{"id":5,"queue":"mail","type":"later","position":5242880,"priority":0,"needs":0,"attempts":0,"executions":0,"offlineInSuccession":0,"losses":0,"lossesInSuccession":0,"depth":0,"createdAt":1795640389418,"updatedAt":1795640389418,"version":1,"state":{"state":"waiting"},"freshAt":1795640389418},"versionAfter":2}]}', NULL, NULL);

INSERT INTO sluice.event VALUES(18, 1795640390781, 'delete', 'mail', 6, 'ann', '#6 deleted by ann', '{"tasks":[{"id":6,"before":{"id":6,"queue":"mail","type":"later","position":6291456,"priority":0,"needs":0,"attempts":0,"executions":0,"offlineInSuccession":0,"losses":0,"lossesInSuccession":0,"depth":0,"createdAt":1795640389527,"updatedAt":1795640389527,"version":1,"state":{"state":"waiting"},"freshAt":1795640389527},"versionAfter":2}]}', NULL, NULL);

INSERT INTO sluice.event VALUES(22, 1795640395027, 'postpone', 'mail', 4, 'ann', '#4 postponed until 2096-10-02T07:06:40.000Z by ann', '{"tasks":[{"id":4,"before":{"id":4,"queue":"mail","type":"later","position":4194304,"priority":5,"needs":0,"attempts":0,"executions":0,"offlineInSuccession":0,"losses":0,"lossesInSuccession":0,"uniqueKey":"k","depth":0,"createdAt":1795640389313,"updatedAt":1795640389313,"version":1,"state":{"state":"waiting"},"freshAt":1795640389313},"versionAfter":2}]}', NULL, NULL);

INSERT INTO sluice.failure VALUES (1, 1398679259586847002, 'lost', 'boom #', 1, 1, 1795640391102, 1795640391102);

INSERT INTO sluice.number VALUES ('queue', 3);

INSERT INTO sluice.number VALUES ('task', 10);

INSERT INTO sluice.number VALUES ('number', 4);

INSERT INTO sluice.number VALUES ('noted', 12);

INSERT INTO sluice.number VALUES ('removed', 0);

INSERT INTO sluice.number VALUES ('scenery', 12);

INSERT INTO sluice.number VALUES ('journal', 22);

INSERT INTO sluice.queue VALUES (2, 'night', '{"order":"fifo","concurrency":1,"afterFailure":"advance","start":{"mode":"batched","count":10,"delay":30000},"priority":0,"retry":{"rule":"fixed","base":0},"timeout":600000,"stuckAfter":300000,"expiresAfter":259200000,"keepFinished":{},"whenStartFails":"skipRun","maximumDepth":100,"maximumPayloadBytes":1048576,"preset":"customer-io"}', '[{"cause":"person","by":"ann","reason":"night","since":1795640390396,"direction":"work"}]', NULL, NULL, 0, 1795640388251, 3, NULL, 'send', 0, 9);

INSERT INTO sluice.queue VALUES (1, 'mail', '{"order":"fifo","concurrency":2,"afterFailure":"advance","start":{"mode":"continuous"},"priority":0,"attemptLimit":10,"retry":{"rule":"fixed","base":36000000},"stuckAfter":300000,"startsExpire":true,"keepFinished":{"last":10},"whenStartFails":"hold","maximumDepth":100,"maximumPayloadBytes":1048576}', '[]', NULL, NULL, 0, 1795640388069, 2, NULL, 'send', 1, 6);

INSERT INTO sluice.queue VALUES (3, 'held', '{"order":"fifo","concurrency":1,"afterFailure":"advance","start":{"mode":"continuous"},"priority":0,"attemptLimit":10,"retry":{"rule":"exponential","base":1000,"factor":2.0,"cap":3600000,"jitter":0.1},"stuckAfter":300000,"startsExpire":true,"keepFinished":{"last":100},"whenStartFails":"hold","maximumDepth":100,"maximumPayloadBytes":1048576}', '[{"cause":"person","by":"ann","reason":"looking","since":1795640388669,"direction":"work"}]', NULL, NULL, 0, 1795640388457, 2, NULL, 'send', 0, 7);

INSERT INTO sluice.role VALUES (2, 'g', 9, 0, '\x8000000000100000', 1048576, 0, 1);

INSERT INTO sluice.role VALUES (2, 'g', 10, 0, '\x8000000000200000', 2097152, 1, 0);

INSERT INTO sluice.schema VALUES (11, 11);

INSERT INTO sluice.store VALUES('3tc4zzawkjwkm2tm90n0lqc7kk', 'full', '[]', NULL, 1);

INSERT INTO sluice.tally VALUES (0, 1, 1, 6291456, DEFAULT);

INSERT INTO sluice.tally VALUES (0, 1, 3, 2097152, DEFAULT);

INSERT INTO sluice.tally VALUES (3, 0, 0, 2, DEFAULT);

INSERT INTO sluice.tally VALUES (2, 0, 0, 1, DEFAULT);

INSERT INTO sluice.tally VALUES (0, 1, 2, 2097152, DEFAULT);

INSERT INTO sluice.tally VALUES (2, 0, 1, 1, DEFAULT);

INSERT INTO sluice.tally VALUES (1, 0, 2, 1, DEFAULT);

INSERT INTO sluice.tally VALUES (1, 4, 0, 1, DEFAULT);

INSERT INTO sluice.tally VALUES (1, 2, 0, 1, DEFAULT);

INSERT INTO sluice.tally VALUES (1, 0, 8, 1, DEFAULT);

INSERT INTO sluice.tally VALUES (1, 3, 0, 1, DEFAULT);

INSERT INTO sluice.tally VALUES (1, 1, 0, 0, DEFAULT);

INSERT INTO sluice.tally VALUES (1, 0, 0, 0, DEFAULT);

INSERT INTO sluice.tally VALUES (1, 0, 16, 1, DEFAULT);

INSERT INTO sluice.task VALUES (7, 3, 0, 0, '\x8000000000100000', 1048576, 1, 'send', 0, NULL, 0, 0, 0, 0, NULL, 1795640389669, 1795640389669, -1795640389669, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, 0, NULL, NULL, NULL, '\x7b22746f223a22706174227d');

INSERT INTO sluice.task VALUES (8, 3, 0, 0, '\x8000000000200000', 2097152, 1, 'send', 0, NULL, 0, 0, 0, 0, NULL, 1795640389854, 1795640389854, -1795640389854, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, 0, NULL, NULL, NULL, '\x7b22746f223a22756d61227d');

INSERT INTO sluice.task VALUES (9, 2, 0, 0, '\x8000000000100000', 1048576, 1, 'send', 0, NULL, 0, 0, 0, 0, NULL, 1795640390016, 1795640390016, 1795640390016, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, 'g', NULL, NULL, NULL, NULL, 0, NULL, NULL, NULL, '\x7b22746f223a2261227d');

INSERT INTO sluice.task VALUES (10, 2, 0, 1, '\x8000000000200000', 2097152, 1, 'send', 0, NULL, 0, 1, 0, 0, NULL, 1795640390177, 1795640390177, 1795640390177, NULL, 1795899590177, 1795899590177, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, 0, NULL, NULL, '{"members":["g"]}', '\x7b22746f223a2262227d');

INSERT INTO sluice.task VALUES (5, 1, 0, 130, '\x8000000000500000', 5242880, 2, 'later', 0, NULL, 0, 0, 0, 0, NULL, 1795640389418, 1795640390611, -1795640389418, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, 0, NULL, NULL, '{"skip":{"by":"ann","since":1795640390611}}', '\x7b22746f223a226a6f65227d');

INSERT INTO sluice.task VALUES (6, 1, 4, -4, '\x7ffffe5deb7e0b827ffffffffffffff9', 6291456, 2, 'later', 0, NULL, 0, 0, 0, 0, NULL, 1795640389527, 1795640390781, -1795640389527, NULL, NULL, NULL, NULL, NULL, 1795640390781, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, 0, NULL, NULL, '{"by":"ann","former":{"state":"waiting"}}', '\x7b22746f223a22737565227d');

INSERT INTO sluice.task VALUES (1, 1, 2, -2, '\x7ffffe5deb7e0a5e7ffffffffffffffe', 1048576, 3, 'send', 0, NULL, 0, 0, 1, 1, NULL, 1795640388859, 1795640391073, -1795640388859, NULL, NULL, NULL, NULL, NULL, 1795640391073, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, 0, 'first', NULL, NULL, '\x7b22746f223a226b696d227d');

INSERT INTO sluice.task VALUES (2, 1, 0, 136, '\x8000000000200000', 2097152, 3, 'render', 0, NULL, 0, 0, 1, 1, NULL, 1795640389038, 1795640391073, -1795676391073, 1795676391073, NULL, NULL, 1795676391073, 1795640391073, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, 0, NULL, 'boom', NULL, '\x7b22746f223a22616e6e227d');

INSERT INTO sluice.task VALUES (3, 1, 3, -3, '\x7ffffe5deb7e0a417ffffffffffffffc', 3145728, 3, 'lost', 0, NULL, 0, 0, 1, 1, 1, 1795640389167, 1795640391102, -1795640389167, NULL, NULL, NULL, NULL, NULL, 1795640391102, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, 0, NULL, 'boom 7', NULL, '\x7b22746f223a22626f62227d');

INSERT INTO sluice.task VALUES (4, 1, 0, 144, '\x8000000000400000', 4194304, 2, 'later', 5, NULL, 0, 0, 0, 0, NULL, 1795640389313, 1795640395027, -4000000000000, 4000000000000, NULL, NULL, 4000000000000, 1795640395027, NULL, NULL, NULL, NULL, NULL, 'k', NULL, NULL, NULL, 0, NULL, NULL, NULL, '\x7b22746f223a22657665227d');
