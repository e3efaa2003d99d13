import os

from celery import Celery
from common import note

app = Celery("celery_app", broker=os.environ["TRIAL_URL"])
app.conf.update(broker_connection_retry_on_startup=True, worker_prefetch_multiplier=1)


@app.task(name="run")
def run(number):
    note(number)


def sender(kind=""):
    time = {"countdown": 3600} if kind == "later" else {}
    return lambda number: run.apply_async([number], queue="mail", **time).id
