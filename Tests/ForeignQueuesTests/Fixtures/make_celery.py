import os
import signal
import subprocess
import sys
from datetime import datetime, timezone

import celery
from celery import Celery
from dump import HERE, wait

version = celery.__version__
FAR = datetime(2100, 1, 1, tzinfo=timezone.utc)


def app(url, options=None, results=None):
    own = Celery("shop", broker=url, backend=results)
    own.conf.broker_transport_options = options or {}
    own.conf.result_extended = bool(os.environ.get("SHOP_EXTENDED"))

    @own.task(name="shop.add")
    def add(a, b=0):
        return a + b

    @own.task(name="shop.fail")
    def fail(order):
        raise ValueError(f"no such order: {order}")

    @own.task(name="shop.again", bind=True)
    def again(self):
        raise self.retry(exc=OSError("SMTP 451"), countdown=600)

    @own.task(name="shop.sleep", acks_late=True)
    def sleep(seconds):
        import time
        time.sleep(seconds)

    return own


def send(own, name, ident, *args, queue="mail", **options):
    own.tasks[name].apply_async(args, task_id=ident, queue=queue, **options)


def queued(server):
    own = app(server.url)
    for number in range(1, 4):
        send(own, "shop.add", f"t{number}", number)


def idle(server):
    """One that a worker has drained: the bindings alone are left."""
    queued(server)
    with Worker(server):
        wait(lambda: not server.redis.exists("mail"))


def priorities(server, options=None):
    own = app(server.url, options)
    for priority in (0, 1, 2, 5, 9):
        send(own, "shop.add", f"p{priority}", priority, priority=priority)


def ten(server):
    priorities(server, {"priority_steps": list(range(10)), "queue_order_strategy": "priority"})


def separated(server):
    priorities(server, {"sep": ":"})


def prefixed(server):
    priorities(server, {"global_keyprefix": "shop_"})


def exchanges(server):
    """A direct exchange of another name than its queues, and a topic."""
    from kombu import Exchange, Queue
    own = app(server.url)
    own.conf.task_queues = [
        Queue("mail", Exchange("orders"), routing_key="order.mail"),
        Queue("audit", Exchange("news", type="topic"), routing_key="news.#"),
    ]
    send(own, "shop.add", "t1", 1, queue="mail")
    send(own, "shop.add", "t2", 2, queue="audit")


class Worker:
    """A worker of its own program, which is killed in the end."""

    def __init__(self, server, results="", **more):
        places = {"SHOP_URL": server.url, "SHOP_RESULTS": results, "PYTHONPATH": HERE}
        self.process = subprocess.Popen(
            [sys.executable, "-m", "celery", "-A", "make_celery:worker_app", "worker",
             "-Q", "mail", "-P", "solo",
             "-n", "w1@h", "-l", "ERROR"],
            env={**os.environ, **places, **more}, start_new_session=True)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        os.killpg(self.process.pid, signal.SIGKILL)
        self.process.wait()


def worker_app():
    return app(os.environ["SHOP_URL"], None, os.environ["SHOP_RESULTS"] or None)


if os.environ.get("SHOP_URL"):
    worker_app = worker_app()


def taken(server):
    """A task with acks_late whose worker was killed, and one that it kept for its time."""
    own = app(server.url)
    send(own, "shop.add", "later", 7, eta=FAR)
    with Worker(server):
        wait(lambda: server.redis.hlen("unacked") == 1)
        send(own, "shop.sleep", "late", 600)
        wait(lambda: server.redis.hlen("unacked") == 2)


def results(server, **more):
    own = app(server.url, results=server.url)
    send(own, "shop.fail", "bad", 17)
    send(own, "shop.add", "good", 1)
    with Worker(server, results=server.url, **more):
        wait(lambda: server.redis.exists("celery-task-meta-bad", "celery-task-meta-good") == 2)
        wait(lambda: not server.redis.exists("unacked"))


def extended(server):
    results(server, SHOP_EXTENDED="1")


def retried(server):
    """One that a worker has tried, and keeps for its next time."""
    own = app(server.url, results=server.url)
    send(own, "shop.again", "t1")
    with Worker(server, results=server.url):
        wait(lambda: b"RETRY" in (server.redis.get("celery-task-meta-t1") or b""))
        wait(lambda: server.redis.hlen("unacked") == 1)


def timed(server):
    """One for later, before a worker has seen it."""
    send(app(server.url), "shop.add", "later", 7, eta=FAR)


def counted(server):
    """One that was tried once."""
    own = app(server.url)
    own.send_task("run", [10], task_id="abc", queue="mail", priority=3, retries=1)


def packed(server):
    """Bodies that are no plain JSON."""
    own = app(server.url)
    kinds = {"msgpack": {"serializer": "msgpack"}, "gzip": {"compression": "gzip"},
             "yaml": {"serializer": "yaml"}}
    for ident, options in kinds.items():
        send(own, "shop.add", ident, 7, **options)


scenarios = {
    "queued": queued, "idle": idle, "priorities": priorities, "ten": ten, "separated": separated,
    "prefixed": prefixed, "exchanges": exchanges, "taken": taken, "results": results,
    "extended": extended, "retried": retried, "timed": timed, "counted": counted,
    "packed": packed,
}


def sent(server):
    send(app(server.url), "shop.add", "sent-job", 1)


def emptied(server):
    """A queue that is known, and has no message."""
    own = app(server.url)
    send(own, "shop.add", "first", 1)
    with own.connection_for_write() as connection:
        connection.default_channel.queue_purge("mail")


recorded = {"send": sent, "emptied": emptied}
