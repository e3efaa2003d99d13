-- delayedjob 4.1.9, by make_rows.py
CREATE TABLE delayed_jobs (
    id bigint NOT NULL,
    priority integer DEFAULT 0 NOT NULL,
    attempts integer DEFAULT 0 NOT NULL,
    handler text NOT NULL,
    last_error text,
    run_at timestamp without time zone,
    locked_at timestamp without time zone,
    failed_at timestamp without time zone,
    locked_by character varying,
    queue character varying,
    created_at timestamp(6) without time zone,
    updated_at timestamp(6) without time zone
);
CREATE SEQUENCE delayed_jobs_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1;
ALTER SEQUENCE delayed_jobs_id_seq OWNED BY delayed_jobs.id;
ALTER TABLE ONLY delayed_jobs ALTER COLUMN id SET DEFAULT nextval('delayed_jobs_id_seq'::regclass);
INSERT INTO delayed_jobs VALUES (1, 0, 1, '--- !ruby/struct:Run
number: 3
fails: true
', 'no such address: 3
/tmp/sluice-fixtures/delayedjob_app.rb:23:in `perform''
/usr/share/rubygems-integration/all/gems/delayed_job-4.1.9/lib/delayed/backend/base.rb:81:in `block in invoke_job''
/usr/share/rubygems-integration/all/gems/delayed_job-4.1.9/lib/delayed/lifecycle.rb:61:in `block in initialize''
/usr/share/rubygems-integration/all/gems/delayed_job-4.1.9/lib/delayed/lifecycle.rb:66:in `execute''
/usr/share/rubygems-integration/all/gems/delayed_job-4.1.9/lib/delayed/lifecycle.rb:40:in `run_callbacks''
/usr/share/rubygems-integration/all/gems/delayed_job-4.1.9/lib/delayed/backend/base.rb:78:in `invoke_job''
/usr/share/rubygems-integration/all/gems/delayed_job-4.1.9/lib/delayed/worker.rb:230:in `block (2 levels) in run''
/usr/lib/ruby/3.1.0/timeout.rb:107:in `block in timeout''
/usr/lib/ruby/3.1.0/timeout.rb:117:in `timeout''
/usr/share/rubygems-integration/all/gems/delayed_job-4.1.9/lib/delayed/worker.rb:230:in `block in run''
/usr/lib/ruby/3.1.0/benchmark.rb:311:in `realtime''
/usr/share/rubygems-integration/all/gems/delayed_job-4.1.9/lib/delayed/worker.rb:229:in `run''
/usr/share/rubygems-integration/all/gems/delayed_job-4.1.9/lib/delayed/worker.rb:312:in `block in reserve_and_run_one_job''
/usr/share/rubygems-integration/all/gems/delayed_job-4.1.9/lib/delayed/lifecycle.rb:61:in `block in initialize''
/usr/share/rubygems-integration/all/gems/delayed_job-4.1.9/lib/delayed/lifecycle.rb:66:in `execute''
/usr/share/rubygems-integration/all/gems/delayed_job-4.1.9/lib/delayed/lifecycle.rb:40:in `run_callbacks''
/usr/share/rubygems-integration/all/gems/delayed_job-4.1.9/lib/delayed/worker.rb:312:in `reserve_and_run_one_job''
/usr/share/rubygems-integration/all/gems/delayed_job-4.1.9/lib/delayed/worker.rb:213:in `block in work_off''
/usr/share/rubygems-integration/all/gems/delayed_job-4.1.9/lib/delayed/worker.rb:212:in `times''
/usr/share/rubygems-integration/all/gems/delayed_job-4.1.9/lib/delayed/worker.rb:212:in `work_off''
/usr/share/rubygems-integration/all/gems/delayed_job-4.1.9/lib/delayed/worker.rb:175:in `block (4 levels) in start''
/usr/lib/ruby/3.1.0/benchmark.rb:311:in `realtime''
/usr/share/rubygems-integration/all/gems/delayed_job-4.1.9/lib/delayed/worker.rb:174:in `block (3 levels) in start''
/usr/share/rubygems-integration/all/gems/delayed_job-4.1.9/lib/delayed/lifecycle.rb:61:in `block in initialize''
/usr/share/rubygems-integration/all/gems/delayed_job-4.1.9/lib/delayed/lifecycle.rb:66:in `execute''
/usr/share/rubygems-integration/all/gems/delayed_job-4.1.9/lib/delayed/lifecycle.rb:40:in `run_callbacks''
/usr/share/rubygems-integration/all/gems/delayed_job-4.1.9/lib/delayed/worker.rb:173:in `block (2 levels) in start''
/usr/share/rubygems-integration/all/gems/delayed_job-4.1.9/lib/delayed/worker.rb:172:in `loop''
/usr/share/rubygems-integration/all/gems/delayed_job-4.1.9/lib/delayed/worker.rb:172:in `block in start''
/usr/share/rubygems-integration/all/gems/delayed_job-4.1.9/lib/delayed/plugins/clear_locks.rb:7:in `block (2 levels) in <class:ClearLocks>''
/usr/share/rubygems-integration/all/gems/delayed_job-4.1.9/lib/delayed/lifecycle.rb:79:in `block (2 levels) in add''
/usr/share/rubygems-integration/all/gems/delayed_job-4.1.9/lib/delayed/lifecycle.rb:61:in `block in initialize''
/usr/share/rubygems-integration/all/gems/delayed_job-4.1.9/lib/delayed/lifecycle.rb:79:in `block in add''
/usr/share/rubygems-integration/all/gems/delayed_job-4.1.9/lib/delayed/lifecycle.rb:66:in `execute''
/usr/share/rubygems-integration/all/gems/delayed_job-4.1.9/lib/delayed/lifecycle.rb:40:in `run_callbacks''
/usr/share/rubygems-integration/all/gems/delayed_job-4.1.9/lib/delayed/worker.rb:171:in `start''
/tmp/sluice-fixtures/delayedjob_app.rb:48:in `<main>''', '2026-11-28 07:14:20.409167', '2026-11-28 07:14:21.722805', '2026-11-28 07:14:21.756554', 'host:vm pid:8706', 'mail', '2026-11-28 07:14:20.409221', '2026-11-28 07:14:21.75729');
INSERT INTO delayed_jobs VALUES (2, 0, 0, '--- !ruby/struct:Run
number: 1
fails: false
', NULL, '2026-11-28 07:14:27.807203', NULL, NULL, NULL, 'mail', '2026-11-28 07:14:27.807267', '2026-11-28 07:14:27.807267');
INSERT INTO delayed_jobs VALUES (3, 0, 0, '--- !ruby/struct:Run
number: 2
fails: false
', NULL, '2037-01-01 00:00:00', NULL, NULL, NULL, 'mail', '2026-11-28 07:14:29.18977', '2026-11-28 07:14:29.18977');
SELECT pg_catalog.setval('delayed_jobs_id_seq', 3, true);
ALTER TABLE ONLY delayed_jobs
    ADD CONSTRAINT delayed_jobs_pkey PRIMARY KEY (id);
CREATE INDEX delayed_jobs_priority ON delayed_jobs USING btree (priority, run_at);
