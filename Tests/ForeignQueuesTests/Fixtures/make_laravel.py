import json
import os
import subprocess

from dump import HERE, killed

PROGRAM = os.path.join(HERE, "make_laravel.php")
PREFIX, HORIZON = "shop_database_", "shop_horizon:"
LIST = PREFIX + "queues:mail"
ASKED = ["dpkg-query", "-W", "-f", "${Version}", "php-illuminate-queue"]
version = subprocess.run(ASKED, capture_output=True, text=True).stdout.split("+")[0]


def run(server, scenario):
    subprocess.run(["php", PROGRAM, str(server.port), scenario], check=True)


def plain(scenario):
    return lambda server: run(server, scenario)


def busy(server):
    """A worker that dies in the middle of a job."""
    killed(lambda: run(server, "busy"), lambda: server.redis.zcard(LIST + ":reserved") == 1)


def horizon(server):
    """What Horizon writes of a job that failed and of one that ended well, and of a supervisor.

    Horizon is not in Debian: these are the statements of its RedisJobRepository and
    RedisSupervisorRepository.
    """
    run(server, "queued")
    redis = server.redis
    for number, status in ((1, "failed"), (2, "completed")):
        payload = json.loads(redis.lpop(LIST))
        redis.lpop(LIST + ":notify")
        payload.update(attempts=1, pushedAt="1767225600.5", type="job", tags=[])
        ended = {"failed": {"failed_at": "1767225602.25", "exception":
                            "RuntimeException: no such order: 1 in /app/Ship.php:9\nStack trace:\n#0"},
                 "completed": {"completed_at": "1767225603.75"}}[status]
        redis.hset(HORIZON + payload["uuid"], mapping={
            "id": payload["uuid"], "connection": "redis", "queue": "mail", "name": "Ship",
            "status": status, "payload": json.dumps(payload), "reserved_at": "1767225601.5", **ended})
        redis.zadd(f"{HORIZON}recent_jobs", {payload["uuid"]: -1767225600.5})
        redis.zadd(f"{HORIZON}{status}_jobs", {payload["uuid"]: -1767225602.25})
    redis.zadd(f"{HORIZON}recent_failed_jobs", {"job-1": -1767225602.25})
    name = "web1-Xc4d:supervisor-1"
    redis.zadd(f"{HORIZON}supervisors", {name: 1767225610})
    redis.hset(f"{HORIZON}supervisor:{name}", mapping={
        "name": name, "master": "web1-Xc4d", "pid": "77", "status": "running",
        "processes": json.dumps({"redis:mail,bulk": 3}),
        "options": json.dumps({"queue": "mail,bulk", "connection": "redis", "timeout": 60})})


def paused(server):
    """`php artisan queue:pause redis:mail`, with the cache in the same database."""
    run(server, "queued")
    server.redis.set(PREFIX + "shop_cache_:illuminate:queue:paused:redis:mail", "b:1;")


def all_paused(server):
    """`php artisan queue:pause --all`: `pauseAll` of the QueueManager of Laravel 13.26.1.

    No package of Debian has it: this is the key of its source, with the value of the other pause.
    """
    run(server, "queued")
    server.redis.set(PREFIX + "shop_cache_:illuminate:queues:paused", "b:1;")


scenarios = {name: plain(name) for name in ("queued", "delayed", "retrying")}
scenarios |= {"busy": busy, "horizon": horizon, "paused": paused,
              "allPaused": all_paused}
recorded = {"send": plain("send")}
