"""pgqueuer on PostgreSQL, synchronous_commit on."""

import asyncio

import postgres
from peer import PAYLOAD, SLOTS, main, without


def missing():
    return postgres.missing() or without("pgqueuer", "pip install pgqueuer asyncpg")()


class Queue:
    def __init__(self, folder):
        self.server = postgres.Server()
        asyncio.run(self.with_queries(lambda queries: queries.install()))

    async def with_queries(self, use):
        from pgqueuer.queries import Queries
        connection = await self.connect()
        try:
            return await use(Queries.from_asyncpg_connection(connection))
        finally:
            await connection.close()

    async def connect(self):
        import asyncpg
        server = self.server
        return await asyncpg.connect(host=server.host, user=server.user, database=server.database)

    def add(self, count):
        async def each(queries):
            for _ in range(count):
                await queries.enqueue(["noop"], [PAYLOAD.encode()], [0])
        asyncio.run(self.with_queries(each))

    def add_many(self, count):
        asyncio.run(self.with_queries(lambda queries: queries.enqueue(
            ["noop"] * count, [PAYLOAD.encode()] * count, [0] * count)))

    def drain(self, count):
        from pgqueuer import PgQueuer
        from pgqueuer.types import QueueExecutionMode

        async def work():
            connection = await self.connect()
            worker = PgQueuer.from_asyncpg_connection(connection)

            @worker.entrypoint("noop")
            async def noop(job):
                return None

            await worker.run(
                mode=QueueExecutionMode.drain, batch_size=SLOTS, max_concurrent_tasks=2 * SLOTS)

        asyncio.run(work())

    def left(self):
        async def size(queries):
            return sum(entry.count for entry in await queries.queue_size())
        return asyncio.run(self.with_queries(size))

    def close(self):
        self.server.stop()


main(missing, Queue)
