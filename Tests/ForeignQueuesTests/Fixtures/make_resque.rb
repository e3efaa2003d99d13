# Writes what Resque's own client and worker leave: PORT SCENARIO. make_resque.py dumps it.
require "resque"

class Run
  def self.perform(number)
    raise "boom" if number.negative?
    sleep number
  end
end

port, scenario = ARGV
Resque.redis = "127.0.0.1:#{port}"
Resque.logger.level = Logger::FATAL

def push(*numbers)
  numbers.each { |number| Resque.enqueue_to("mail", Run, number) }
end

case scenario
when "version" then print Resque::VERSION
when "send" then push(123_456_789)
when "queued" then push(1, 2, 3)
when "failed" then push(-7)
when "long" then push(600, 1)
when "work"
  ENV["FORK_PER_JOB"] = "false"
  Resque::Worker.new("mail").work(0.1)
end
