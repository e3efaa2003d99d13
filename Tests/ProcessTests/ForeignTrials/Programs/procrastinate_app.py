import os

import procrastinate
from common import note

app = procrastinate.App(
    connector=procrastinate.PsycopgConnector(conninfo=os.environ["TRIAL_URL"])
)


@app.task(name="run", queue="mail")
def run(number):
    note(number)


def sender():
    app.open()
    return lambda number: run.defer(number=number)
