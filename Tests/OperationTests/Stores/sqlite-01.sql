DELETE FROM sluice_schema;

DELETE FROM sluice_tally;

INSERT INTO sluice_schema VALUES(1);

INSERT INTO sluice_store VALUES('73p202t19n56gpzb196ejdw6','full','[]',NULL,1);

INSERT INTO sluice_queue VALUES(1,'mail','{"order":"fifo","concurrency":2,"afterFailure":"advance","start":{"mode":"continuous"},"priority":0,"attemptLimit":10,"retry":{"rule":"fixed","base":3600000},"stuckAfter":300000,"startsExpire":true,"keepFinished":{"last":10},"whenStartFails":"hold","maximumDepth":100,"maximumPayloadBytes":1048576}','[]',NULL,NULL,0,1795640330948,2);

INSERT INTO sluice_queue VALUES(2,'night','{"order":"fifo","concurrency":1,"afterFailure":"advance","start":{"mode":"batched","count":10,"delay":30000},"priority":0,"retry":{"rule":"fixed","base":0},"timeout":600000,"stuckAfter":300000,"expiresAfter":259200000,"keepFinished":{},"whenStartFails":"release","maximumDepth":100,"maximumPayloadBytes":1048576,"preset":"customer-io"}','[{"cause":"person","by":"ann","reason":"night","since":1795640331139,"direction":"work"}]',NULL,NULL,0,1795640330967,3);

INSERT INTO sluice_queue VALUES(3,'held','{"order":"fifo","concurrency":1,"afterFailure":"advance","start":{"mode":"continuous"},"priority":0,"attemptLimit":10,"retry":{"rule":"exponential","base":1000,"factor":2.0,"cap":3600000,"jitter":0.1},"stuckAfter":300000,"startsExpire":true,"keepFinished":{},"whenStartFails":"hold","maximumDepth":100,"maximumPayloadBytes":1048576}','[{"cause":"person","by":"ann","reason":"looking","since":1795640331055,"direction":"work"}]',NULL,NULL,0,1795640331047,2);

INSERT INTO sluice_tally VALUES(1,0,0,0);

INSERT INTO sluice_tally VALUES(1,0,2,1);

INSERT INTO sluice_tally VALUES(1,0,8,1);

INSERT INTO sluice_tally VALUES(1,0,16,1);

INSERT INTO sluice_tally VALUES(1,1,0,0);

INSERT INTO sluice_tally VALUES(1,2,0,1);

INSERT INTO sluice_tally VALUES(1,3,0,1);

INSERT INTO sluice_tally VALUES(1,4,0,1);

INSERT INTO sluice_tally VALUES(2,0,0,1);

INSERT INTO sluice_tally VALUES(2,0,1,1);

INSERT INTO sluice_tally VALUES(3,0,0,2);

INSERT INTO sluice_task VALUES(1,1,2,0,X'7ffffe5deb7ef4467ffffffffffffffe',1048576,3,'send',0,NULL,0,0,1,1,NULL,1795640331065,1795640331193,1795640331065,NULL,NULL,NULL,NULL,NULL,1795640331193,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,0,'first',NULL,NULL,X'7b22746f223a226b696d227d');

INSERT INTO sluice_task VALUES(2,1,0,8,X'8000000000200000',2097152,3,'render',0,NULL,0,0,1,1,NULL,1795640331073,1795640331193,1795643931193,1795643931193,NULL,NULL,1795643931193,1795640331193,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,0,NULL,'boom',NULL,X'7b22746f223a22616e6e227d');

INSERT INTO sluice_task VALUES(3,1,3,0,X'7ffffe5deb7ef4407ffffffffffffffc',3145728,3,'lost',0,NULL,0,0,1,1,1,1795640331079,1795640331199,1795640331079,NULL,NULL,NULL,NULL,NULL,1795640331199,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,0,NULL,'boom',NULL,X'7b22746f223a22626f62227d');

INSERT INTO sluice_task VALUES(4,1,0,16,X'8000000000400000',4194304,2,'later',5,NULL,0,0,0,0,NULL,1795640331083,1795640334198,4000000000000,4000000000000,NULL,NULL,4000000000000,1795640334198,NULL,NULL,NULL,NULL,NULL,'k',NULL,NULL,NULL,0,NULL,NULL,NULL,X'7b22746f223a22657665227d');

