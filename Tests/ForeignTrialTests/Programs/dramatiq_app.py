import os

import dramatiq
from common import note
from dramatiq.brokers.redis import RedisBroker

dramatiq.set_broker(RedisBroker(url=os.environ["TRIAL_URL"]))


@dramatiq.actor(actor_name="run", queue_name="mail")
def run(number):
    note(number)


def sender():
    return lambda number: run.send(number).options["redis_message_id"]
