import sys
from datetime import datetime, timezone

import django_app

django_app.configure("django_tasks_db")

from django.core.management import call_command  # noqa: E402

try:
    from django.tasks import task  # noqa: E402
except ImportError:
    from django_tasks import task  # noqa: E402


@task(queue_name="mail")
def run(number, fails=False):
    django_app.run(number, fails)


def sender(kind=""):
    chosen = run.using(run_after=datetime(2037, 1, 1, tzinfo=timezone.utc)) if kind == "later" else run
    fails = {"fails": True} if kind == "fail" else {}
    return lambda number: chosen.enqueue(number, **fails).id


if __name__ == "__main__":
    if sys.argv[1] == "install":
        call_command("migrate", verbosity=0)
    else:
        call_command("db_worker", queue_name="mail", interval=0.2)
