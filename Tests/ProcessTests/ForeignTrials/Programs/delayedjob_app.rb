# A worker, a sender and the table of Delayed::Job without Rails: install | work |
# send FIRST COUNT SECONDS [fail|later].
require "logger"
require "active_record"
require "delayed_job_active_record"

url = ENV["TRIAL_URL"]
ActiveRecord::Base.establish_connection(
  if url.start_with?("postgres")
    # An address of a socket has its folder and its user in the query.
    parts = URI.parse(url)
    options = URI.decode_www_form(parts.query.to_s).to_h
    {
      adapter: "postgresql", database: parts.path.delete_prefix("/"),
      host: options["host"] || parts.host, port: options["port"] || parts.port,
      username: options["user"] || parts.user,
    }
  elsif url.include?("://")
    url.sub(/\Amariadb:|\Amysql:/, "mysql2:")
  else
    { adapter: "sqlite3", database: url, timeout: 5000 }
  end
)
Delayed::Worker.backend = :active_record
Delayed::Worker.destroy_failed_jobs = false
Delayed::Worker.max_attempts = (ENV["TRIAL_ATTEMPTS"] || "2").to_i
Delayed::Worker.sleep_delay = 0.2
Delayed::Worker.logger = Logger.new($stderr)

Run = Struct.new(:number, :fails) do
  def perform
    raise "no such address: #{number}" if fails
    File.open(ENV["TRIAL_LOG"], "a") { |log| log.syswrite("#{number}\n") }
  end
end

case ARGV[0]
when "install"
  # The text of its generator.
  ActiveRecord::Schema.verbose = false
  ActiveRecord::Schema.define do
    create_table :delayed_jobs do |table|
      table.integer :priority, default: 0, null: false
      table.integer :attempts, default: 0, null: false
      table.text :handler, null: false
      table.text :last_error
      table.datetime :run_at
      table.datetime :locked_at
      table.datetime :failed_at
      table.string :locked_by
      table.string :queue
      table.timestamps null: true
    end
    add_index :delayed_jobs, [:priority, :run_at], name: "delayed_jobs_priority"
  end
when "work"
  worker = Delayed::Worker.new(quiet: true, queues: ["mail"])
  # In MariaDB the delete of a job that ran can lose a deadlock with another worker's fetch. Then
  # Delayed::Job runs the job again.
  Delayed::Worker.lifecycle.after(:error) do |_worker, job|
    if job.error.is_a?(ActiveRecord::Deadlocked)
      File.open("#{ENV["TRIAL_LOG"]}.again", "a") do |log|
        log.syswrite("#{job.payload_object.number}\n")
      end
    end
  end
  worker.start
else
  $stdout.sync = true
  first, count, pause = ARGV[1].to_i, ARGV[2].to_i, ARGV[3].to_f
  (first...first + count).each do |number|
    options = { queue: "mail" }
    options[:run_at] = Time.utc(2037) if ARGV[4] == "later"
    job = Delayed::Job.enqueue(Run.new(number, ARGV[4] == "fail"), **options)
    puts "#{number} #{job.id}"
    sleep(pause) if pause > 0
  end
end
