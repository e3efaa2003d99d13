import asyncio
import importlib.metadata

from dump import killed
from saq import Job, Queue, Worker

version = importlib.metadata.version("saq")
FAR = 4_102_444_800


def run(server, body):
    async def all():
        queue = Queue.from_url(server.url, name="mail")
        await queue.connect()
        await body(queue)
        await queue.disconnect()

    asyncio.run(all())


async def send(ctx, order):
    if order < 0:
        raise ValueError("no such order")


def queued(server):
    async def body(queue):
        for number in range(1, 4):
            await queue.enqueue(Job("send", key=f"j{number}", kwargs={"order": number}))
        await queue.enqueue(Job("send", key="later", kwargs={"order": 4}, scheduled=FAR))

    run(server, body)


def bare(server):
    """A job without arguments."""
    async def body(queue):
        await queue.enqueue(Job("send", key="bare"))

    run(server, body)


def failed(server):
    async def body(queue):
        await queue.enqueue(Job("send", key="bad", kwargs={"order": -1}, retries=1))
        await queue.enqueue(Job("send", key="good", kwargs={"order": 1}))
        worker = Worker(queue, functions=[send], concurrency=1)
        for _ in range(2):
            await worker.process()

    run(server, body)


async def hold(ctx):
    await asyncio.sleep(600)


def busy(server):
    """A job in the hands of a worker that was killed."""
    async def body(queue):
        await queue.enqueue(Job("hold", key="long", timeout=0))

    async def work(queue):
        await Worker(queue, functions=[hold], concurrency=1).start()

    run(server, body)
    killed(lambda: run(server, work),
           lambda: server.redis.llen("saq:mail:active") and b'"active"' in server.redis.get(
               "saq:job:mail:long"))


def aborted(server):
    async def body(queue):
        job = await queue.enqueue(Job("send", key="dropped", kwargs={"order": 1}))
        await job.abort("no longer wanted")

    run(server, body)


scenarios = {"queued": queued, "bare": bare, "failed": failed, "busy": busy, "aborted": aborted}


def sent(server):
    async def body(queue):
        await queue.enqueue(Job("run", key="sent-job", kwargs={"n": 1}))

    run(server, body)


recorded = {"send": sent}
