-- laravel 8.83.26, by make_rows.py
CREATE TABLE failed_jobs (
    id bigint NOT NULL,
    uuid character varying(255) NOT NULL,
    connection text NOT NULL,
    queue text NOT NULL,
    payload text NOT NULL,
    exception text NOT NULL,
    failed_at timestamp(0) without time zone DEFAULT CURRENT_TIMESTAMP NOT NULL
);
CREATE SEQUENCE failed_jobs_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1;
ALTER SEQUENCE failed_jobs_id_seq OWNED BY failed_jobs.id;
CREATE TABLE jobs (
    id bigint NOT NULL,
    queue character varying(255) NOT NULL,
    payload text NOT NULL,
    attempts smallint NOT NULL,
    reserved_at integer,
    available_at integer NOT NULL,
    created_at integer NOT NULL
);
CREATE SEQUENCE jobs_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1;
ALTER SEQUENCE jobs_id_seq OWNED BY jobs.id;
ALTER TABLE ONLY failed_jobs ALTER COLUMN id SET DEFAULT nextval('failed_jobs_id_seq'::regclass);
ALTER TABLE ONLY jobs ALTER COLUMN id SET DEFAULT nextval('jobs_id_seq'::regclass);
INSERT INTO failed_jobs VALUES (1, '8cdd06ac-ddf2-407f-9a8b-27277506d459', 'default', 'mail', '{"uuid":"8cdd06ac-ddf2-407f-9a8b-27277506d459","displayName":"Run","job":"Illuminate\\Queue\\CallQueuedHandler@call","maxTries":1,"maxExceptions":null,"failOnTimeout":false,"backoff":null,"timeout":null,"retryUntil":null,"data":{"commandName":"Run","command":"O:3:\"Run\":13:{s:5:\"tries\";i:1;s:6:\"number\";i:3;s:5:\"fails\";b:1;s:3:\"job\";N;s:10:\"connection\";N;s:5:\"queue\";N;s:15:\"chainConnection\";N;s:10:\"chainQueue\";N;s:19:\"chainCatchCallbacks\";N;s:5:\"delay\";N;s:11:\"afterCommit\";N;s:10:\"middleware\";a:0:{}s:7:\"chained\";a:0:{}}"}}', 'RuntimeException: no such address: 3 in /tmp/sluice-fixtures/laravel_app.php:36
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
#19 {main}', '2026-11-28 07:14:00');
INSERT INTO jobs VALUES (2, 'mail', '{"uuid":"9680f81b-6717-4894-89fe-4dc2482cf3cf","displayName":"Run","job":"Illuminate\\Queue\\CallQueuedHandler@call","maxTries":1,"maxExceptions":null,"failOnTimeout":false,"backoff":null,"timeout":null,"retryUntil":null,"data":{"commandName":"Run","command":"O:3:\"Run\":13:{s:5:\"tries\";i:1;s:6:\"number\";i:1;s:5:\"fails\";b:0;s:3:\"job\";N;s:10:\"connection\";N;s:5:\"queue\";N;s:15:\"chainConnection\";N;s:10:\"chainQueue\";N;s:19:\"chainCatchCallbacks\";N;s:5:\"delay\";N;s:11:\"afterCommit\";N;s:10:\"middleware\";a:0:{}s:7:\"chained\";a:0:{}}"}}', 0, NULL, 1795850046, 1795850046);
INSERT INTO jobs VALUES (3, 'mail', '{"uuid":"535f7fe5-d881-4ea9-9de7-d7dd776c0f1c","displayName":"Run","job":"Illuminate\\Queue\\CallQueuedHandler@call","maxTries":1,"maxExceptions":null,"failOnTimeout":false,"backoff":null,"timeout":null,"retryUntil":null,"data":{"commandName":"Run","command":"O:3:\"Run\":13:{s:5:\"tries\";i:1;s:6:\"number\";i:2;s:5:\"fails\";b:0;s:3:\"job\";N;s:10:\"connection\";N;s:5:\"queue\";N;s:15:\"chainConnection\";N;s:10:\"chainQueue\";N;s:19:\"chainCatchCallbacks\";N;s:5:\"delay\";N;s:11:\"afterCommit\";N;s:10:\"middleware\";a:0:{}s:7:\"chained\";a:0:{}}"}}', 0, NULL, 2114380800, 1795850046);
SELECT pg_catalog.setval('failed_jobs_id_seq', 1, true);
SELECT pg_catalog.setval('jobs_id_seq', 3, true);
ALTER TABLE ONLY failed_jobs
    ADD CONSTRAINT failed_jobs_pkey PRIMARY KEY (id);
ALTER TABLE ONLY failed_jobs
    ADD CONSTRAINT failed_jobs_uuid_unique UNIQUE (uuid);
ALTER TABLE ONLY jobs
    ADD CONSTRAINT jobs_pkey PRIMARY KEY (id);
CREATE INDEX jobs_queue_index ON jobs USING btree (queue);
