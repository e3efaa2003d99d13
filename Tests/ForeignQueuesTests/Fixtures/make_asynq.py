"""Asynq is a library for Go: PROGRAM is built of the folder `asynq` by `make fixtures`."""
import os
import re
import signal
import subprocess

from dump import HERE, wait

PROGRAM = os.environ.get("ASYNQ_PROGRAM", "asynq-fixtures")
version = re.search(r"hibiken/asynq v(\S+)", open(f"{HERE}/asynq/go.mod").read())[1]


def run(server, word):
    subprocess.run([PROGRAM, f"127.0.0.1:{server.port}", word], check=True)


def work(server, condition):
    """A server of Asynq, which is killed when something holds."""
    worker = subprocess.Popen([PROGRAM, f"127.0.0.1:{server.port}", "work"])
    wait(condition)
    worker.send_signal(signal.SIGKILL)
    worker.wait()


def length(server, word):
    key = f"asynq:{{mail}}:{word}"
    return server.redis.llen(key) if word == "active" else server.redis.zcard(key)


def running(server):
    run(server, "long")
    work(server, lambda: length(server, "active") and any(
        server.redis.scan_iter("asynq:workers:*")))


def states(server):
    """A queue with tasks in each state, paused by Asynq."""
    run(server, "ended")
    work(server, lambda: all(length(server, one) for one in ("retry", "archived", "completed")))
    running(server)
    run(server, "pause")
    run(server, "waiting")


def payloads(server):
    run(server, "payloads")


def workers(server):
    """A server that was killed, after another one whose sign of life has run out."""
    work(server, lambda: any(server.redis.scan_iter("asynq:servers:*")))
    wait(lambda: not any(server.redis.scan_iter("asynq:servers:*")))
    running(server)


scenarios = {"states": states, "payloads": payloads, "workers": workers}
