import asyncio
import importlib.metadata
from datetime import datetime, timezone

from arq import Worker, create_pool
from arq.connections import RedisSettings

version = importlib.metadata.version("arq")
FAR = datetime(2100, 1, 1, tzinfo=timezone.utc)


def run(server, body):
    async def all():
        settings = RedisSettings(port=server.port)
        pool = await create_pool(settings, default_queue_name="mail")
        await body(pool, settings)
        await pool.aclose()

    asyncio.run(all())


async def send(ctx, order):
    if order < 0:
        raise ValueError("no such order")


def queued(server):
    async def body(pool, settings):
        for number in range(1, 4):
            await pool.enqueue_job("send", number, _job_id=f"j{number}")
        await pool.enqueue_job("send", 4, _job_id="later", _defer_until=FAR)

    run(server, body)


def failed(server):
    async def body(pool, settings):
        await pool.enqueue_job("send", -1, _job_id="bad")
        await pool.enqueue_job("send", 1, _job_id="good")
        worker = Worker([send], redis_settings=settings, queue_name="mail", burst=True)
        await worker.main()
        await worker.close()

    run(server, body)


scenarios = {"queued": queued, "failed": failed}
