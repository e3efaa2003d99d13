enum ScheduleHelp {
    static let set =
        [
            "SPEC is one word, in quotes: five fields of a cron (minute, hour, day of the",
            "month, month, day of the week) of *, numbers, names, a-b, */n and lists;",
            "@hourly, @daily, @weekly, @monthly, @yearly; or every D, which counts from 1970",
            "in UTC. Where both fields of days say something, one of them is enough. A local",
            "time that the clocks jump over is due at the moment of the jump, one that comes",
            "twice at its first. Such as",
            "  sluice schedule set nightly '0 3 * * *' reports report --time-zone UTC",
            "  sluice schedule set poll 'every 5m' feeds fetch '{\"from\":\"example.org\"}'",
            "Any attached worker enqueues, each moment once over all machines. For moments",
            "without one, --missed once is one task for all, each a task for each of the last",
            "100, none no task for times more than a minute past. NAME that is there is",
            "changed.",
        ] + json

    static let json = [
        #"JSON: {"schedules":[{"name","spec","timeZone","queue","type","next":T|null,"#,
        #"  "last":T|null,"missed":"once|each|none","paused":bool}]}"#,
    ]
}
