import asyncio
import importlib.metadata

from bullmq import FlowProducer, Queue, Worker
from dump import killed

version = importlib.metadata.version("bullmq") + " (Python)"


def run(server, body, name="mail", prefix="bull"):
    async def all():
        queue = Queue(name, {"connection": server.url, "prefix": prefix})
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


def broken(server):
    """Parents without a failed child: one ignores its failure, the other one is to fail too."""
    async def body(queue):
        producer = FlowProducer({"connection": server.url})
        for name, option in (("ignored", "ignoreDependencyOnFailure"),
                             ("fatal", "failParentOnFailure")):
            await producer.add({
                "name": "report", "queueName": "reports", "data": {},
                "opts": {"jobId": f"{name}-parent"},
                "children": [
                    {"name": name, "queueName": "mail", "data": {"bad": True},
                     "opts": {"jobId": name, option: True}},
                    {"name": "slow", "queueName": "slow", "data": {},
                     "opts": {"jobId": f"{name}-slow"}},
                ],
            })
        await work(server, lambda: server.redis.zcard("bull:mail:failed") == 2)
        await producer.close()

    run(server, body)


def attempts(server):
    async def body(queue):
        for options in ({"attempts": 0}, {}, {"attempts": 4}):
            await queue.add("welcome", {}, options)

    run(server, body)


def numbers(server):
    """Two queues whose jobs have the same numbers."""
    async def body(queue):
        for _ in range(2 if queue.name == "alerts" else 3):
            await queue.add(queue.name, {})

    for name in ("alerts", "mail"):
        run(server, body, name)


def letters(server, prefix="bull", idents=("a", "b")):
    async def body(queue):
        for ident in idents:
            await queue.add("welcome", {}, {"jobId": ident})

    run(server, body, prefix=prefix)


def braces(server):
    """Queues whose prefixes keep each of them in one slot of a cluster."""
    for prefix, ident in (("{blue}", "a"), ("{bull}", "b"), ("{red}", "c")):
        letters(server, prefix, (ident, f"{ident}2", f"{ident}3"))


def several(server):
    """Two that failed, three that wait, and one with a time."""
    async def body(queue):
        for _ in range(2):
            await queue.add("send", {"bad": True})
        await work(server, lambda: server.redis.zcard("bull:mail:failed") == 2)
        for number in range(3, 6):
            await queue.add("send", {"order": number})
        await queue.add("later", {"order": 6}, {"delay": 3_000_000_000_000 - 1_700_000_000_000})

    run(server, body)


def ranked(server):
    """One that waits by its priority, and one that will after its time."""
    async def body(queue):
        await queue.add("urgent", {"order": 1}, {"priority": 3})
        await queue.add("later", {"order": 2}, {
            "priority": 3, "delay": 3_000_000_000_000 - 1_700_000_000_000})

    run(server, body)


async def hold(job, token):
    await asyncio.sleep(600)


def busy(server):
    """A job in the hands of a worker that was killed."""
    async def body(queue):
        await queue.add("send", {"order": 1})

    async def forever():
        Worker("mail", hold, {"connection": server.url})
        await asyncio.sleep(600)

    run(server, body)
    killed(lambda: asyncio.run(forever()), lambda: server.redis.exists("bull:mail:1:lock"))


scenarios = {
    "queued": queued, "paused": paused, "failed": failed, "flow": flow, "broken": broken,
    "attempts": attempts,
    "numbers": numbers, "letters": letters, "braces": braces, "busy": busy,
    "several": several, "ranked": ranked,
}


def sent(server):
    async def body(queue):
        await queue.add("run", {"n": 1}, {"jobId": "sent-job"})

    run(server, body)


recorded = {"send": sent}
