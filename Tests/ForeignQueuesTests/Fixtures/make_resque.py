"""RUBYLIB has the folder `lib` of Resque's sources where its gem is not installed."""
import os
import signal
import subprocess

from dump import HERE, wait

WORDS = ["ruby", os.path.join(HERE, "make_resque.rb")]
version = subprocess.run([*WORDS, "1", "version"], capture_output=True, text=True).stdout


def run(server, word):
    subprocess.run([*WORDS, str(server.port), word], check=True)


def work(server, condition):
    """A worker, which is killed when something holds."""
    worker = subprocess.Popen([*WORDS, str(server.port), "work"])
    wait(condition)
    worker.send_signal(signal.SIGKILL)
    worker.wait()


def queued(server):
    run(server, "queued")


def failed(server):
    run(server, "failed")
    work(server, lambda: server.redis.llen("resque:failed") == 1)


def busy(server):
    run(server, "long")
    work(server, lambda: server.redis.llen("resque:queue:mail") == 1
         and any(server.redis.scan_iter("resque:worker:*:mail")))


scenarios = {"queued": queued, "failed": failed, "busy": busy}


def send(server):
    run(server, "send")


def fail(server):
    failed(server)


recorded = {"send": send, "fail": fail}
