"""litequeue on SQLite, with synchronous = FULL."""

from peer import PAYLOAD, main, without


class Queue:
    def __init__(self, folder):
        from litequeue import LiteQueue
        self.queue = LiteQueue(folder + "/lite.db")
        self.queue.conn.execute("PRAGMA synchronous = FULL")

    def add(self, count):
        for _ in range(count):
            self.queue.put(PAYLOAD)

    def add_many(self, count):
        with self.queue.transaction(mode="IMMEDIATE"):
            self.add(count)

    def drain(self, count):
        for _ in range(count):
            self.queue.done(self.queue.pop().message_id)

    def left(self):
        return self.queue.qsize()

    def close(self):
        self.queue.conn.close()


main(without("litequeue", "pip install litequeue"), Queue)
