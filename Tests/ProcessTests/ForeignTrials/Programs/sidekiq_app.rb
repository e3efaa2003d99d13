require "sidekiq"

Sidekiq.configure_server { |config| config.redis = { url: ENV["TRIAL_URL"] } }
Sidekiq.configure_client { |config| config.redis = { url: ENV["TRIAL_URL"] } }

class Run
  include Sidekiq::Worker
  sidekiq_options queue: "mail"

  def perform(number)
    File.open(ENV["TRIAL_LOG"], "a") { |log| log.syswrite("#{number}\n") }
  end
end

# Sends when it is run by itself: FIRST COUNT SECONDS.
if $PROGRAM_NAME == __FILE__
  $stdout.sync = true
  first, count, pause = ARGV[0].to_i, ARGV[1].to_i, ARGV[2].to_f
  (first...first + count).each do |number|
    puts "#{number} #{Run.perform_async(number)}"
    sleep(pause) if pause > 0
  end
end
