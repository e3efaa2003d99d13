-- delayedjob 4.1.9, by make_rows.py
CREATE TABLE "delayed_jobs" ("id" integer PRIMARY KEY AUTOINCREMENT NOT NULL, "priority" integer DEFAULT 0 NOT NULL, "attempts" integer DEFAULT 0 NOT NULL, "handler" text NOT NULL, "last_error" text, "run_at" datetime, "locked_at" datetime, "failed_at" datetime, "locked_by" varchar, "queue" varchar, "created_at" datetime(6), "updated_at" datetime(6));
INSERT INTO "delayed_jobs" VALUES(1,0,1,'--- !ruby/struct:Run
number: 3
fails: true
','no such address: 3
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
/tmp/sluice-fixtures/delayedjob_app.rb:48:in `<main>''','2026-11-28 07:14:09.101957','2026-11-28 07:14:10.324535','2026-11-28 07:14:10.386303','host:vm pid:8673','mail','2026-11-28 07:14:09.102002','2026-11-28 07:14:10.386994');
INSERT INTO "delayed_jobs" VALUES(2,0,0,'--- !ruby/struct:Run
number: 1
fails: false
',NULL,'2026-11-28 07:14:16.367481',NULL,NULL,NULL,'mail','2026-11-28 07:14:16.367551','2026-11-28 07:14:16.367551');
INSERT INTO "delayed_jobs" VALUES(3,0,0,'--- !ruby/struct:Run
number: 2
fails: false
',NULL,'2037-01-01 00:00:00',NULL,NULL,NULL,'mail','2026-11-28 07:14:17.609527','2026-11-28 07:14:17.609527');
CREATE INDEX "delayed_jobs_priority" ON "delayed_jobs" ("priority", "run_at");
