import os

import redis
import rq
from common import note


def run(number):
    note(number)


def sender():
    queue = rq.Queue("mail", connection=redis.Redis.from_url(os.environ["TRIAL_URL"]))
    return lambda number: queue.enqueue(run, number).id
