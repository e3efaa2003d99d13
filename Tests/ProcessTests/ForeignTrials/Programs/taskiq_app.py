import asyncio
import os

from common import note
from taskiq_redis import ListQueueBroker


def app(kind):
    """A broker with its task, and what sends to it."""
    broker = kind(os.environ["TRIAL_URL"], queue_name="mail")

    @broker.task(task_name="run")
    async def run(number):
        note(number)

    def sender():
        loop = asyncio.new_event_loop()
        loop.run_until_complete(broker.startup())

        async def send(number):
            return (await run.kiq(number)).task_id

        return lambda number: loop.run_until_complete(send(number))

    return broker, sender


broker, sender = app(ListQueueBroker)
