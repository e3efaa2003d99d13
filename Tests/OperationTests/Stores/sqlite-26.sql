DELETE FROM sluice_schema;

DELETE FROM sluice_tally;

INSERT INTO sluice_schema VALUES(26,17);

INSERT INTO sluice_store VALUES('21l439iyt2olyubyvdlp5iy20','full','[]',NULL,1,NULL,NULL,NULL,0,NULL,NULL,NULL,NULL);

INSERT INTO sluice_queue VALUES(1,'mail','{"order":"fifo","concurrency":2,"afterFailure":"advance","start":{"mode":"continuous"},"priority":0,"attemptLimit":10,"retry":{"rule":"fixed","base":36000000},"stuckAfter":300000,"startsExpire":true,"keepFinished":{"last":10},"whenStartFails":"hold","maximumDepth":100,"maximumPayloadBytes":1048576}','[]',NULL,NULL,0,1795640339820,2,NULL,'send',1,0);

INSERT INTO sluice_queue VALUES(2,'night','{"order":"fifo","concurrency":1,"afterFailure":"advance","start":{"mode":"batched","count":10,"delay":30000},"priority":0,"retry":{"rule":"fixed","base":0},"timeout":600000,"stuckAfter":300000,"expiresAfter":259200000,"keepFinished":{},"whenStartFails":"skipRun","maximumDepth":100,"maximumPayloadBytes":1048576,"preset":"customer-io"}','[{"cause":"person","by":"ann","reason":"night","since":1795640341182,"direction":"work"}]',NULL,NULL,0,1795640339851,3,NULL,'send',0,0);

INSERT INTO sluice_queue VALUES(3,'held','{"order":"fifo","concurrency":1,"afterFailure":"advance","start":{"mode":"continuous"},"priority":0,"attemptLimit":10,"retry":{"rule":"exponential","base":1000,"factor":2.0,"cap":3600000,"jitter":0.1},"stuckAfter":300000,"startsExpire":true,"keepFinished":{"last":100},"whenStartFails":"hold","maximumDepth":100,"maximumPayloadBytes":1048576}','[{"cause":"person","by":"ann","reason":"looking","since":1795640339952,"direction":"work"}]',NULL,NULL,0,1795640339890,2,NULL,'send',0,0);

INSERT INTO sluice_tally VALUES(0,0,0,10);

INSERT INTO sluice_tally VALUES(0,0,1,4);

INSERT INTO sluice_tally VALUES(0,0,2,22);

INSERT INTO sluice_tally VALUES(0,0,3,3);

INSERT INTO sluice_tally VALUES(0,1,1,6291456);

INSERT INTO sluice_tally VALUES(0,1,2,2097152);

INSERT INTO sluice_tally VALUES(0,1,3,2097152);

INSERT INTO sluice_tally VALUES(1,0,2,1);

INSERT INTO sluice_tally VALUES(1,0,8,1);

INSERT INTO sluice_tally VALUES(1,0,16,1);

INSERT INTO sluice_tally VALUES(1,2,0,1);

INSERT INTO sluice_tally VALUES(1,3,0,1);

INSERT INTO sluice_tally VALUES(1,4,0,1);

INSERT INTO sluice_tally VALUES(2,0,0,1);

INSERT INTO sluice_tally VALUES(2,0,1,1);

INSERT INTO sluice_tally VALUES(3,0,0,2);

INSERT INTO sluice_task VALUES(1,1,2,-2,X'7ffffe5deb7ecc327ffffffffffffffe',1048576,3,'send',0,NULL,0,0,1,1,NULL,1795640339995,1795640341453,-1795640339995,NULL,NULL,NULL,NULL,NULL,1795640341453,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,0,'first',NULL,NULL,X'7b22746f223a226b696d227d');

INSERT INTO sluice_task VALUES(2,1,0,136,X'8000000000200000',2097152,3,'render',0,NULL,0,0,1,1,NULL,1795640340025,1795640341453,-1795676341453,1795676341453,NULL,NULL,1795676341453,1795640341453,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,0,NULL,'boom',NULL,X'7b22746f223a22616e6e227d');

