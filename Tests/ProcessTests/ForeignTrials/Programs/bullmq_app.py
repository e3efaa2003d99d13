import asyncio
import os
import sys

from bullmq import Queue, Worker
from common import note
from redis.asyncio.cluster import RedisCluster

url = os.environ["TRIAL_URL"]


def options(**more):
    if not os.environ.get("TRIAL_CLUSTER"):
        return {"connection": url, **more}
    # In a cluster all keys of a queue lie in one slot by a prefix in braces.
    nodes = RedisCluster.from_url(url, decode_responses=True)
    return {"connection": nodes, "prefix": "{bull}", **more}


def sender():
    loop = asyncio.new_event_loop()

    async def begin():
        return Queue("mail", options())

    queue = loop.run_until_complete(begin())

    async def send(number):
        # Every second one waits by a priority.
        rank = {"priority": 1 + number % 3} if number % 2 else {}
        return (await queue.add("run", {"number": number}, rank)).id

    return lambda number: loop.run_until_complete(send(number))


async def work():
    async def run(job, token):
        note(job.data["number"])

    Worker("mail", run, options(concurrency=2))
    await asyncio.Event().wait()


if __name__ == "__main__":
    asyncio.run(work())
