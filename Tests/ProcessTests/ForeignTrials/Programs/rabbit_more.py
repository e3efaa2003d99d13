"""dead: three messages of a queue that were rejected into another; other: a second queue that gets
the same messages of the exchange `orders`; user PORT: a user that may set no policy; policy PORT:
a policy of the exchange `orders`; above PORT: the same, before any other; short PORT: a policy that
ends the messages of every queue; bare: an error if a hold has left its alternate exchange."""
import json
import os
import sys
import urllib.request

import pika



def manage(path, value):
    """Puts a value by the management interface."""
    passwords = urllib.request.HTTPPasswordMgrWithDefaultRealm()
    place = f"http://127.0.0.1:{sys.argv[2]}/api/{path}"
    passwords.add_password(None, place, "guest", "guest")
    opener = urllib.request.build_opener(urllib.request.HTTPBasicAuthHandler(passwords))
    opener.open(urllib.request.Request(
        place, json.dumps(value).encode(), {"Content-Type": "application/json"}, method="PUT"))


made = pika.BlockingConnection(pika.URLParameters(os.environ["TRIAL_URL"])).channel()
if sys.argv[1] == "dead":
    made.queue_declare("dead", durable=True)
    made.queue_declare(
        "main", durable=True,
        arguments={"x-dead-letter-exchange": "", "x-dead-letter-routing-key": "dead",
                   "x-max-priority": 5})
    made.confirm_delivery()
    for number in range(3):
        made.basic_publish(
            "", "main", b'{"n":%d}' % number,
            pika.BasicProperties(delivery_mode=2, message_id=f"d{number}"))
    for _ in range(3):
        method, _, _ = made.basic_get("main")
        made.basic_reject(method.delivery_tag, requeue=False)
    # Its answer comes after the rejects.
    made.queue_declare("main", passive=True)
elif sys.argv[1] == "user":
    manage("users/kim", {"password": "kim", "tags": "management"})
    manage("permissions/%2F/kim", {"configure": ".*", "write": ".*", "read": ".*"})
elif sys.argv[1] in ("policy", "above"):
    manage("policies/%2F/mine", {
        "pattern": "^orders$", "apply-to": "exchanges",
        "priority": 5000 if sys.argv[1] == "above" else 0,
        "definition": {"alternate-exchange": "amq.fanout"}})
elif sys.argv[1] == "short":
    manage("policies/%2F/short", {
        "pattern": ".*", "apply-to": "queues", "definition": {"message-ttl": 600_000}})
elif sys.argv[1] == "bare":
    try:
        made.exchange_declare("sluice.alt.orders", passive=True)
    except pika.exceptions.ChannelClosedByBroker:
        sys.exit(0)
    sys.exit("sluice.alt.orders is still there")
else:
    made.queue_declare("copies", durable=True)
    made.queue_bind("copies", "orders", "#")
