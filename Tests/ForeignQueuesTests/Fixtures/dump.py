"""A Redis server of its own for one scenario, and what a library wrote there, as commands."""
import ast
import base64
import itertools
import json
import os
import re
import signal
import socket
import subprocess
import sys
import tempfile
import time

import redis

HERE = os.path.dirname(os.path.abspath(__file__))
# Stack traces name folders of the machine that made them.
PLACES = {
    HERE: "/app/fixtures", sys.prefix + "/lib": "/app/venv/lib",
    sys.base_prefix + "/lib": "/usr/lib",
}


class Server:
    """A server on a port of its own, without anything written to disk."""

    # Libraries keep what they know of a server by its address.
    ports = itertools.count(20000 + os.getpid() % 20000)

    def __enter__(self):
        self.folder = tempfile.TemporaryDirectory()
        self.port = next(self.ports)
        self.url = f"redis://127.0.0.1:{self.port}/0"
        words = ["redis-server", "--port", str(self.port), "--save", "", "--dir", self.folder.name]
        self.process = subprocess.Popen(words, stdout=subprocess.DEVNULL)
        self.redis = redis.Redis(port=self.port)
        for _ in range(200):
            try:
                self.redis.ping()
                return self
            except redis.ConnectionError:
                time.sleep(0.05)
        raise SystemExit("the server did not start")

    def __exit__(self, *_):
        self.redis.close()
        self.process.terminate()
        self.process.wait()
        self.folder.cleanup()


def word(value):
    """A text as JSON, or bytes in base64 where they are no UTF-8."""
    if not isinstance(value, bytes):
        return value if isinstance(value, str) else repr(value)
    try:
        return value.decode()
    except UnicodeDecodeError:
        return {"base64": base64.b64encode(value).decode()}


def flat(pairs):
    return [part for pair in pairs for part in pair]


def commands(client):
    """What makes the same content, key by key; times to live are left out."""
    for key in sorted(client.scan_iter(count=1000)):
        kind = client.type(key).decode()
        if kind == "string":
            yield ["SET", key, client.get(key)]
        elif kind == "hash":
            yield ["HSET", key, *flat(sorted(client.hgetall(key).items()))]
        elif kind == "list":
            yield ["RPUSH", key, *client.lrange(key, 0, -1)]
        elif kind == "set":
            yield ["SADD", key, *sorted(client.smembers(key))]
        elif kind == "zset":
            members = client.zrange(key, 0, -1, withscores=True)
            yield ["ZADD", key, *flat((repr(score), member) for member, score in members)]
        elif kind == "stream":
            for name, fields in client.xrange(key):
                yield ["XADD", key, name, *flat(fields.items())]
            for group in client.xinfo_groups(key):
                yield ["XGROUP", "CREATE", key, group["name"], group["last-delivered-id"]]
                for one in client.xpending_range(key, group["name"], "-", "+", 1000):
                    yield ["XCLAIM", key, group["name"], one["consumer"], "0", one["message_id"],
                           "RETRYCOUNT", str(one["times_delivered"]), "FORCE", "JUSTID"]


MARK = b"sluice-fixture:"


def mark(client, name):
    """Begins another scenario of a recording. A handler may do so in the middle of its task."""
    client.echo(MARK + name.encode())


class Recording:
    """The commands that change something while a library works, as the server saw them.

    A script of the library is recorded by the commands that it ran.
    """

    def __init__(self, server, name):
        self.client, self.name, self.parts = server.redis, name, {}
        self.heard = socket.create_connection(("127.0.0.1", server.port))
        self.heard.sendall(b"MONITOR\r\n")
        self.lines = self.heard.makefile("rb")
        self.lines.readline()

    def commands(self):
        """Each scenario with its commands, as far as the recording came."""
        known = self.client.execute_command("COMMAND")
        changing = {name.upper().encode() for name, more in known.items()
                    if "write" in map(str, more["flags"])}
        mark(self.client, "end")
        part = self.parts.setdefault(self.name, [])
        for line in self.lines:
            text = line.decode("latin-1").split("] ", 1)[1]
            words = [ast.literal_eval("b" + one) for one in re.findall(r'"(?:[^"\\]|\\.)*"', text)]
            name = words[0].upper()
            if name == b"ECHO" and words[1].startswith(MARK):
                marked = words[1].removeprefix(MARK).decode()
                if marked == "end":
                    break
                part = self.parts.setdefault(marked, [])
            elif name in changing:
                part.append([name, *words[1:]])
        self.heard.close()
        return self.parts.items()


def killed(work, condition):
    """Lets a process of its own work, and kills it in the middle of that."""
    child = os.fork()
    if child == 0:
        os.setsid()
        try:
            work()
        finally:
            os._exit(1)
    wait(condition)
    os.killpg(child, signal.SIGKILL)
    os.waitpid(child, 0)


def write(system, version, scenarios):
    """One line that names a scenario, then its commands, for each scenario."""
    lines = [json.dumps({"system": system, "version": version, "by": "make.py"})]
    for name, all in scenarios:
        lines.append(json.dumps({"scenario": name}))
        lines += [json.dumps([word(part) for part in one]) for one in all]
    for own, place in PLACES.items():
        lines = [line.replace(own, place) for line in lines]
    with open(os.path.join(HERE, f"{system}.jsonl"), "w") as file:
        file.write("\n".join(lines) + "\n")


def wait(condition, seconds=60):
    """Waits until something holds."""
    end = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > end:
            raise SystemExit("it did not come in time")
        time.sleep(0.05)
