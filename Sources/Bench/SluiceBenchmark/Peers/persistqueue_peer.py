"""persist-queue on SQLite, with acknowledgement."""

from peer import PAYLOAD, main, without


class Queue:
    def __init__(self, folder):
        import persistqueue
        self.queue = persistqueue.SQLiteAckQueue(folder, auto_commit=True)

    def add(self, count):
        for _ in range(count):
            self.queue.put(PAYLOAD)

    # It has no call for many.
    add_many = add

    def drain(self, count):
        for _ in range(count):
            self.queue.ack(self.queue.get())

    def left(self):
        return self.queue.size

    def close(self):
        self.queue.close()


main(without("persistqueue", "pip install persist-queue"), Queue)