INSERT INTO sluice_task VALUES(3,1,3,-3,X'7ffffe5deb7ecc247ffffffffffffffc',3145728,3,'lost',0,NULL,0,0,1,1,1,1795640340060,1795640341467,-1795640340060,NULL,NULL,NULL,NULL,NULL,1795640341467,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,0,NULL,'boom 7',NULL,X'7b22746f223a22626f62227d');

INSERT INTO sluice_task VALUES(4,1,0,144,X'8000000000400000',4194304,2,'later',5,NULL,0,0,0,0,NULL,1795640340126,1795640345425,-4000000000000,4000000000000,NULL,NULL,4000000000000,1795640345425,NULL,NULL,NULL,NULL,NULL,'k',NULL,NULL,NULL,0,NULL,NULL,NULL,X'7b22746f223a22657665227d');

INSERT INTO sluice_task VALUES(5,1,0,130,X'8000000000500000',5242880,2,'later',0,NULL,0,0,0,0,NULL,1795640340216,1795640341273,-1795640340216,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,0,NULL,NULL,'{"skip":{"by":"ann","since":1795640341273}}',X'7b22746f223a226a6f65227d');

INSERT INTO sluice_task VALUES(6,1,4,-4,X'7ffffe5deb7eccae7ffffffffffffff9',6291456,2,'later',0,NULL,0,0,0,0,NULL,1795640340291,1795640341329,-1795640340291,NULL,NULL,NULL,NULL,NULL,1795640341329,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,0,NULL,NULL,'{"by":"ann","former":{"state":"waiting"}}',X'7b22746f223a22737565227d');

INSERT INTO sluice_task VALUES(7,3,0,0,X'8000000000100000',1048576,1,'send',0,NULL,0,0,0,0,NULL,1795640340369,1795640340369,-1795640340369,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,0,NULL,NULL,NULL,X'7b22746f223a22706174227d');

INSERT INTO sluice_task VALUES(8,3,0,0,X'8000000000200000',2097152,1,'send',0,NULL,0,0,0,0,NULL,1795640340632,1795640340632,-1795640340632,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,0,NULL,NULL,NULL,X'7b22746f223a22756d61227d');

INSERT INTO sluice_task VALUES(9,2,0,0,X'8000000000100000',1048576,1,'send',0,NULL,0,0,0,0,NULL,1795640341024,1795640341024,1795640341024,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,'g',NULL,NULL,NULL,NULL,0,NULL,NULL,NULL,X'7b22746f223a2261227d');

INSERT INTO sluice_task VALUES(10,2,0,1,X'8000000000200000',2097152,1,'send',0,NULL,0,1,0,0,NULL,1795640341095,1795640341095,1795640341095,NULL,1795899541095,1795899541095,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,0,NULL,NULL,'{"members":["g"]}',X'7b22746f223a2262227d');

INSERT INTO sluice_role VALUES(2,'g',9,0,X'8000000000100000',1048576,0,1);

INSERT INTO sluice_role VALUES(2,'g',10,0,X'8000000000200000',2097152,1,0);

INSERT INTO sluice_group VALUES(2,'g',1,1,0);

INSERT INTO sluice_event VALUES(1,1795640339820,'queueSet','mail',NULL,'ann','mail made by ann',NULL,NULL,NULL,'sluice queue set mail --concurrency 2 --retry ''fixed(10h)'' --keep-finished 10');

INSERT INTO sluice_event VALUES(2,1795640339851,'queueSet','night',NULL,'ann','night made by ann',NULL,NULL,NULL,'sluice queue set night --preset customer-io');

INSERT INTO sluice_event VALUES(3,1795640339890,'queueSet','held',NULL,'ann','held made by ann',NULL,NULL,NULL,'sluice queue set held');

