"""A plain consumer and a plain sender by pika; TRIAL_EXCHANGE names the exchange of both."""
import os

import pika
from common import note

exchange = os.environ.get("TRIAL_EXCHANGE", "")


def channel():
    parameters = pika.URLParameters(os.environ["TRIAL_URL"])
    parameters.heartbeat = 0
    made = pika.BlockingConnection(parameters).channel()
    made.queue_declare("mail", durable=True)
    if exchange:
        made.exchange_declare(exchange, "topic", durable=True)
        made.queue_bind("mail", exchange, "mail.*")
    return made


def work():
    made = channel()
    made.basic_qos(prefetch_count=1)

    def run(_, method, __, body):
        note(int(body))
        made.basic_ack(method.delivery_tag)

    made.basic_consume("mail", run)
    made.start_consuming()


def sender():
    made = channel()
    made.confirm_delivery()

    def send(number):
        made.basic_publish(
            exchange, "mail.new" if exchange else "mail", str(number),
            pika.BasicProperties(delivery_mode=2, message_id=f"m{number}"))
        return f"m{number}"

    return send


if __name__ == "__main__":
    work()
