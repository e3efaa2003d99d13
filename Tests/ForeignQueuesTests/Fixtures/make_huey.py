import os
import sys
from datetime import datetime, timedelta

import huey
from dump import HERE
from huey import PriorityRedisHuey, RedisHuey, SqliteHuey

version = huey.__version__
FAR = datetime(2100, 1, 1)


def app(kind, server, **more):
    own = kind("ship", url=server.url, **more)

    @own.task(name="ship")
    def ship(order):
        return order

    own.ship = ship
    return own


def fill(own):
    """One that is due, one for later, one that is revoked, one that a consumer has put aside."""
    own.enqueue(named(own, 1, "due"))
    own.enqueue(named(own, 2, "later", eta=FAR))
    own.enqueue(named(own, 3, "revoked"))
    own.revoke_by_id("revoked")
    own.enqueue(named(own, 4, "until"))
    own.revoke_by_id("until", revoke_until=FAR)
    own.add_schedule(named(own, 5, "scheduled", eta=FAR + timedelta(days=1)))


def named(own, order, ident, **more):
    return own.ship.task_class((order,), {}, id=ident, **more)


def plain(server):
    fill(app(RedisHuey, server))


def expire(server):
    fill(app(huey.RedisExpireHuey, server))


def priority(server):
    fill(app(PriorityRedisHuey, server))


def postponed(server):
    """The two tasks of `fill` with a time, as huey schedules them for another one."""
    own = app(RedisHuey, server)
    other = datetime(2050, 1, 1, 12, 34, 56, 789000)
    own.add_schedule(named(own, 2, "later", eta=other))
    own.add_schedule(named(own, 5, "scheduled", eta=other))


def local(server):
    """An app whose times are those of its machine."""
    fill(app(RedisHuey, server, utc=False))


def failing(own):
    @own.task(name="fail")
    def fail(order):
        raise ValueError(f"no such order: {order}")

    return fail.task_class


def fill_ended(own):
    """What a consumer leaves of one that failed and one that ended well."""
    own.enqueue(failing(own)((1,), {}, id="bad"))
    own.enqueue(named(own, 2, "good"))
    for _ in range(2):
        own.execute(own.dequeue())


def ended(server):
    fill_ended(app(RedisHuey, server))


def retried(server):
    """One that has failed, and comes again."""
    own = app(RedisHuey, server)
    own.enqueue(failing(own)((1,), {}, id="again", retries=1, retry_delay=2_000_000_000))
    own.execute(own.dequeue())


def every(server):
    """A task whose every execution is revoked."""
    own = app(RedisHuey, server)
    own.enqueue(named(own, 1, "one"))
    own.ship.revoke()


def message(server):
    own = app(RedisHuey, server)

    @own.task(name="run", retries=2)
    def run(*args, **kwargs):
        pass

    own.enqueue(run.task_class((7, "a"), {"k": [1]}, id="id-1"))


def fill_three(own):
    for number in (1, 2, 3):
        own.enqueue(named(own, number, f"id-{number}"))


def three(server):
    fill_three(app(RedisHuey, server))


def write_file(name, fill):
    """The file of a SqliteHuey as statements."""
    path = os.path.join(HERE, "huey.db")
    own = SqliteHuey("ship", filename=path)

    @own.task(name="ship")
    def ship(order):
        return order

    own.ship = ship
    fill(own)
    lines = list(own.storage.conn.iterdump())
    own.storage.close()
    for left in os.listdir(HERE):
        if left.startswith("huey.db"):
            os.remove(os.path.join(HERE, left))
    with open(os.path.join(HERE, name), "w") as file:
        file.write(f"-- huey {version}, SqliteHuey, by make.py\n" + "\n".join(lines) + "\n")


if "--old" not in sys.argv:
    write_file("huey-sqlite.sql", fill)
    write_file("huey-sqlite-three.sql", fill_three)
    write_file("huey-sqlite-ended.sql", fill_ended)
scenarios = {
    "plain": plain, "expire": expire, "priority": priority, "local": local, "ended": ended,
    "every": every, "message": message, "three": three, "postponed": postponed,
    "retried": retried,
}
