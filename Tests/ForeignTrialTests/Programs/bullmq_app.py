import asyncio
import os
import sys

from bullmq import Queue, Worker
from common import note

url = os.environ["TRIAL_URL"]


def sender():
    loop = asyncio.new_event_loop()

    async def begin():
        return Queue("mail", {"connection": url})

    queue = loop.run_until_complete(begin())

    async def send(number):
        # Every second one waits by a priority.
        options = {"priority": 1 + number % 3} if number % 2 else {}
        return (await queue.add("run", {"number": number}, options)).id

    return lambda number: loop.run_until_complete(send(number))


async def work():
    async def run(job, token):
        note(job.data["number"])

    Worker("mail", run, {"connection": url, "concurrency": 2})
    await asyncio.Event().wait()


if __name__ == "__main__":
    asyncio.run(work())
