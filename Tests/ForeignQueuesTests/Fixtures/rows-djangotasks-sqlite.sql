-- djangotasks 0.13.0, by make_rows.py
CREATE TABLE "django_tasks_database_dbtaskresult" ("id" char(32) NOT NULL PRIMARY KEY, "args_kwargs" text NOT NULL CHECK ((JSON_VALID("args_kwargs") OR "args_kwargs" IS NULL)), "priority" integer NOT NULL, "task_path" text NOT NULL, "queue_name" varchar(32) NOT NULL, "backend_name" varchar(32) NOT NULL, "run_after" datetime NOT NULL, "enqueued_at" datetime NOT NULL, "finished_at" datetime NULL, "started_at" datetime NULL, "return_value" text NULL CHECK ((JSON_VALID("return_value") OR "return_value" IS NULL)), "exception_class_path" text NOT NULL, "traceback" text NOT NULL, "worker_ids" text NOT NULL CHECK ((JSON_VALID("worker_ids") OR "worker_ids" IS NULL)), "status" varchar(10) NOT NULL, CONSTRAINT "priority_range" CHECK ("priority" BETWEEN -100 AND 100));
INSERT INTO "django_tasks_database_dbtaskresult" VALUES('553de5eb0f974ccbaf2d533f4d175667','{"args": [3], "kwargs": {"fails": true}}',0,'djangotasks_app.run','mail','default','9999-01-01 00:00:00','2026-11-28 07:14:45.058309','2026-11-28 07:14:46.601602','2026-11-28 07:14:46.576648',NULL,'builtins.RuntimeError','Traceback (most recent call last):
  File "/venv/lib/python3.11/site-packages/django_tasks_db/management/commands/db_worker.py", line 182, in run_task
    return_value = task.call(*task_result.args, **task_result.kwargs)
                   ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
  File "/venv/lib/python3.11/site-packages/django_tasks/base.py", line 165, in call
    return self.func(*args, **kwargs)
           ^^^^^^^^^^^^^^^^^^^^^^^^^^
  File "/tmp/sluice-fixtures/djangotasks_app.py", line 18, in run
    django_app.run(number, fails)
  File "/tmp/sluice-fixtures/django_app.py", line 47, in run
    raise RuntimeError(f"no such address: {number}")
RuntimeError: no such address: 3
','["q9WeZfrn8fuAiNYawXtl0MUbG5jdQSNL"]','FAILED');
INSERT INTO "django_tasks_database_dbtaskresult" VALUES('b1d633f99e2247cb9b445a410648b3ec','{"args": [1], "kwargs": {}}',0,'djangotasks_app.run','mail','default','9999-01-01 00:00:00','2026-11-28 07:14:52.060948',NULL,NULL,NULL,'','','[]','READY');
INSERT INTO "django_tasks_database_dbtaskresult" VALUES('6d3b822f1c5c487996fb8ac893e2a1cb','{"args": [2], "kwargs": {}}',0,'djangotasks_app.run','mail','default','2037-01-01 00:00:00','2026-11-28 07:14:53.153689',NULL,NULL,NULL,'','','[]','READY');
CREATE INDEX "django_task_queue_n_99c321_idx" ON "django_tasks_database_dbtaskresult" ("queue_name");
CREATE INDEX "django_task_backend_071754_idx" ON "django_tasks_database_dbtaskresult" ("backend_name");
CREATE INDEX "tasks_db_new_ordering_idx" ON "django_tasks_database_dbtaskresult" ("status", "priority" DESC, "run_after" ASC, "enqueued_at" ASC) WHERE "status" = 'READY';
