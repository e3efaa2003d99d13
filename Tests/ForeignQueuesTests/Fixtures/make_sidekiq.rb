# Writes what Sidekiq's own client and worker leave: ADDRESS SCENARIO. make_sidekiq.py dumps it.
require "sidekiq"
require "sidekiq/api"
require "active_job"

class Send
  include Sidekiq::Worker
  sidekiq_options queue: "mail"

  def perform(order)
    raise "no such order" if order.negative?
    sleep order
  end
end

ActiveJob::Base.queue_adapter = :sidekiq
ActiveJob::Base.logger = nil

class Mail < ActiveJob::Base
  include Sidekiq::Worker::Options
  queue_as :mail
  sidekiq_options retry: 3

  def perform(order)
    raise IOError, "gone"
  end
end

FAR = 4_102_444_800

def push(jid, order, **more)
  Sidekiq::Client.push("class" => Send, "args" => [order], "jid" => jid.ljust(24, "0"), **more)
end

address, scenario = ARGV
if address
  Sidekiq.configure_client { |config| config.redis = {url: address} }
  case scenario
  when "client" then (1..3).each { |number| push("j#{number}", number) }
  when "scheduled" then push("later", 1, "at" => FAR)
  when "worked"
    push("again", -1, "retry" => 5)
    push("dead", -2, "retry" => 0)
    push("good", 0)
  when "sent" then push("sent-job", 1)
  when "wrapped" then Mail.perform_later(1)
  when "retry now" then Sidekiq::RetrySet.new.retry_all
  when "busy"
    push("long", 600)
    push("next", 1)
  end
else
  Sidekiq.configure_server { |config| config.redis = {url: ENV.fetch("SHOP_URL")} }
end
