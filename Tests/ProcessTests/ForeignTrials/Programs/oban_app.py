import asyncio
import os
import sys

from common import note
from oban import Oban, worker
from oban.schema import install
from psycopg_pool import AsyncConnectionPool


@worker(queue="mail")
class Run:
    async def process(self, job):
        note(job.args["number"])


def pool():
    return AsyncConnectionPool(os.environ["TRIAL_URL"], open=False, min_size=1, max_size=4)


def sender():
    loop = asyncio.new_event_loop()
    connections = pool()

    async def begin():
        await connections.open()
        return Oban(pool=connections)

    oban = loop.run_until_complete(begin())

    async def send(number):
        return (await oban.enqueue(Run.new({"number": number}))).id

    return lambda number: loop.run_until_complete(send(number))


async def work():
    async with pool() as connections:
        async with Oban(pool=connections, queues={"mail": 2}):
            await asyncio.Event().wait()


async def install_tables():
    async with pool() as connections:
        await install(connections)


if __name__ == "__main__":
    asyncio.run(install_tables() if "install" in sys.argv else work())
