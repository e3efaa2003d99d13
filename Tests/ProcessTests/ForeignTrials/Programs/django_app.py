"""An app of Django with both of its queues in the database: `SYSTEM install`, `SYSTEM work`, or
imported by send.py as djangotasks_app or djangoq_app."""
import os
import sys

import django
from django.conf import settings

from common import note


def database(url):
    if "://" not in url:
        return {"ENGINE": "django.db.backends.sqlite3", "NAME": url, "OPTIONS": {"timeout": 5}}
    from urllib.parse import parse_qsl, urlsplit

    # An address of a socket has its folder and its user in the query.
    parts = urlsplit(url)
    options = dict(parse_qsl(parts.query))
    engine = "postgresql" if parts.scheme.startswith("postgres") else "mysql"
    if engine == "mysql":
        import pymysql

        pymysql.install_as_MySQLdb()
    return {
        "ENGINE": f"django.db.backends.{engine}", "NAME": parts.path[1:],
        "HOST": options.get("host", parts.hostname), "PORT": options.get("port", parts.port),
        "USER": options.get("user", parts.username or "root"),
        "PASSWORD": parts.password or "",
        # A cluster of django-q2 else connects for each task, and pymysql reads all certificates
        # of the machine for each connection: 1.5 tasks a second.
        "CONN_MAX_AGE": 600,
    }


def configure(app):
    if settings.configured:
        return
    settings.configure(
        SECRET_KEY="trial", USE_TZ=True, DATABASES={"default": database(os.environ["TRIAL_URL"])},
        INSTALLED_APPS=[app], DEFAULT_AUTO_FIELD="django.db.models.AutoField",
        TASKS={
            "default": {
                "BACKEND": "django_tasks_db.DatabaseBackend", "QUEUES": ["mail", "default"],
            }
        },
        Q_CLUSTER={
            "name": "mail", "orm": "default", "workers": 2, "retry": 3600, "timeout": 600,
            "poll": 0.2, "max_attempts": 1, "ack_failures": True, "catch_up": False,
        },
    )
    django.setup()


def run(number, fails=False):
    if fails:
        raise RuntimeError(f"no such address: {number}")
    note(number)
