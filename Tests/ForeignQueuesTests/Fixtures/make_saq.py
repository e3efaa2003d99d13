import asyncio
import importlib.metadata

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


def failed(server):
    async def body(queue):
        await queue.enqueue(Job("send", key="bad", kwargs={"order": -1}, retries=1))
        await queue.enqueue(Job("send", key="good", kwargs={"order": 1}))
        worker = Worker(queue, functions=[send], concurrency=1)
        for _ in range(2):
            await worker.process()

    run(server, body)


scenarios = {"queued": queued, "failed": failed}
