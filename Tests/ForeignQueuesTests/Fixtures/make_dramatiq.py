import importlib.metadata
import time

import dramatiq
from dramatiq.brokers.redis import RedisBroker
from dramatiq.worker import Worker

version = importlib.metadata.version("dramatiq")


def app(server):
    broker = RedisBroker(url=server.url)
    dramatiq.set_broker(broker)

    # A message keeps its error when it is tried again, and not when its last attempt fails.
    @dramatiq.actor(queue_name="mail", max_retries=1, min_backoff=1, broker=broker)
    def send(order):
        if order < 0:
            raise ValueError("no such order")

    return broker, send


def queued(server):
    broker, send = app(server)
    for number in range(1, 4):
        send.send(number)
    send.send_with_options(args=(4,), delay=2_000_000_000_000)
    broker.close()


def failed(server):
    """The dead letter queue has the one that failed."""
    broker, send = app(server)
    send.send(-1)
    send.send(1)
    worker = Worker(broker, worker_threads=1)
    worker.start()
    while not broker.client.zcard("dramatiq:mail.XQ"):
        time.sleep(0.05)
    worker.join()
    worker.stop()
    broker.close()


scenarios = {"queued": queued, "failed": failed}
