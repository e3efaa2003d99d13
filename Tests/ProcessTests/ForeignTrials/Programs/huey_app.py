import os

from common import note
from huey import RedisHuey, SqliteHuey

url = os.environ["TRIAL_URL"]
if url.startswith("redis:"):
    huey = RedisHuey("mail", url=url)
else:
    huey = SqliteHuey("mail", filename=url)


@huey.task()
def run(number):
    note(number)


def sender(kind=""):
    if kind == "later":
        return lambda number: run.schedule((number,), delay=3600).id
    return lambda number: run(number).id
