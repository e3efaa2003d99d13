import os

from common import note
from huey import SqliteHuey

huey = SqliteHuey("mail", filename=os.environ["TRIAL_URL"])


@huey.task()
def run(number):
    note(number)


def sender():
    return lambda number: run(number).id
