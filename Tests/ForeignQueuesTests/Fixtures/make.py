"""Writes the fixtures of SYSTEM with its own library: `python make.py rq celery huey …`.

Each scenario begins with an empty server; what the library leaves there is dumped as it is. Ids are
chosen and times lie far ahead, so that a test can name them.
"""
import importlib
import os
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

from dump import Server, write  # noqa: E402

for system in sys.argv[1:]:
    maker = importlib.import_module(f"make_{system}")

    def scenarios():
        for name, make in maker.scenarios.items():
            with Server() as server:
                make(server)
                yield name, server.redis

    write(system, maker.version, scenarios())
    print(system, maker.version, *maker.scenarios)
