import asyncio
import json
import os
import sys

import psycopg
from common import note
from pgqueuer import PgQueuer
from pgqueuer.db import PsycopgDriver
from pgqueuer.queries import Queries


async def connect():
    return PsycopgDriver(
        await psycopg.AsyncConnection.connect(os.environ["TRIAL_URL"], autocommit=True)
    )


def sender():
    loop = asyncio.new_event_loop()
    queries = Queries(loop.run_until_complete(connect()))

    async def send(number):
        ids = await queries.enqueue(["mail"], [json.dumps({"number": number}).encode()], [0])
        return ids[0]

    return lambda number: loop.run_until_complete(send(number))


async def work():
    pgq = PgQueuer(await connect())

    @pgq.entrypoint("mail")
    async def run(job):
        note(json.loads(job.payload)["number"])

    await pgq.run(batch_size=2)


async def install():
    await Queries(await connect()).install()


if __name__ == "__main__":
    asyncio.run(install() if "install" in sys.argv else work())