INSERT INTO sluice_event VALUES(4,1795640339952,'pause','held',NULL,'ann','held paused by ann: looking','{"queue":{"name":"held","settings":{"order":"fifo","concurrency":1,"afterFailure":"advance","start":{"mode":"continuous"},"priority":0,"attemptLimit":10,"retry":{"rule":"exponential","base":1000,"factor":2.0,"cap":3600000,"jitter":0.1},"stuckAfter":300000,"startsExpire":true,"keepFinished":{"last":100},"whenStartFails":"hold","maximumDepth":100,"maximumPayloadBytes":1048576},"pauses":[],"barrenRuns":0,"createdAt":1795640339890,"version":1},"queueVersionAfter":2}',NULL,NULL,'sluice pause held --reason looking');

INSERT INTO sluice_event VALUES(5,1795640339995,'enqueue','mail',1,'ann','#1 send enqueued by ann','{"tasks":[{"made":1,"count":1}]}',NULL,NULL,'sluice enqueue --label=first mail send ''{"to":"kim"}''');

INSERT INTO sluice_event VALUES(6,1795640340025,'enqueue','mail',2,'ann','#2 render enqueued by ann','{"tasks":[{"made":2,"count":1}]}',NULL,NULL,'sluice enqueue mail render ''{"to":"ann"}''');

INSERT INTO sluice_event VALUES(7,1795640340060,'enqueue','mail',3,'ann','#3 lost enqueued by ann','{"tasks":[{"made":3,"count":1}]}',NULL,NULL,'sluice enqueue --attempts=1 mail lost ''{"to":"bob"}''');

INSERT INTO sluice_event VALUES(8,1795640340126,'enqueue','mail',4,'ann','#4 later enqueued by ann','{"tasks":[{"made":4,"count":1}]}',NULL,NULL,'sluice enqueue --priority=5 --unique=k:keep mail later ''{"to":"eve"}''');

INSERT INTO sluice_event VALUES(9,1795640340216,'enqueue','mail',5,'ann','#5 later enqueued by ann','{"tasks":[{"made":5,"count":1}]}',NULL,NULL,'sluice enqueue mail later ''{"to":"joe"}''');

INSERT INTO sluice_event VALUES(10,1795640340291,'enqueue','mail',6,'ann','#6 later enqueued by ann','{"tasks":[{"made":6,"count":1}]}',NULL,NULL,'sluice enqueue mail later ''{"to":"sue"}''');

INSERT INTO sluice_event VALUES(11,1795640340369,'enqueue','held',7,'ann','#7 send enqueued by ann','{"tasks":[{"made":7,"count":1}]}',NULL,NULL,'sluice enqueue held send ''{"to":"pat"}''');

INSERT INTO sluice_event VALUES(12,1795640340632,'enqueue','held',8,'ann','#8 send enqueued by ann','{"tasks":[{"made":8,"count":1}]}',NULL,NULL,'sluice enqueue held send ''{"to":"uma"}''');

INSERT INTO sluice_event VALUES(13,1795640341024,'enqueue','night',9,'ann','#9 send enqueued by ann','{"tasks":[{"made":9,"count":1}]}',NULL,NULL,'sluice enqueue --group-start=g night send ''{"to":"a"}''');

INSERT INTO sluice_event VALUES(14,1795640341024,'runTimer','night',NULL,'sluice','the next run is due in 30s',NULL,NULL,NULL,NULL);

INSERT INTO sluice_event VALUES(15,1795640341095,'enqueue','night',10,'ann','#10 send enqueued by ann','{"tasks":[{"made":10,"count":1}]}',NULL,NULL,'sluice enqueue --group=g night send ''{"to":"b"}''');

INSERT INTO sluice_event VALUES(16,1795640341182,'pause','night',NULL,'ann','night paused by ann: night','{"queue":{"name":"night","settings":{"order":"fifo","concurrency":1,"afterFailure":"advance","start":{"mode":"batched","count":10,"delay":30000},"priority":0,"retry":{"rule":"fixed","base":0},"timeout":600000,"stuckAfter":300000,"expiresAfter":259200000,"keepFinished":{},"whenStartFails":"skipRun","maximumDepth":100,"maximumPayloadBytes":1048576,"preset":"customer-io"},"pauses":[],"barrenRuns":0,"createdAt":1795640339851,"version":2},"queueVersionAfter":3}',NULL,NULL,'sluice pause night --reason night');

