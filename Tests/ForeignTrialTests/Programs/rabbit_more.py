"""dead: three messages of a queue that were rejected into another; other: a second queue that gets
the same messages of the exchange `orders`."""
import os
import sys

import pika

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
else:
    made.queue_declare("copies", durable=True)
    made.queue_bind("copies", "orders", "#")
