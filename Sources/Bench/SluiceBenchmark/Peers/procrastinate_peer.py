"""procrastinate on PostgreSQL, synchronous_commit on."""

import logging

import postgres
from peer import PAYLOAD, SLOTS, main, without


def missing():
    return postgres.missing() or without(
        "procrastinate", "pip install 'procrastinate' 'psycopg[binary,pool]'")()


class Queue:
    def __init__(self, folder):
        import procrastinate
        logging.disable(logging.CRITICAL)
        self.server = postgres.Server()
        self.procrastinate = procrastinate
        self.app = procrastinate.App(
            connector=procrastinate.SyncPsycopgConnector(conninfo=self.server.conninfo))

        @self.app.task(name="noop")
        def noop(payload):
            return None

        self.noop = noop
        self.app.open()
        self.app.schema_manager.apply_schema()

    def add(self, count):
        for _ in range(count):
            self.noop.defer(payload=PAYLOAD)

    def add_many(self, count):
        self.noop.batch_defer(*({"payload": PAYLOAD} for _ in range(count)))

    def drain(self, count):
        import asyncio

        async def work():
            worker = self.app.with_connector(
                self.procrastinate.PsycopgConnector(conninfo=self.server.conninfo))
            async with worker.open_async():
                await worker.run_worker_async(wait=False, concurrency=SLOTS,
                                              install_signal_handlers=False)

        asyncio.run(work())

    def left(self):
        rows = self.app.connector.execute_query_one(
            "SELECT count(*) AS n FROM procrastinate_jobs WHERE status IN ('todo', 'doing')")
        return rows["n"]

    def close(self):
        self.app.close()
        self.server.stop()


main(missing, Queue)
