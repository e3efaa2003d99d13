import importlib.metadata
import itertools
import time

import dramatiq
from dramatiq.brokers import redis as brokers
from dramatiq.brokers.redis import RedisBroker
from dramatiq.worker import Worker
from dump import killed

version = importlib.metadata.version("dramatiq")


def app(server):
    numbers = itertools.count(1)
    brokers.uuid4 = lambda: f"m{next(numbers)}"
    broker = RedisBroker(url=server.url)
    dramatiq.set_broker(broker)

    # A message keeps its error when it is tried again, and not when its last attempt fails.
    @dramatiq.actor(queue_name="mail", max_retries=1, min_backoff=1, broker=broker)
    def send(order):
        if order < 0:
            raise ValueError("no such order")
        time.sleep(600 if order == 600 else 0)

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


def busy(server):
    """A message in the hands of a worker that was killed, and one that it keeps for its time."""
    broker, send = app(server)
    send.send(600)
    send.send_with_options(args=(4,), delay=2_000_000_000_000)
    broker.close()

    def work():
        Worker(app(server)[0], worker_threads=1).start()
        time.sleep(600)

    killed(work, lambda: server.redis.exists("dramatiq:mail", "dramatiq:mail.DQ") == 0)


scenarios = {"queued": queued, "failed": failed, "busy": busy}


def sent(server):
    broker, _ = app(server)
    brokers.uuid4 = lambda: "sent-job"
    broker.enqueue(dramatiq.Message(
        queue_name="mail", actor_name="run", args=(1,), kwargs={}, options={},
        message_id="m-sent-job"))
    broker.close()


recorded = {"send": sent}