INSERT INTO sluice_event VALUES(17,1795640341273,'skip','mail',5,'ann','#5 skipped by ann','{"tasks":[{"id":5,"before":{"id":5,"queue":"mail","type":"later","position":5242880,"priority":0,"needs":0,"attempts":0,"executions":0,"offlineInSuccession":0,"losses":0,"lossesInSuccession":0,"depth":0,"createdAt":1795640340216,"updatedAt":1795640340216,"version":1,"state":{"state":"waiting"},"freshAt":1795640340216},"versionAfter":2}]}',NULL,NULL,'sluice skip 5');

INSERT INTO sluice_event VALUES(18,1795640341329,'delete','mail',6,'ann','#6 deleted by ann','{"tasks":[{"id":6,"before":{"id":6,"queue":"mail","type":"later","position":6291456,"priority":0,"needs":0,"attempts":0,"executions":0,"offlineInSuccession":0,"losses":0,"lossesInSuccession":0,"depth":0,"createdAt":1795640340291,"updatedAt":1795640340291,"version":1,"state":{"state":"waiting"},"freshAt":1795640340291},"versionAfter":2}]}',NULL,NULL,'sluice delete 6');

INSERT INTO sluice_event VALUES(22,1795640345425,'postpone','mail',4,'ann','#4 postponed until 2096-10-02T07:06:40.000Z by ann','{"tasks":[{"id":4,"before":{"id":4,"queue":"mail","type":"later","position":4194304,"priority":5,"needs":0,"attempts":0,"executions":0,"offlineInSuccession":0,"losses":0,"lossesInSuccession":0,"uniqueKey":"k","depth":0,"createdAt":1795640340126,"updatedAt":1795640340126,"version":1,"state":{"state":"waiting"},"freshAt":1795640340126},"versionAfter":2}]}',NULL,NULL,'sluice postpone 4 +2204359655s');

INSERT INTO sluice_attempt VALUES(19,1,1,'mail','send',1,1795640341410,1795640341453,'success',1,NULL,1.0,NULL,NULL,NULL,NULL,NULL,NULL);

INSERT INTO sluice_attempt VALUES(20,2,1,'mail','render',1,1795640341410,1795640341453,'retry',1,'boom',1.0,NULL,NULL,NULL,NULL,'retry in 10h',NULL);

INSERT INTO sluice_attempt VALUES(21,3,1,'mail','lost',1,1795640341453,1795640341467,'retry',1,'boom 7',1.0,NULL,NULL,NULL,NULL,'given up',NULL);

INSERT INTO sluice_ended VALUES(0,-1398679259586847002,43,29927339,1,0,0,0,0,0);

INSERT INTO sluice_ended VALUES(0,22,43,29927339,1,0,0,0,0,0);

INSERT INTO sluice_ended VALUES(0,272,43,29927339,1,0,0,0,0,0);

INSERT INTO sluice_ended VALUES(0,278,43,29927339,1,0,0,0,0,0);

INSERT INTO sluice_ended VALUES(1,-1398679259586847002,43,29927339,1,0,0,0,0,0);

INSERT INTO sluice_ended VALUES(1,22,43,29927339,1,0,0,0,0,0);

INSERT INTO sluice_ended VALUES(1,272,43,29927339,1,0,0,0,0,0);

INSERT INTO sluice_ended VALUES(1,278,43,29927339,1,0,0,0,0,0);

INSERT INTO sluice_failure VALUES(1,1398679259586847002,'lost','boom #',1,1,1795640341467,1795640341467);

DELETE FROM sluice_number;

INSERT INTO sluice_number VALUES('imageBytes',1959);

INSERT INTO sluice_number VALUES('scenery',11);
