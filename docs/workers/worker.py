#!/usr/bin/env python3
"""A handler that stays: it reads a task from each line and answers with lines of JSON."""
import json
import sys


def say(line):
    print(json.dumps(line), flush=True)


def handle(task):
    """What this worker does with a task; returns the result."""
    payload = task["payload"]
    say({"fraction": 0.5, "text": "half of it"})
    say({"log": f"hello {payload['to']}"})
    if "then" in payload:
        say({"followUp": {"queue": task["queue"], "type": task["type"],
                          "payload": {"to": payload["then"]}}})
    return {"greeted": payload["to"]}


for line in sys.stdin:
    task = json.loads(line)
    answer = {"id": task["id"]}
    try:
        answer |= {"outcome": "success", "result": handle(task)}
    except KeyError as missing:
        answer |= {"outcome": "giveUp", "error": f"the payload lacks {missing}"}
    except Exception as error:
        answer |= {"outcome": "retry", "error": repr(error)}
    say(answer)
