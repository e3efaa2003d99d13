import asyncio
import importlib.metadata
from datetime import datetime, timedelta, timezone

from arq import Retry, Worker, create_pool
from arq.connections import RedisSettings
from arq.jobs import Job
from dump import killed, wait

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


async def hold(ctx):
    await asyncio.sleep(600)


async def later(ctx):
    raise Retry(defer=timedelta(days=20_000))


def work(server, condition):
    """A worker that was killed: one that ends itself takes back what it said of itself."""
    async def body(pool, settings):
        await Worker([send, hold, later], redis_settings=settings, queue_name="mail").main()

    killed(lambda: run(server, body), condition)


def idle(server):
    work(server, lambda: server.redis.exists("mail:health-check"))


def busy(server):
    run(server, lambda pool, settings: pool.enqueue_job("hold", _job_id="long"))
    work(server, lambda: server.redis.exists("arq:in-progress:long"))


def retrying(server):
    run(server, lambda pool, settings: pool.enqueue_job("later", _job_id="again"))
    work(server, lambda: (server.redis.zscore("mail", "again") or 0) > 3e12)


def named(server):
    """A queue that no worker has served yet; the payload of one job has expired."""
    async def body(pool, settings):
        await pool.enqueue_job(
            "send", 1, _job_id="gone", _queue_name="night mail", _expires=timedelta(seconds=1))
        for ident in "ab":
            await pool.enqueue_job("send", 1, _job_id=ident, _queue_name="night mail")

    run(server, body)
    wait(lambda: not server.redis.exists("arq:job:gone"))


def aborted(server):
    """A job that is not there, and that some process asked to abort."""
    async def body(pool, settings):
        try:
            await Job("a", pool, _queue_name="mail").abort(timeout=0.1)
        except asyncio.TimeoutError:
            pass

    run(server, body)


scenarios = {
    "queued": queued, "failed": failed, "idle": idle, "busy": busy, "retrying": retrying,
    "named": named, "aborted": aborted,
}


def sent(server):
    """Its time is 1700000000000."""
    due = datetime.fromtimestamp(1_700_000_000, timezone.utc)
    run(server, lambda pool, settings: pool.enqueue_job(
        "run", 1, _job_id="sent-job", _defer_until=due, _expires=timedelta(days=1)))


recorded = {"send": sent}
