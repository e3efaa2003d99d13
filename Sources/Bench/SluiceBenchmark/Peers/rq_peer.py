"""rq on a Redis server of its own, which writes each command to the disk before it answers."""

import shutil
import subprocess
import sys
import time

from peer import PAYLOAD, main, without


def noop(payload):
    return None


def missing():
    if not shutil.which("redis-server"):
        return "not installed: apt-get install redis-server"
    return without("rq", "pip install rq")()


class Queue:
    def __init__(self, folder):
        import redis
        import rq
        socket = folder + "/redis.sock"
        self.server = subprocess.Popen(
            ["redis-server", "--port", "0", "--unixsocket", socket, "--dir", folder,
             "--appendonly", "yes", "--appendfsync", "always", "--save", ""],
            stdout=subprocess.DEVNULL)
        self.redis = redis.Redis(unix_socket_path=socket)
        for _ in range(200):
            try:
                self.redis.ping()
                break
            except redis.ConnectionError:
                time.sleep(0.02)
        self.rq = rq
        self.queue = rq.Queue("q", connection=self.redis)

    def add(self, count):
        for _ in range(count):
            self.queue.enqueue("rq_peer.noop", PAYLOAD, result_ttl=0)

    def add_many(self, count):
        data = [rq_data(self.rq) for _ in range(count)]
        self.queue.enqueue_many(data)

    def drain(self, count):
        worker = self.rq.SimpleWorker([self.queue], connection=self.redis)
        worker.work(burst=True, logging_level="ERROR")

    def left(self):
        return self.queue.count

    def close(self):
        self.redis.close()
        self.server.terminate()
        self.server.wait()


def rq_data(rq):
    return rq.Queue.prepare_data("rq_peer.noop", args=(PAYLOAD,), result_ttl=0)


if __name__ == "__main__":
    sys.modules["rq_peer"] = sys.modules["__main__"]
    main(missing, Queue)
