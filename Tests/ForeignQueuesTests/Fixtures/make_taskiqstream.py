from make_taskiq import scenarios_of, version  # noqa: F401
from taskiq_redis import RedisStreamBroker

scenarios, recorded = scenarios_of(RedisStreamBroker)
