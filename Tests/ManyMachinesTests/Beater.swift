/// The handler of the tasks that count here: every execution writes to a file of its machine that
/// it begins, every 50 ms that it lives, and that it ends or fails, each with the moment of the
/// kernel's monotonic clock, which is one for all machines of this scene.
///
/// The payload says what it does: `ms` how long it takes, `first` how long the first execution
/// takes, `fail` how many executions fail before one succeeds, `deaf` that it ignores TERM.
enum Beater {
    static let program = "beater"

    static let text = #"""
        #!/usr/bin/perl
        use Time::HiRes qw(clock_gettime CLOCK_MONOTONIC);
        my $folder = $ENV{SLUICE_TEST_FOLDER};
        my ($task, $number, $machine) = @ENV{qw(SLUICE_TASK_ID SLUICE_ATTEMPT MANY_MACHINE)};
        open(my $log, '>>', "$folder/$machine.log") or exit 1;
        my $payload = do { local $/; <STDIN> };
        $SIG{TERM} = 'IGNORE' if $payload =~ /"deaf"/;
        sub testify {
            my $time = int(clock_gettime(CLOCK_MONOTONIC) * 1e9);
            syswrite $log, "$_[0] $task $number $$ $time\n";
        }
        testify("start");
        my $ms = $payload =~ /"ms":(\d+)/ ? $1 : 0;
        $ms = $1 if $number == 1 && $payload =~ /"first":(\d+)/;
        my $end = clock_gettime(CLOCK_MONOTONIC) + $ms / 1000;
        while ((my $left = $end - clock_gettime(CLOCK_MONOTONIC)) > 0) {
            select(undef, undef, undef, $left < 0.05 ? $left : 0.05);
            testify("beat");
        }
        if ($payload =~ /"fail":(\d+)/ && $number <= $1) {
            testify("fail");
            exit 75;
        }
        testify("end");
        exit 0;
        """#
}
