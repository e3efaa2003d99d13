import asyncio
import os

from arq import create_pool
from arq.connections import RedisSettings
from common import note

settings = RedisSettings.from_dsn(os.environ["TRIAL_URL"])


async def run(ctx, number):
    note(number)


class WorkerSettings:
    functions = [run]
    queue_name = "mail"
    redis_settings = settings


def sender():
    loop = asyncio.new_event_loop()
    pool = loop.run_until_complete(create_pool(settings, default_queue_name="mail"))
    return lambda number: loop.run_until_complete(pool.enqueue_job("run", number)).job_id
