import sys

import django_app

django_app.configure("django_q")

from django.core.management import call_command  # noqa: E402
from django_q.models import OrmQ  # noqa: E402
from django_q.tasks import async_task  # noqa: E402


def sender(kind=""):
    fails = {"fails": True} if kind == "fail" else {}

    def send(number):
        async_task("django_app.run", number, **fails)
        return OrmQ.objects.latest("id").id

    return send


if __name__ == "__main__":
    if sys.argv[1] == "install":
        call_command("migrate", verbosity=0)
    else:
        call_command("qcluster")
