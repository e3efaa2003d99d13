"""Sends tasks with numbers: SYSTEM FIRST COUNT SECONDS [KIND]; a line `number reference` for each."""
import importlib
import sys
import time

system, first, count, pause = sys.argv[1], *map(int, sys.argv[2:4]), float(sys.argv[4])
send = importlib.import_module(f"{system}_app").sender(*sys.argv[5:])
for number in range(first, first + count):
    print(number, send(number), flush=True)
    if pause:
        time.sleep(pause)