INSERT INTO sluice_task VALUES(5,1,0,2,X'8000000000500000',5242880,2,'later',0,NULL,0,0,0,0,NULL,1795640331095,1795640331147,1795640331095,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,0,NULL,NULL,'{"skip":{"by":"ann","since":1795640331147}}',X'7b22746f223a226a6f65227d');

INSERT INTO sluice_task VALUES(6,1,4,0,X'7ffffe5deb7ef46c7ffffffffffffff9',6291456,2,'later',0,NULL,0,0,0,0,NULL,1795640331101,1795640331155,1795640331101,NULL,NULL,NULL,NULL,NULL,1795640331155,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,0,NULL,NULL,'{"by":"ann","former":{"state":"waiting"}}',X'7b22746f223a22737565227d');

INSERT INTO sluice_task VALUES(7,3,0,0,X'8000000000100000',1048576,1,'send',0,NULL,0,0,0,0,NULL,1795640331111,1795640331111,1795640331111,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,0,NULL,NULL,NULL,X'7b22746f223a22706174227d');

INSERT INTO sluice_task VALUES(8,3,0,0,X'8000000000200000',2097152,1,'send',0,NULL,0,0,0,0,NULL,1795640331115,1795640331115,1795640331115,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,0,NULL,NULL,NULL,X'7b22746f223a22756d61227d');

INSERT INTO sluice_task VALUES(9,2,0,0,X'8000000000100000',1048576,1,'send',0,NULL,0,0,0,0,NULL,1795640331125,1795640331125,1795640331125,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,'g',NULL,NULL,NULL,NULL,0,NULL,NULL,NULL,X'7b22746f223a2261227d');

INSERT INTO sluice_task VALUES(10,2,0,1,X'8000000000200000',2097152,1,'send',0,NULL,0,1,0,0,NULL,1795640331134,1795640331134,1795640331134,NULL,1795899531134,1795899531134,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,0,NULL,NULL,'{"members":["g"]}',X'7b22746f223a2262227d');

INSERT INTO sluice_role VALUES(2,'g',9,0,X'8000000000100000',1048576,0,1);

INSERT INTO sluice_role VALUES(2,'g',10,0,X'8000000000200000',2097152,1,0);

INSERT INTO sluice_group VALUES(2,'g',1,1,0);

INSERT INTO sluice_attempt VALUES(1,1,'mail','send',1,1795640331177,1795640331193,'success',1,NULL,NULL,NULL,'["sent"]',NULL,NULL,18,NULL);

INSERT INTO sluice_attempt VALUES(2,1,'mail','render',1,1795640331177,1795640331193,'retry',1,'boom',NULL,NULL,NULL,NULL,NULL,19,'retry in 1h');

INSERT INTO sluice_attempt VALUES(3,1,'mail','lost',1,1795640331193,1795640331199,'retry',1,'boom',NULL,NULL,NULL,NULL,NULL,20,'given up');

INSERT INTO sluice_event VALUES(1,1795640330948,'queueSet','mail',NULL,'ann','mail made by ann',NULL,NULL);

INSERT INTO sluice_event VALUES(2,1795640330967,'queueSet','night',NULL,'ann','night made by ann',NULL,NULL);

INSERT INTO sluice_event VALUES(3,1795640331047,'queueSet','held',NULL,'ann','held made by ann',NULL,NULL);

INSERT INTO sluice_event VALUES(4,1795640331055,'pause','held',NULL,'ann','held paused by ann: looking','{"queue":{"name":"held","settings":{"order":"fifo","concurrency":1,"afterFailure":"advance","start":{"mode":"continuous"},"priority":0,"attemptLimit":10,"retry":{"rule":"exponential","base":1000,"factor":2.0,"cap":3600000,"jitter":0.1},"stuckAfter":300000,"startsExpire":true,"keepFinished":{},"whenStartFails":"hold","maximumDepth":100,"maximumPayloadBytes":1048576},"pauses":[],"barrenRuns":0,"createdAt":1795640331047,"version":1},"queueVersionAfter":2}',NULL);

INSERT INTO sluice_event VALUES(5,1795640331065,'enqueue','mail',1,'ann','send enqueued by ann','{"tasks":[{"id":1,"versionAfter":1}]}',NULL);

INSERT INTO sluice_event VALUES(6,1795640331073,'enqueue','mail',2,'ann','render enqueued by ann','{"tasks":[{"id":2,"versionAfter":1}]}',NULL);

