import os
import signal
import subprocess

from dump import HERE, wait

PROGRAM = os.path.join(HERE, "make_sidekiq.rb")
ASKED = 'require "sidekiq"; print Sidekiq::VERSION'
version = subprocess.run(["ruby", "-e", ASKED], capture_output=True, text=True).stdout


def push(server, scenario):
    subprocess.run(["ruby", PROGRAM, server.url, scenario], check=True)


def work(server, condition):
    worker = subprocess.Popen(
        ["sidekiq", "-r", PROGRAM, "-q", "mail", "-c", "1"],
        env={**os.environ, "SHOP_URL": server.url})
    wait(condition)
    worker.send_signal(signal.SIGKILL)
    worker.wait()


def client(server):
    push(server, "client")


def scheduled(server):
    push(server, "scheduled")


def worked(server):
    push(server, "worked")
    work(server, lambda: server.redis.exists("queue:mail") == 0
         and server.redis.zcard("retry") == 1 and server.redis.zcard("dead") == 1)


def busy(server):
    push(server, "busy")
    work(server, lambda: any(
        server.redis.exists(b"%s:%s" % (name, word))
        for name in server.redis.smembers("processes") for word in (b"workers", b"work")))


def wrapped(server):
    """A job of Active Job that failed twice."""
    push(server, "wrapped")
    for count in (0, 1):
        push(server, "retry now")
        work(server, lambda: any(
            b'"retry_count":%d' % count in job for job in server.redis.zrange("retry", 0, -1)))


def two(server):
    """A process that is idle, and one that works."""
    work(server, lambda: server.redis.scard("processes") == 1)
    push(server, "busy")
    work(server, lambda: any(server.redis.scan_iter("*:workers")))


scenarios = {
    "two": two, "client": client, "scheduled": scheduled, "worked": worked, "busy": busy, "wrapped": wrapped,
}


def sent(server):
    push(server, "sent")


recorded = {"send": sent}
