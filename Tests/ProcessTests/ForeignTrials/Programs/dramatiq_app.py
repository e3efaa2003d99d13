import os

import dramatiq
from common import note

url = os.environ["TRIAL_URL"]
if url.startswith("amqp"):
    from dramatiq.brokers.rabbitmq import RabbitmqBroker

    dramatiq.set_broker(RabbitmqBroker(url=url))
else:
    from dramatiq.brokers.redis import RedisBroker

    dramatiq.set_broker(RedisBroker(url=url))


@dramatiq.actor(actor_name="run", queue_name="mail")
def run(number):
    note(number)


def sender():
    def send(number):
        message = run.send(number)
        return message.options.get("redis_message_id", message.message_id)

    return send
