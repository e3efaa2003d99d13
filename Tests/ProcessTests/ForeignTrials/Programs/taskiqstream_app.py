from taskiq_app import app
from taskiq_redis import RedisStreamBroker

broker, sender = app(RedisStreamBroker)
