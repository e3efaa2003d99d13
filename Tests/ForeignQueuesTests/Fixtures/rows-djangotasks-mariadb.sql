-- djangotasks 0.13.0, by make_rows.py
CREATE TABLE `django_tasks_database_dbtaskresult` (
  `id` uuid NOT NULL,
  `status` varchar(10) NOT NULL,
  `args_kwargs` longtext CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NOT NULL CHECK (json_valid(`args_kwargs`)),
  `priority` int(11) NOT NULL,
  `task_path` longtext NOT NULL,
  `queue_name` varchar(32) NOT NULL,
  `backend_name` varchar(32) NOT NULL,
  `run_after` datetime(6) NOT NULL,
  `enqueued_at` datetime(6) NOT NULL,
  `finished_at` datetime(6) DEFAULT NULL,
  `started_at` datetime(6) DEFAULT NULL,
  `return_value` longtext CHARACTER SET utf8mb4 COLLATE utf8mb4_bin DEFAULT NULL CHECK (json_valid(`return_value`)),
  `exception_class_path` longtext NOT NULL,
  `traceback` longtext NOT NULL,
  `worker_ids` longtext CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NOT NULL CHECK (json_valid(`worker_ids`)),
  PRIMARY KEY (`id`),
  KEY `django_task_queue_n_99c321_idx` (`queue_name`),
  KEY `django_task_backend_071754_idx` (`backend_name`),
  KEY `tasks_db_new_ordering_idx` (`status`,`priority` DESC,`run_after`,`enqueued_at`),
  CONSTRAINT `priority_range` CHECK (`priority` between -100 and 100)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_general_ci;
INSERT INTO `django_tasks_database_dbtaskresult` VALUES ('df78340a-698b-4ffc-825e-3f6c8cf35adc','READY','{\"args\": [1], \"kwargs\": {}}',0,'djangotasks_app.run','mail','default','9999-01-01 00:00:00.000000','2026-11-28 10:37:01.483835',NULL,NULL,NULL,'','','[]');
INSERT INTO `django_tasks_database_dbtaskresult` VALUES ('7edfeba7-0914-4475-bc9a-83a7628eda1f','READY','{\"args\": [2], \"kwargs\": {}}',0,'djangotasks_app.run','mail','default','2037-01-01 00:00:00.000000','2026-11-28 10:37:08.127917',NULL,NULL,NULL,'','','[]');
INSERT INTO `django_tasks_database_dbtaskresult` VALUES ('75e902ce-9834-4b76-93b5-cb81496d888f','FAILED','{\"args\": [3], \"kwargs\": {\"fails\": true}}',0,'djangotasks_app.run','mail','default','9999-01-01 00:00:00.000000','2026-11-28 10:36:49.708282','2026-11-28 10:36:53.879887','2026-11-28 10:36:53.873115',NULL,'builtins.RuntimeError','Traceback (most recent call last):\n  File \"/venv/lib/python3.11/site-packages/django_tasks_db/management/commands/db_worker.py\", line 182, in run_task\n    return_value = task.call(*task_result.args, **task_result.kwargs)\n                   ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^\n  File \"/venv/lib/python3.11/site-packages/django_tasks/base.py\", line 165, in call\n    return self.func(*args, **kwargs)\n           ^^^^^^^^^^^^^^^^^^^^^^^^^^\n  File \"/tmp/sluice-fixtures/djangotasks_app.py\", line 18, in run\n    django_app.run(number, fails)\n  File \"/tmp/sluice-fixtures/django_app.py\", line 51, in run\n    raise RuntimeError(f\"no such address: {number}\")\nRuntimeError: no such address: 3\n','[\"ty5D5TmmtlI7dZf50u2il0XPJ3dwAjk7\"]');
