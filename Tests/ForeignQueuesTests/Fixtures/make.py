"""Writes the fixtures of SYSTEM with its own library: `python make.py rq celery huey …`.

Each scenario begins with an empty server. `scenarios` are dumped: the content that the library
leaves there. `recorded` are the commands by which it came there, so that a test can let tasks
arrive, or a worker take one, in the middle of something else. Ids are chosen and times are far in
the future, so that a test can name them. After `--old`, for the oldest version that the page names,
the files are `SYSTEM-old.jsonl`, with the scenarios that OLD names.
"""
import importlib
import os
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

from dump import Recording, Server, commands, write  # noqa: E402

OLD = {
    "rq": ["queued", "deferred", "intermediate", "scheduled", "failed", "busy", "send"],
    "bullmq": ["several"],
    "huey": ["plain", "priority", "ended"],
    "celery": ["queued", "priorities", "taken", "results"],
}
is_old = "--old" in sys.argv

for system in sys.argv[1 + is_old:]:
    maker = importlib.import_module(f"make_{system}")

    def chosen(all):
        return [(name, make) for name, make in all.items() if not is_old or name in OLD[system]]

    def scenarios():
        for name, make in chosen(maker.scenarios):
            with Server() as server:
                make(server)
                yield name, commands(server.redis)
        for name, make in chosen(getattr(maker, "recorded", {})):
            with Server() as server:
                recording = Recording(server, name)
                make(server)
                yield from recording.commands()

    write(system + ("-old" if is_old else ""), maker.version, scenarios())
    print(system, maker.version, *maker.scenarios)