INSERT INTO sluice_event VALUES(7,1795640331079,'enqueue','mail',3,'ann','lost enqueued by ann','{"tasks":[{"id":3,"versionAfter":1}]}',NULL);

INSERT INTO sluice_event VALUES(8,1795640331083,'enqueue','mail',4,'ann','later enqueued by ann','{"tasks":[{"id":4,"versionAfter":1}]}',NULL);

INSERT INTO sluice_event VALUES(9,1795640331095,'enqueue','mail',5,'ann','later enqueued by ann','{"tasks":[{"id":5,"versionAfter":1}]}',NULL);

INSERT INTO sluice_event VALUES(10,1795640331101,'enqueue','mail',6,'ann','later enqueued by ann','{"tasks":[{"id":6,"versionAfter":1}]}',NULL);

INSERT INTO sluice_event VALUES(11,1795640331111,'enqueue','held',7,'ann','send enqueued by ann','{"tasks":[{"id":7,"versionAfter":1}]}',NULL);

INSERT INTO sluice_event VALUES(12,1795640331115,'enqueue','held',8,'ann','send enqueued by ann','{"tasks":[{"id":8,"versionAfter":1}]}',NULL);

INSERT INTO sluice_event VALUES(13,1795640331125,'enqueue','night',9,'ann','send enqueued by ann','{"tasks":[{"id":9,"versionAfter":1}]}',NULL);

INSERT INTO sluice_event VALUES(14,1795640331134,'enqueue','night',10,'ann','send enqueued by ann','{"tasks":[{"id":10,"versionAfter":1}]}',NULL);

INSERT INTO sluice_event VALUES(15,1795640331139,'pause','night',NULL,'ann','night paused by ann: night','{"queue":{"name":"night","settings":{"order":"fifo","concurrency":1,"afterFailure":"advance","start":{"mode":"batched","count":10,"delay":30000},"priority":0,"retry":{"rule":"fixed","base":0},"timeout":600000,"stuckAfter":300000,"expiresAfter":259200000,"keepFinished":{},"whenStartFails":"release","maximumDepth":100,"maximumPayloadBytes":1048576,"preset":"customer-io"},"pauses":[],"barrenRuns":0,"createdAt":1795640330967,"version":2},"queueVersionAfter":3}',NULL);

INSERT INTO sluice_event VALUES(16,1795640331147,'skip','mail',5,'ann','#5 skipped by ann','{"tasks":[{"id":5,"before":{"id":5,"queue":"mail","type":"later","position":5242880,"priority":0,"needs":0,"attempts":0,"executions":0,"offlineInSuccession":0,"losses":0,"lossesInSuccession":0,"depth":0,"createdAt":1795640331095,"updatedAt":1795640331095,"version":1,"state":{"state":"waiting"},"freshAt":1795640331095},"versionAfter":2}]}',NULL);

INSERT INTO sluice_event VALUES(17,1795640331155,'delete','mail',6,'ann','#6 deleted by ann','{"tasks":[{"id":6,"before":{"id":6,"queue":"mail","type":"later","position":6291456,"priority":0,"needs":0,"attempts":0,"executions":0,"offlineInSuccession":0,"losses":0,"lossesInSuccession":0,"depth":0,"createdAt":1795640331101,"updatedAt":1795640331101,"version":1,"state":{"state":"waiting"},"freshAt":1795640331101},"versionAfter":2}]}',NULL);

INSERT INTO sluice_event VALUES(21,1795640334198,'postpone','mail',4,'ann','#4 postponed until 2096-10-02T07:06:40.000Z by ann','{"tasks":[{"id":4,"before":{"id":4,"queue":"mail","type":"later","position":4194304,"priority":5,"needs":0,"attempts":0,"executions":0,"offlineInSuccession":0,"losses":0,"lossesInSuccession":0,"uniqueKey":"k","depth":0,"createdAt":1795640331083,"updatedAt":1795640331083,"version":1,"state":{"state":"waiting"},"freshAt":1795640331083},"versionAfter":2}]}',NULL);

DELETE FROM sluice_number;

INSERT INTO sluice_number VALUES('journal',21);

INSERT INTO sluice_number VALUES('number',4);

INSERT INTO sluice_number VALUES('queue',3);

INSERT INTO sluice_number VALUES('task',10);
