"""What the scripts of the peers share: a task queue is asked for one work, and its rate printed.

    python3 NAME_peer.py probe              exit code 0 where it is installed
    python3 NAME_peer.py W1 COUNT FOLDER    COUNT tasks, each durable before the next; tasks a second
    python3 NAME_peer.py W2 COUNT FOLDER    COUNT tasks as one call hands them over, if there is one
    python3 NAME_peer.py W3 COUNT FOLDER    COUNT no-op tasks worked off by one worker

PEER_WORKERS says how many processes work off instead, and PEER_SLOTS how much each has in hand.
"""

import os
import sys
import time

PAYLOAD = "a" * 200
WORKERS = int(os.environ.get("PEER_WORKERS", 1))
SLOTS = int(os.environ.get("PEER_SLOTS", 1))


def main(missing, open_queue):
    """`missing()` says what is not installed; `open_queue(folder)` gives a queue with
    `add(n)`, `add_many(n)`, `drain(n)`, `left()` and `close()`."""
    problem = missing()
    if sys.argv[1] == "probe":
        if problem:
            print(problem)
        sys.exit(1 if problem else 0)
    work, count, folder = sys.argv[1], int(sys.argv[2]), sys.argv[3]
    queue = open_queue(folder)
    try:
        if work == "W3":
            queue.add_many(count)
        start = time.perf_counter()
        {"W1": queue.add, "W2": queue.add_many, "W3": together(queue.drain)}[work](count)
        took = time.perf_counter() - start
        left, wanted = queue.left(), 0 if work == "W3" else count
        if left != wanted:
            sys.exit(f"{left} tasks are left where {wanted} should be")
    finally:
        queue.close()
    print(count / took)


def together(drain):
    """The same in as many processes as there are to be."""
    def work(count):
        if WORKERS == 1:
            return drain(count)
        children = []
        for _ in range(WORKERS):
            child = os.fork()
            if child:
                children.append(child)
                continue
            failed = 1
            try:
                drain(count)
                failed = 0
            finally:
                os._exit(failed)
        for child in children:
            if os.waitpid(child, 0)[1]:
                sys.exit("a worker failed")
    return work


def without(module, install):
    """Says how to install what cannot be imported; nothing where it can."""
    def missing():
        try:
            __import__(module)
        except ImportError:
            return f"not installed: {install}"
        return None
    return missing
