<?php
// A consumer, a sender and the table of Symfony Messenger with Doctrine: install | work |
// send FIRST COUNT SECONDS [fail|later].
require 'Symfony/Component/Messenger/autoload.php';
require 'Symfony/Component/Messenger/Bridge/Doctrine/autoload.php';
require 'Symfony/Component/EventDispatcher/autoload.php';
require 'Doctrine/DBAL/autoload.php';

use Doctrine\DBAL\DriverManager;
use Symfony\Component\DependencyInjection\ServiceLocator;
use Symfony\Component\EventDispatcher\EventDispatcher;
use Symfony\Component\Messenger\Bridge\Doctrine\Transport\Connection;
use Symfony\Component\Messenger\Bridge\Doctrine\Transport\DoctrineTransport;
use Symfony\Component\Messenger\Envelope;
use Symfony\Component\Messenger\Event\WorkerMessageFailedEvent;
use Symfony\Component\Messenger\Handler\HandlersLocator;
use Symfony\Component\Messenger\MessageBus;
use Symfony\Component\Messenger\Middleware\HandleMessageMiddleware;
use Symfony\Component\Messenger\Stamp\DelayStamp;
use Symfony\Component\Messenger\Stamp\ErrorDetailsStamp;
use Symfony\Component\Messenger\Transport\Serialization\PhpSerializer;
use Symfony\Component\Messenger\Worker;

class Run
{
    public function __construct(public int $number, public bool $fails = false)
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
    'dbname' => trim($parts['path'] ?? '', '/'),
    'user' => $options['user'] ?? $parts['user'] ?? 'root',
    'password' => $parts['pass'] ?? '',
];
$database = DriverManager::getConnection(match ($parts['scheme'] ?? 'sqlite') {
    'postgres', 'postgresql' => ['driver' => 'pdo_pgsql'] + $server,
    'mysql', 'mariadb' => ['driver' => 'pdo_mysql', 'charset' => 'utf8mb4'] + $server,
    default => ['driver' => 'pdo_sqlite', 'path' => $url],
});
$transport = function (string $name) use ($database) {
    $connection = new Connection(['queue_name' => $name, 'auto_setup' => false], $database);
    return new DoctrineTransport($connection, new PhpSerializer());
};
if ($argv[1] == 'install') {
    $transport('mail')->setup();
    exit(0);
}
if ($argv[1] == 'work') {
    $run = function (Run $message) {
        if ($message->fails) {
            throw new RuntimeException("no such address: {$message->number}");
        }
        $log = fopen(getenv('TRIAL_LOG'), 'a');
        fwrite($log, "{$message->number}\n");
        fclose($log);
    };
    $bus = new MessageBus([new HandleMessageMiddleware(new HandlersLocator([Run::class => [$run]]))]);
    $events = new EventDispatcher();
    // As its own listener does it, without a retry.
    $events->addListener(WorkerMessageFailedEvent::class, function ($event) use ($transport) {
        $details = ErrorDetailsStamp::create($event->getThrowable());
        $transport('failed')->send($event->getEnvelope()->with($details));
    });
    (new Worker(['mail' => $transport('mail')], $bus, $events))->run(['sleep' => 200000]);
    exit(0);
}
$sender = $transport('mail');
[$first, $count, $pause, $kind] = [(int) $argv[2], (int) $argv[3], (float) $argv[4], $argv[5] ?? ''];
for ($number = $first; $number < $first + $count; $number++) {
    $stamps = $kind == 'later' ? [new DelayStamp(1000 * (strtotime('2037-01-01 UTC') - time()))] : [];
    $sender->send(new Envelope(new Run($number, $kind == 'fail'), $stamps));
    $id = $database->fetchOne('SELECT max(id) FROM messenger_messages');
    echo "$number $id\n";
    if ($pause) {
        usleep((int) ($pause * 1000000));
    }
}
