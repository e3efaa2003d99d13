import asyncio
import importlib.metadata

from dump import killed
from taskiq.receiver import Receiver
from taskiq_redis import ListQueueBroker, RedisAsyncResultBackend, RedisStreamBroker

version = (f"{importlib.metadata.version('taskiq')}, "
           f"taskiq-redis {importlib.metadata.version('taskiq-redis')}")


class App:
    """A broker with one task, in its queue `mail`."""

    def __init__(self, kind, server):
        self.broker = kind(server.url, queue_name="mail").with_result_backend(
            RedisAsyncResultBackend(server.url))

        @self.broker.task(task_name="shop:ship")
        async def ship(order, note=""):
            if order < 0:
                raise ValueError(f"no such order: {order}")
            if order >= 600:
                await asyncio.sleep(600)
            return order

        self.ship = ship

    async def send(self, *numbers, names=None):
        await self.broker.startup()
        for number, name in zip(numbers, names or [f"t{n}" for n in numbers]):
            await self.ship.kicker().with_task_id(name).kiq(number, note="now")
        await self.broker.shutdown()

    async def work(self, count):
        """The receiver of a worker, until so many have ended."""
        self.broker.is_worker_process = True
        await self.broker.startup()
        receiver = Receiver(self.broker, max_async_tasks=1)
        listener = self.broker.listen()
        for _ in range(count):
            await receiver.callback(await anext(listener), raise_err=False)
        await listener.aclose()
        await self.broker.shutdown()


def scenarios_of(kind):
    def queued(server):
        asyncio.run(App(kind, server).send(1, 2, 3))

    def ended(server):
        """What a worker leaves of one that failed and of one that ended well."""
        asyncio.run(App(kind, server).send(-1, 2, names=["bad", "good"]))
        asyncio.run(App(kind, server).work(2))

    def taken(server):
        """A worker that dies in the middle of a task, with another one fetched."""
        asyncio.run(App(kind, server).send(600, 2, names=["long", "fetched"]))
        killed(lambda: asyncio.run(App(kind, server).work(2)),
               lambda: server.redis.xpending("mail", "taskiq")["pending"] == 2)
        asyncio.run(App(kind, server).send(3, names=["next"]))

    def sent(server):
        asyncio.run(App(kind, server).send(7, names=["sent-job"]))

    return {"queued": queued, "ended": ended, "taken": taken}, {"send": sent}


scenarios, recorded = scenarios_of(ListQueueBroker)
# A list keeps nothing of a task that a worker has.
del scenarios["taken"]
