"""huey on SQLite, with fsync."""

from peer import PAYLOAD, main, without


class Queue:
    def __init__(self, folder):
        from huey import SqliteHuey
        self.huey = SqliteHuey(filename=folder + "/huey.db", fsync=True, results=False)

        @self.huey.task()
        def noop(payload):
            return None

        self.noop = noop

    def add(self, count):
        for _ in range(count):
            self.noop(PAYLOAD)

    # It has no call for many.
    add_many = add

    def drain(self, count):
        for _ in range(count):
            self.huey.execute(self.huey.dequeue())

    def left(self):
        return self.huey.pending_count()

    def close(self):
        self.huey.storage.close()


main(without("huey", "pip install huey"), Queue)
