"""rq-scheduler, the add-on of RQ: its own classes write each scenario."""
import operator
from datetime import datetime
from importlib.metadata import version as installed

from rq import Queue
from rq_scheduler import Scheduler

version = installed("rq-scheduler")
FAR = datetime(2100, 1, 1)


def scheduler(server):
    return Scheduler("etl", connection=server.redis)


def timers(server):
    """A job of one moment, one that repeats, and one of another queue by a cron expression."""
    own = scheduler(server)
    own.enqueue_at(FAR, operator.add, 1, 1, job_id="once")
    own.schedule(datetime(2100, 1, 2), operator.add, args=[1, 2], interval=60, repeat=5, id="poll")
    own.cron("0 3 * * *", operator.add, args=[1, 3], id="nightly", queue_name="reports")
    server.redis.zadd(Scheduler.scheduled_jobs_key, {"nightly": 4102628400})


def mixed(server):
    """The same, and a job that waits in a queue."""
    Queue("etl", connection=server.redis).enqueue(operator.add, 1, 1, job_id="next")
    timers(server)


scenarios = {"timers": timers, "mixed": mixed}
