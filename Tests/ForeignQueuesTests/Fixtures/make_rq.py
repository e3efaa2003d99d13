import operator
import os
import signal
import subprocess
import sys
import time
import types
from datetime import datetime, timezone

import rq
from dump import mark, wait
from rq import Queue, Retry, SimpleWorker
from rq.suspension import suspend

version = rq.VERSION
FAR = datetime(2100, 1, 1, tzinfo=timezone.utc)


def queue(server, name="etl"):
    return Queue(name, connection=server.redis)


def queued(server):
    for number in range(1, 4):
        queue(server).enqueue(operator.add, number, 1, job_id=f"job{number}")


def described(server):
    """A job with words of its own."""
    etl = queue(server)
    etl.enqueue(operator.add, 1, 1, job_id="worded", description="the first of March (late)")


def deferred(server):
    etl = queue(server)
    etl.enqueue(operator.truediv, 1, 0, job_id="extract")
    SimpleWorker([etl], connection=server.redis).work(burst=True)
    etl.enqueue(operator.add, 1, 1, job_id="other")
    etl.enqueue(operator.add, 1, 2, job_id="load", depends_on="extract")
    etl.enqueue(operator.add, 1, 3, job_id="both", depends_on=["extract", "other"])


def intermediate(server):
    etl = queue(server)
    etl.enqueue(operator.add, 1, 1, job_id="lost")
    etl.enqueue(operator.add, 1, 2, job_id="next")
    # As a worker does that is killed before it begins what it took.
    assert Queue.lmove(server.redis, etl.key, None)[1] == b"lost"


def waited(server):
    """The same, after another worker has seen it once."""
    intermediate(server)
    etl = queue(server)
    etl.intermediate_queue.cleanup(SimpleWorker([etl], connection=server.redis), etl)


def scheduled(server):
    queue(server).enqueue_at(FAR, operator.add, 1, 1, job_id="later")


def failed(server):
    etl = queue(server)
    etl.enqueue(operator.truediv, 1, 0, job_id="again", retry=Retry(max=2, interval=3600))
    etl.enqueue(operator.truediv, 2, 0, job_id="bad")
    etl.enqueue(operator.add, 1, 1, job_id="good")
    SimpleWorker([etl], connection=server.redis).work(burst=True)


def busy(server):
    queue(server).enqueue(time.sleep, 600, job_id="long")
    queue(server).enqueue(operator.add, 1, 1, job_id="next")
    work(server, "etl", lambda: server.redis.hget("rq:job:long", "status") == b"started")


def suspended(server):
    busy(server)
    suspend(server.redis)


def elsewhere(server):
    """A job, and a worker of another queue."""
    queue(server).enqueue(operator.add, 1, 1, job_id="next")
    work(server, "other", lambda: server.redis.hget("rq:worker:w1", "state") == b"idle")


def canceled(server):
    queue(server).enqueue(operator.add, 1, 1, job_id="dropped").cancel()


def work(server, name, condition):
    """A worker of its own program, which is killed when something holds."""
    words = [sys.executable, "-m", "rq.cli", "worker", name, "--url", server.url]
    worker = subprocess.Popen(words + ["--name", "w1"], start_new_session=True)
    wait(condition)
    time.sleep(1)
    # The horse, which runs the job, first: the worker would fork another one.
    children = f"/proc/{worker.pid}/task/{worker.pid}/children"
    horses = [int(number) for number in open(children).read().split()]
    for number in [worker.pid, *horses]:
        os.kill(number, signal.SIGKILL)
    worker.wait()


scenarios = {
    "queued": queued, "deferred": deferred, "intermediate": intermediate, "waited": waited,
    "scheduled": scheduled, "failed": failed, "busy": busy, "suspended": suspended,
    "elsewhere": elsewhere, "canceled": canceled, "described": described,
}


def send(server):
    """A job comes, a worker takes it, and it fails."""
    def run(*args, **kwargs):
        mark(server.redis, "fail")
        raise RuntimeError("boom")

    sys.modules["tasks"] = types.ModuleType("tasks")
    sys.modules["tasks"].run = run
    mail = queue(server, "mail")
    arguments = {"args": (1, "é", 2.5, [True, None]), "kwargs": {"a": {"b": -3}}}
    mail.enqueue("tasks.run", job_id="sent-job", **arguments)
    worker = SimpleWorker([mail], name="w1", connection=server.redis)
    mark(server.redis, "begin")
    worker.work(burst=True, max_jobs=1)


def emptied(server):
    """A queue that is known, and has no job."""
    queue(server, "mail").enqueue(operator.add, 1, 1, job_id="first").delete()


recorded = {"send": send, "emptied": emptied}
