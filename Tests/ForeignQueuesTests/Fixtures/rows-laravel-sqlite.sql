-- laravel 8.83.26, by make_rows.py
CREATE TABLE "failed_jobs" ("id" integer not null primary key autoincrement, "uuid" varchar not null, "connection" text not null, "queue" text not null, "payload" text not null, "exception" text not null, "failed_at" datetime default CURRENT_TIMESTAMP not null);
INSERT INTO "failed_jobs" VALUES(1,'ae89b708-8430-4799-a9ea-f485da5fab80','default','mail','{"uuid":"ae89b708-8430-4799-a9ea-f485da5fab80","displayName":"Run","job":"Illuminate\\Queue\\CallQueuedHandler@call","maxTries":1,"maxExceptions":null,"failOnTimeout":false,"backoff":null,"timeout":null,"retryUntil":null,"data":{"commandName":"Run","command":"O:3:\"Run\":13:{s:5:\"tries\";i:1;s:6:\"number\";i:3;s:5:\"fails\";b:1;s:3:\"job\";N;s:10:\"connection\";N;s:5:\"queue\";N;s:15:\"chainConnection\";N;s:10:\"chainQueue\";N;s:19:\"chainCatchCallbacks\";N;s:5:\"delay\";N;s:11:\"afterCommit\";N;s:10:\"middleware\";a:0:{}s:7:\"chained\";a:0:{}}"}}','RuntimeException: no such address: 3 in /tmp/sluice-fixtures/laravel_app.php:36
Stack trace:
#0 /usr/share/php/Illuminate/Container/BoundMethod.php(36): Run->handle()
#1 /usr/share/php/Illuminate/Container/Util.php(40): Illuminate\Container\BoundMethod::Illuminate\Container\{closure}()
#2 /usr/share/php/Illuminate/Container/BoundMethod.php(93): Illuminate\Container\Util::unwrapIfClosure()
#3 /usr/share/php/Illuminate/Container/BoundMethod.php(35): Illuminate\Container\BoundMethod::callBoundMethod()
#4 /usr/share/php/Illuminate/Container/Container.php(653): Illuminate\Container\BoundMethod::call()
#5 /usr/share/php/Illuminate/Bus/Dispatcher.php(128): Illuminate\Container\Container->call()
#6 /usr/share/php/Illuminate/Pipeline/Pipeline.php(128): Illuminate\Bus\Dispatcher->Illuminate\Bus\{closure}()
#7 /usr/share/php/Illuminate/Pipeline/Pipeline.php(103): Illuminate\Pipeline\Pipeline->Illuminate\Pipeline\{closure}()
#8 /usr/share/php/Illuminate/Bus/Dispatcher.php(132): Illuminate\Pipeline\Pipeline->then()
#9 /usr/share/php/Illuminate/Queue/CallQueuedHandler.php(119): Illuminate\Bus\Dispatcher->dispatchNow()
#10 /usr/share/php/Illuminate/Pipeline/Pipeline.php(128): Illuminate\Queue\CallQueuedHandler->Illuminate\Queue\{closure}()
#11 /usr/share/php/Illuminate/Pipeline/Pipeline.php(103): Illuminate\Pipeline\Pipeline->Illuminate\Pipeline\{closure}()
#12 /usr/share/php/Illuminate/Queue/CallQueuedHandler.php(118): Illuminate\Pipeline\Pipeline->then()
#13 /usr/share/php/Illuminate/Queue/CallQueuedHandler.php(70): Illuminate\Queue\CallQueuedHandler->dispatchThroughMiddleware()
#14 /usr/share/php/Illuminate/Queue/Jobs/Job.php(98): Illuminate\Queue\CallQueuedHandler->call()
#15 /usr/share/php/Illuminate/Queue/Worker.php(428): Illuminate\Queue\Jobs\Job->fire()
#16 /usr/share/php/Illuminate/Queue/Worker.php(378): Illuminate\Queue\Worker->process()
#17 /usr/share/php/Illuminate/Queue/Worker.php(172): Illuminate\Queue\Worker->runJob()
#18 /tmp/sluice-fixtures/laravel_app.php(125): Illuminate\Queue\Worker->daemon()
#19 {main}','2026-11-28 07:13:53');
CREATE TABLE "jobs" ("id" integer not null primary key autoincrement, "queue" varchar not null, "payload" text not null, "attempts" integer not null, "reserved_at" integer, "available_at" integer not null, "created_at" integer not null);
INSERT INTO "jobs" VALUES(2,'mail','{"uuid":"2fbfd4ea-453a-42aa-96fd-62868d6b9ed6","displayName":"Run","job":"Illuminate\\Queue\\CallQueuedHandler@call","maxTries":1,"maxExceptions":null,"failOnTimeout":false,"backoff":null,"timeout":null,"retryUntil":null,"data":{"commandName":"Run","command":"O:3:\"Run\":13:{s:5:\"tries\";i:1;s:6:\"number\";i:1;s:5:\"fails\";b:0;s:3:\"job\";N;s:10:\"connection\";N;s:5:\"queue\";N;s:15:\"chainConnection\";N;s:10:\"chainQueue\";N;s:19:\"chainCatchCallbacks\";N;s:5:\"delay\";N;s:11:\"afterCommit\";N;s:10:\"middleware\";a:0:{}s:7:\"chained\";a:0:{}}"}}',0,NULL,1795850039,1795850039);
INSERT INTO "jobs" VALUES(3,'mail','{"uuid":"26bdae64-f177-4f0f-ac90-44eeba399809","displayName":"Run","job":"Illuminate\\Queue\\CallQueuedHandler@call","maxTries":1,"maxExceptions":null,"failOnTimeout":false,"backoff":null,"timeout":null,"retryUntil":null,"data":{"commandName":"Run","command":"O:3:\"Run\":13:{s:5:\"tries\";i:1;s:6:\"number\";i:2;s:5:\"fails\";b:0;s:3:\"job\";N;s:10:\"connection\";N;s:5:\"queue\";N;s:15:\"chainConnection\";N;s:10:\"chainQueue\";N;s:19:\"chainCatchCallbacks\";N;s:5:\"delay\";N;s:11:\"afterCommit\";N;s:10:\"middleware\";a:0:{}s:7:\"chained\";a:0:{}}"}}',0,NULL,2114380800,1795850039);
CREATE INDEX "jobs_queue_index" on "jobs" ("queue");
CREATE UNIQUE INDEX "failed_jobs_uuid_unique" on "failed_jobs" ("uuid");
