import asyncio
import importlib.metadata

from bullmq import FlowProducer, Queue, Worker

version = importlib.metadata.version("bullmq") + " (Python)"


def run(server, body):
    async def all():
        queue = Queue("mail", {"connection": server.url})
        await body(queue)
        await queue.close()

    asyncio.run(all())


async def refuse(job, token):
    if job.data.get("bad"):
        raise ValueError("no such order")


async def work(server, until):
    worker = Worker("mail", refuse, {"connection": server.url})
    for _ in range(600):
        if until():
            break
        await asyncio.sleep(0.05)
    await worker.close()


def queued(server):
    async def body(queue):
        for number in range(1, 4):
            await queue.add("send", {"order": number})
        await queue.add("urgent", {"order": 4}, {"priority": 2})
        await queue.add("later", {"order": 5}, {"delay": 3_000_000_000_000 - 1_700_000_000_000})

    run(server, body)


def paused(server):
    async def body(queue):
        await queue.add("send", {"order": 1})
        await queue.pause()

    run(server, body)


def failed(server):
    async def body(queue):
        await queue.add("send", {"bad": True})
        await queue.add("send", {"bad": False})
        await work(server, lambda: server.redis.zcard("bull:mail:failed")
                   + server.redis.zcard("bull:mail:completed") == 2)

    run(server, body)


def flow(server):
    """A parent of three: one has ended, one failed, one waits in another queue."""
    async def body(queue):
        producer = FlowProducer({"connection": server.url})

        def child(name, **data):
            return {"name": name, "queueName": "mail", "data": data, "opts": {"jobId": name}}

        await producer.add({
            "name": "report", "queueName": "reports", "data": {}, "opts": {"jobId": "parent"},
            "children": [
                {**child("bad", bad=True),
                 "opts": {"jobId": "bad", "ignoreDependencyOnFailure": False}},
                child("good"),
                {"name": "slow", "queueName": "slow", "data": {}, "opts": {"jobId": "slow"}},
            ],
        })
        await work(server, lambda: server.redis.zcard("bull:mail:failed")
                   + server.redis.zcard("bull:mail:completed") == 2)
        await producer.close()

    run(server, body)


scenarios = {"queued": queued, "paused": paused, "failed": failed, "flow": flow}
