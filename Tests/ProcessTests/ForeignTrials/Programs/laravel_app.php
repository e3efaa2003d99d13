<?php
// A worker, a sender and the tables (or Redis) of Laravel without its framework: install | work |
// send FIRST COUNT SECONDS [fail|later].
require 'Illuminate/Queue/autoload.php';
require 'Illuminate/Bus/autoload.php';
require 'Illuminate/Events/autoload.php';

use Illuminate\Bus\Dispatcher as Bus;
use Illuminate\Bus\Queueable;
use Illuminate\Contracts\Debug\ExceptionHandler;
use Illuminate\Contracts\Queue\ShouldQueue;
use Illuminate\Database\Capsule\Manager as Database;
use Illuminate\Events\Dispatcher as Events;
use Illuminate\Queue\Capsule\Manager as Queue;
use Illuminate\Queue\Connectors\DatabaseConnector;
use Illuminate\Queue\Connectors\RedisConnector;
use Illuminate\Queue\Events\JobFailed;
use Illuminate\Queue\Failed\DatabaseUuidFailedJobProvider;
use Illuminate\Queue\InteractsWithQueue;
use Illuminate\Queue\RedisQueue;
use Illuminate\Queue\Worker;
use Illuminate\Queue\WorkerOptions;
use Illuminate\Redis\RedisManager;
use Illuminate\Support\Facades\Facade;

class Run implements ShouldQueue
{
    use InteractsWithQueue, Queueable;

    public $tries = 1;

    public function __construct(public int $number, public bool $fails = false)
    {
    }

    public function handle()
    {
        if ($this->fails) {
            throw new RuntimeException("no such address: {$this->number}");
        }
        $log = fopen(getenv('TRIAL_LOG'), 'a');
        fwrite($log, "{$this->number}\n");
        fclose($log);
    }
}

class Handler implements ExceptionHandler
{
    public function report(Throwable $e)
    {
        fwrite(STDERR, $e->getMessage() . "\n");
    }
    public function shouldReport(Throwable $e)
    {
        return true;
    }
    public function render($request, Throwable $e)
    {
    }
    public function renderForConsole($output, Throwable $e)
    {
    }
}

$url = getenv('TRIAL_URL');
// An address of a socket has its folder and its user in the query.
$parts = parse_url(str_replace(':///', '://localhost/', $url));
parse_str($parts['query'] ?? '', $options);
$server = [
    'host' => $options['host'] ?? $parts['host'] ?? null,
    'port' => $options['port'] ?? $parts['port'] ?? null,
    'database' => trim($parts['path'] ?? '', '/'),
    'username' => $options['user'] ?? $parts['user'] ?? 'root',
    'password' => $parts['pass'] ?? '', 'charset' => 'utf8', 'prefix' => '',
];
$config = match ($parts['scheme'] ?? 'sqlite') {
    'postgres', 'postgresql' => ['driver' => 'pgsql'] + $server,
    'mysql', 'mariadb' => ['driver' => 'mysql', 'charset' => 'utf8mb4'] + $server,
    default => ['driver' => 'sqlite', 'database' => $url, 'prefix' => ''],
};
$isRedis = ($parts['scheme'] ?? '') == 'redis';
$database = new Database();
$database->addConnection($isRedis ? ['driver' => 'sqlite', 'database' => ':memory:'] : $config);
$database->setAsGlobal();
if (!$isRedis && $config['driver'] == 'sqlite') {
    $database->getConnection()->statement('PRAGMA busy_timeout = 5000');
}
$container = $database->getContainer();
$container->instance(Illuminate\Contracts\Container\Container::class, $container);
$container->singleton(Illuminate\Contracts\Bus\Dispatcher::class, fn () => new Bus($container));
$events = new Events($container);
$container->instance('events', $events);
$container->instance(Illuminate\Contracts\Events\Dispatcher::class, $events);
Facade::setFacadeApplication($container);

$queue = new Queue($container);
$manager = $queue->getQueueManager();
if ($isRedis) {
    require 'Illuminate/Redis/autoload.php';
    $redis = new RedisManager($container, 'phpredis', [
        'options' => ['prefix' => 'laravel_database_'],
        'default' => ['host' => $parts['host'], 'port' => $parts['port'], 'database' => 0],
    ]);
    $manager->addConnector('redis', fn () => new RedisConnector($redis));
    $queue->addConnection(['driver' => 'redis', 'queue' => 'mail', 'retry_after' => 90]);
    if ($argv[1] == 'install') {
        // A first job of another queue: an empty queue has no key.
        $manager->connection()->push(new Run(0), '', 'unserved');
        exit(0);
    }
}
if ($argv[1] == 'install') {
    // The text of queue:table and queue:failed-table.
    $schema = $database->schema();
    $schema->create('jobs', function ($table) {
        $table->bigIncrements('id');
        $table->string('queue')->index();
        $table->longText('payload');
        $table->unsignedTinyInteger('attempts');
        $table->unsignedInteger('reserved_at')->nullable();
        $table->unsignedInteger('available_at');
        $table->unsignedInteger('created_at');
    });
    $schema->create('failed_jobs', function ($table) {
        $table->id();
        $table->string('uuid')->unique();
        $table->text('connection');
        $table->text('queue');
        $table->longText('payload');
        $table->longText('exception');
        $table->timestamp('failed_at')->useCurrent();
    });
    exit(0);
}

if (!$isRedis) {
    $connector = new DatabaseConnector($database->getDatabaseManager());
    $manager->addConnector('database', fn () => $connector);
    $queue->addConnection([
        'driver' => 'database', 'table' => 'jobs', 'queue' => 'mail', 'retry_after' => 90,
    ]);
}
if ($argv[1] == 'work') {
    $failed = new DatabaseUuidFailedJobProvider(
        $database->getDatabaseManager(), 'default', 'failed_jobs');
    $events->listen(JobFailed::class, fn ($event) => $isRedis || $failed->log(
        $event->connectionName, $event->job->getQueue(), $event->job->getRawBody(),
        $event->exception));
    $worker = new Worker($manager, $events, new Handler(), fn () => false);
    $worker->daemon('default', 'mail', new WorkerOptions('default', 0, 128, 60, 0.2));
    exit(0);
}
// The name of a job in Redis is its uuid, which the push does not give.
$uuid = null;
RedisQueue::createPayloadUsing(function ($connection, $name, $payload) use (&$uuid) {
    $uuid = $payload['uuid'];
    return [];
});
[$first, $count, $pause, $kind] = [(int) $argv[2], (int) $argv[3], (float) $argv[4], $argv[5] ?? ''];
for ($number = $first; $number < $first + $count; $number++) {
    $job = new Run($number, $kind == 'fail');
    $id = $kind == 'later'
        ? $manager->connection()->later(strtotime('2037-01-01 UTC') - time(), $job, '', 'mail')
        : $manager->connection()->push($job, '', 'mail');
    echo $number, ' ', $isRedis ? $uuid : $id, "\n";
    if ($pause) {
        usleep((int) ($pause * 1000000));
    }
}
