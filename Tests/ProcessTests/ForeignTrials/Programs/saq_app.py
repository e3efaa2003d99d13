import asyncio
import os

from common import note
from saq import Queue

queue = Queue.from_url(os.environ["TRIAL_URL"], name="mail")


async def run(ctx, *, number):
    note(number)


settings = {"queue": queue, "functions": [run], "concurrency": 2}


def sender():
    loop = asyncio.new_event_loop()

    async def send(number):
        return (await queue.enqueue("run", number=number)).id

    return lambda number: loop.run_until_complete(send(number))
