<?php
// Writes what Laravel's own client and worker leave in Redis: PORT SCENARIO. make_laravel.py dumps it.
require 'Illuminate/Queue/autoload.php';
require 'Illuminate/Bus/autoload.php';
require 'Illuminate/Events/autoload.php';
require 'Illuminate/Redis/autoload.php';

use Illuminate\Bus\Dispatcher as Bus;
use Illuminate\Bus\Queueable;
use Illuminate\Container\Container;
use Illuminate\Contracts\Debug\ExceptionHandler;
use Illuminate\Contracts\Queue\ShouldQueue;
use Illuminate\Events\Dispatcher as Events;
use Illuminate\Queue\Capsule\Manager as Queue;
use Illuminate\Queue\Connectors\RedisConnector;
use Illuminate\Queue\InteractsWithQueue;
use Illuminate\Queue\RedisQueue;
use Illuminate\Queue\Worker;
use Illuminate\Queue\WorkerOptions;
use Illuminate\Redis\RedisManager;

class Ship implements ShouldQueue
{
    use InteractsWithQueue, Queueable;

    public function __construct(public int $order, public int $tries = 1)
    {
    }

    public function handle()
    {
        if ($this->order < 0) {
            throw new RuntimeException("no such order: {$this->order}");
        }
        if ($this->order >= 600) {
            sleep(600);
        }
    }
}

class Silent implements ExceptionHandler
{
    public function report(Throwable $e)
    {
    }
    public function shouldReport(Throwable $e)
    {
        return false;
    }
    public function render($request, Throwable $e)
    {
    }
    public function renderForConsole($output, Throwable $e)
    {
    }
}

[$port, $scenario] = [(int) $argv[1], $argv[2]];
$container = Container::getInstance();
$container->instance(Illuminate\Contracts\Container\Container::class, $container);
$container->singleton(Illuminate\Contracts\Bus\Dispatcher::class, fn () => new Bus($container));
$events = new Events($container);
$container->instance('events', $events);
$container->instance(Illuminate\Contracts\Events\Dispatcher::class, $events);
$redis = new RedisManager($container, 'phpredis', [
    'options' => ['prefix' => 'shop_database_'],
    'default' => ['host' => '127.0.0.1', 'port' => $port, 'database' => 0],
]);
$queue = new Queue($container);
$manager = $queue->getQueueManager();
$manager->addConnector('redis', fn () => new RedisConnector($redis));
$queue->addConnection(['driver' => 'redis', 'queue' => 'mail', 'retry_after' => 90]);
$id = null;
RedisQueue::createPayloadUsing(function () use (&$id) {
    return ['uuid' => $id];
});

function push(string $name, Ship $job, ?int $until = null)
{
    global $id, $manager;
    $id = $name;
    $until ? $manager->connection()->later($until - time(), $job, '', 'mail')
        : $manager->connection()->push($job, '', 'mail');
}

function work(int $backoff = 0)
{
    global $manager, $events;
    $worker = new Worker($manager, $events, new Silent(), fn () => false);
    $worker->runNextJob('default', 'mail', new WorkerOptions('default', $backoff));
}

$far = 4102444800;
switch ($scenario) {
    case 'send': push('sent-job', new Ship(7)); break;
    case 'queued':
        foreach ([1, 2, 3] as $number) {
            push("job-$number", new Ship($number));
        }
        break;
    case 'delayed':
        push('now', new Ship(1));
        push('later', new Ship(2), $far);
        break;
    case 'retrying':
        push('again', new Ship(-3, 5));
        work($far - time());
        break;
    case 'busy':
        push('long', new Ship(600));
        push('next', new Ship(2));
        work();
        break;
}
