"""The same as pika_app, by an exchange of its own."""
from pika_app import sender  # noqa: F401
