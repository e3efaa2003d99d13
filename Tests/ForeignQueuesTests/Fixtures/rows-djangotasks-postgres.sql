-- djangotasks 0.13.0, by make_rows.py
CREATE TABLE django_tasks_database_dbtaskresult (
    id uuid NOT NULL,
    status character varying(10) NOT NULL,
    args_kwargs jsonb NOT NULL,
    priority integer NOT NULL,
    task_path text NOT NULL,
    queue_name character varying(32) NOT NULL,
    backend_name character varying(32) NOT NULL,
    run_after timestamp with time zone NOT NULL,
    enqueued_at timestamp with time zone NOT NULL,
    finished_at timestamp with time zone,
    started_at timestamp with time zone,
    return_value jsonb,
    exception_class_path text NOT NULL,
    traceback text NOT NULL,
    worker_ids jsonb NOT NULL,
    CONSTRAINT priority_range CHECK (((priority >= '-100'::integer) AND (priority <= 100)))
);
INSERT INTO django_tasks_database_dbtaskresult VALUES ('7442cc2a-43f5-40e5-84c6-7e191410b2e2', 'FAILED', '{"args": [3], "kwargs": {"fails": true}}', 0, 'djangotasks_app.run', 'mail', 'default', '9999-01-01 00:00:00+00', '2026-11-28 07:14:56.341476+00', '2026-11-28 07:14:58.416091+00', '2026-11-28 07:14:58.406892+00', NULL, 'builtins.RuntimeError', 'Traceback (most recent call last):
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
', '["c3JFYUQ675N8h7P1IbY9oSBSegCzCgDF"]');
INSERT INTO django_tasks_database_dbtaskresult VALUES ('374a3273-ceee-4e09-b5d5-e540d51dc536', 'READY', '{"args": [1], "kwargs": {}}', 0, 'djangotasks_app.run', 'mail', 'default', '9999-01-01 00:00:00+00', '2026-11-28 07:15:03.620114+00', NULL, NULL, NULL, '', '', '[]');
INSERT INTO django_tasks_database_dbtaskresult VALUES ('339367b0-8864-4610-bb8b-36873f6ab181', 'READY', '{"args": [2], "kwargs": {}}', 0, 'djangotasks_app.run', 'mail', 'default', '2037-01-01 00:00:00+00', '2026-11-28 07:15:04.882963+00', NULL, NULL, NULL, '', '', '[]');
ALTER TABLE ONLY django_tasks_database_dbtaskresult
    ADD CONSTRAINT django_tasks_database_dbtaskresult_pkey PRIMARY KEY (id);
CREATE INDEX django_task_backend_071754_idx ON django_tasks_database_dbtaskresult USING btree (backend_name);
CREATE INDEX django_task_queue_n_99c321_idx ON django_tasks_database_dbtaskresult USING btree (queue_name);
CREATE INDEX tasks_db_new_ordering_idx ON django_tasks_database_dbtaskresult USING btree (status, priority DESC, run_after, enqueued_at) WHERE ((status)::text = 'READY'::text);
