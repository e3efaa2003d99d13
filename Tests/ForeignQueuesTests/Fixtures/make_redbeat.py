"""celery-redbeat, a scheduler of Celery: its own entries write each scenario."""
from importlib.metadata import version as installed

from celery.schedules import crontab
from make_celery import app, send
from redbeat import RedBeatSchedulerEntry

version = installed("celery-redbeat")


def entry(own, name, schedule, score, **more):
    made = RedBeatSchedulerEntry(name, "shop.add", schedule, args=[1, 2], app=own, **more)
    made.save()
    # The moment of the next one follows from the present: a far one, so that a test can name it.
    return made.key, score


def timers(server):
    """Entries: by an interval, by a cron expression in another queue, and one that is off."""
    own = app(server.url)
    own.conf.redbeat_redis_url = server.url
    send(own, "shop.add", "t1", 1)
    send(own, "shop.add", "t2", 1, queue="reports")
    scores = [
        entry(own, "poll", 60, 4102444800, options={"queue": "mail"}),
        entry(own, "nightly", crontab(minute=0, hour=3), 4102628400, options={"queue": "reports"}),
        entry(own, "off", 3600, 4102714800, options={"queue": "mail"}, enabled=False),
    ]
    server.redis.zadd("redbeat::schedule", dict(scores))


scenarios = {"timers": timers}
