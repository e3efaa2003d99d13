/// The handler of the counted tasks. Every attempt logs its beginning, a heartbeat every 50 ms, and
/// its end or failure. The timestamps come from the kernel's monotonic clock, which all machines of
/// this scene share.
///
/// The payload controls it: `ms` is the duration, `first` the first attempt's duration, `fail` the
/// number of failed attempts before success, and `deaf` ignores TERM.
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
