import SluiceModel
import SluiceSystem

/// A `command` handler for tests. Each attempt logs its start and end to a file that only the judge
/// reads, and holds a lock on its task.
///
/// The payload controls it: `ms` is the duration, `fail` the number of failed attempts before
/// success, `wait` a file to wait for.
package enum Witness {
    /// The file's name.
    package static let log = "testimony"
    /// The program's name.
    package static let program = "witness"

    /// The program. A line: word, task, execution, process, nanoseconds.
    static let text = #"""
        #!/usr/bin/perl
        use Time::HiRes ();
        my $folder = $ENV{SLUICE_TEST_FOLDER};
        my ($task, $number) = @ENV{qw(SLUICE_TASK_ID SLUICE_ATTEMPT)};
        open(my $log, '>>', "$folder/testimony") or exit 1;
        open(my $own, '>>', "$folder/held/$task") or exit 1;
        sub testify {
            my $time = int(Time::HiRes::time() * 1e9);
            syswrite $log, "$_[0] $task $number $$ $time\n";
        }
        testify(flock($own, 6) ? "start" : "overlap");
        my $payload = do { local $/; <STDIN> };
        $SIG{TERM} = 'IGNORE' if $payload =~ /"deaf"/;
        testify("ready") if $payload =~ /"wait"/;
        if ($payload =~ /"wait":"(\w+)"/) {
            # Where nobody tells a script of a new file, it looks.
            select(undef, undef, undef, 0.005) until -e "$folder/$1";
        }
        select(undef, undef, undef, $1 / 1000) if $payload =~ /"ms":(\d+)/;
        if ($payload =~ /"fail":(\d+)/ && $number <= $1) {
            testify("fail");
            exit 75;
        }
        testify("end");
        exit 0;
        """#
}

extension Workplace {
    /// Puts the witness and a handlers file for every type into the folder.
    package func employWitness() throws {
        try write(Witness.text, to: Witness.program, isProgram: true)
        try makeFolder("held")
        try write(#"{"handlers":{"*":{"command":["./witness"]}}}"#, to: "handlers.json")
    }

    /// Starts a worker and waits until it is attached.
    package func startWorker(_ words: [String] = []) throws -> RunningProgram {
        let worker = try start(["work", "--handlers", file("handlers.json")] + words)
        try wait(for: "a worker's attachment") {
            try worker.errors.contains("is attached") || !worker.isRunning
                || words.contains("--quiet") && isAttached(worker)
        }
        return worker
    }

    /// Asks workers to go, once they are there to hear it: a program that has only just begun is
    /// ended by the signal itself.
    package func dismiss(_ workers: [RunningProgram], store: String? = nil) throws {
        for worker in workers {
            try wait(for: "a worker's attachment", isPolled: true) {
                try !worker.isRunning || isAttached(worker, store)
            }
            try worker.signal(.terminate)
        }
        for worker in workers { try expecting(0, worker.answer()) }
    }

    private func isAttached(_ worker: RunningProgram, _ store: String? = nil) throws -> Bool {
        let place = store.map { ["--store", $0] } ?? []
        let runners = try json(["runners"] + place)["runners"]?.array ?? []
        return runners.contains { $0["pid"]?.integer == Int64(worker.processID) }
    }
}
