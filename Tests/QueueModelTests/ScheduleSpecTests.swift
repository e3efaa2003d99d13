import SluiceModel
import SluiceSystem
import Testing

@Suite("when schedules are due")
struct ScheduleSpecTests {
    static func zone(_ name: String) throws -> ZoneRules {
        let file = name.split(separator: "/").last.map(String.init) ?? name
        let path = "\(Files.parent(of: #filePath))/Fixtures/\(file).tzif"
        return try #require(ZoneRules(file: Files.read(path, limitBytes: 1 << 20)))
    }

    static func moment(_ text: String) throws -> Timestamp {
        try #require(TimeText.rfc3339(text))
    }

    static func minute(_ moment: Timestamp) -> String {
        String(TimeText.rfc3339(moment).prefix(16)) + "Z"
    }

    @Test("R1 a cron is due at the moments that another library finds, also where clocks change")
    func moments() throws {
        let path = "\(Files.parent(of: #filePath))/Fixtures/cron-moments.txt"
        let text = String(decoding: try Files.read(path, limitBytes: 1 << 20), as: UTF8.self)
        var zones: [String: ZoneRules] = [:]
        var count = 0
        for line in text.split(separator: "\n") where !line.hasPrefix("#") {
            let parts = line.split(separator: "|").map { $0.split(separator: " ") }
            let name = String(parts[0][0])
            let zone = try zones[name] ?? Self.zone(name)
            zones[name] = zone
            let spec = try CronSpec(parts[1].joined(separator: " "))
            var place = try Self.moment(String(parts[2][0]))
            for wanted in parts[3] {
                place = try #require(spec.next(after: place, in: zone))
                #expect(Self.minute(place) == wanted, "\(line)")
                count += 1
            }
        }
        #expect(count > 2000)
    }

    @Test("R1 what is next comes after, matches, and nothing between matches")
    func everyMinute() throws {
        var random = SeededRandom(seed: 7)
        let berlin = try Self.zone("Europe/Berlin")
        // Half of the days lie around a change of the clocks.
        let changes = try ["2026-03-29T01:00:00Z", "2026-10-25T01:00:00Z", "2031-05-17T00:00:00Z"]
            .map(Self.moment)
        for _ in 0..<60 {
            let spec = try CronSpec(Self.randomFields(&random))
            let day = changes[Int.random(in: 0..<3, using: &random)]
            let start = day + Int64.random(in: -7200...7200, using: &random) * 1000
            var shown: Set<Int64> = []
            var due: [Timestamp] = []
            // The local time at each minute. A repeated local time counts once.
            let first = day + -86_400_000
            for step in 0..<2 * 1440 {
                let now = first + Int64(step) * 60_000
                let local = Self.berlinMinute(now)
                let before = shown.isEmpty ? local - 1 : Self.berlinMinute(now + -60_000)
                let passed = before < local ? Array(before + 1...local) : []
                let fresh = passed.filter { shown.insert($0).inserted }
                if now > start, fresh.contains(where: { spec.allows(minute: $0) }) {
                    due.append(now)
                }
            }
            var place = start
            for wanted in due.prefix(40) {
                let found = try #require(spec.next(after: place, in: berlin))
                #expect(found == wanted, "\(spec.text) after \(Self.minute(place))")
                place = found
            }
        }
    }

    /// The minute that clocks in Berlin show, counted as if it were UTC, by the rule of today.
    private static func berlinMinute(_ moment: Timestamp) -> Int64 {
        let minute = moment.milliseconds / 60_000
        let parts = TimeText.parts(moment)
        func lastSunday(_ month: Int) -> Int64 {
            let text = "\(parts.year)-\(TimeText.padded(month))-31T01:00:00Z"
            let last = (TimeText.rfc3339(text)?.milliseconds ?? 0) / 60_000
            let weekday = (last / 1440 + 4) % 7
            return last - weekday * 1440
        }
        let isSummer = minute >= lastSunday(3) && minute < lastSunday(10)
        return minute + (isSummer ? 120 : 60)
    }

    private static func randomFields(_ random: inout SeededRandom) -> String {
        func pick(_ choices: [String]) -> String { choices.randomElement(using: &random) ?? "" }
        return [
            pick(["*", "*/7", "0,30", "59", "10-20/3", "0"]),
            pick(["*", "2", "1-3", "*/5", "3,2", "23,0"]),
            pick(["*", "*", "*", "29", "20-31", "*/2"]), pick(["*", "*", "3,10,5", "mar-dec"]),
            pick(["*", "*", "0", "sun", "sat-sun", "1-5"]),
        ].joined(separator: " ")
    }

    @Test(
        "R1 what is no cron is refused with the field",
        arguments: [
            ("", "0 fields"), ("* * * *", "4 fields"), ("0 3 * * * *", "6 fields"),
            ("60 * * * *", "\"60\" is no minute"), ("* 24 * * *", "\"24\" is no hour"),
            ("* * 0 * *", "\"0\" is no day of the month"), ("* * 32 * *", "\"32\" is no day of"),
            ("* * * 13 *", "\"13\" is no month"), ("* * * * 8", "\"8\" is no day of the week"),
            ("* * * foo *", "\"foo\" is no month"), ("* * * * mo", "\"mo\" is no day of the week"),
            ("a * * * *", "\"a\" is no minute"), ("-1 * * * *", "\"-1\" is no minute"),
            ("1- * * * *", "\"1-\" is no minute"), ("1,,2 * * * *", "\"\" is no minute"),
            ("*/0 * * * *", "\"*/0\" is no minute"), ("*/60 * * * *", "\"*/60\" is no minute"),
            ("*/x * * * *", "\"*/x\" is no minute"), ("5-2 * * * *", "\"5-2\" is no minute"),
            ("1/2/3 * * * *", "\"1/2/3\" is no minute"), ("* * ? * *", "\"?\" is no day"),
            ("* * L * *", "\"L\" is no day"), ("* * * * 1#2", "\"1#2\" is no day of the week"),
            ("0 0 31 2 *", "never comes"), ("0 0 30 feb *", "never comes"),
            ("0 0 31 4,6,9,11 *", "never comes"), ("@dayly", "@daily is near"),
            ("@reboot", "not allowed"), ("every", "not allowed"), ("every 0", "not allowed"),
            ("every 0s", "not allowed"), ("every 500ms", "not allowed"),
            ("every 400d", "not allowed"), ("every -5m", "not allowed"),
            ("every five minutes", "not allowed"), ("99999999999999999999 * * * *", "is no minute"),
        ])
    func refusals(_ text: String, _ words: String) {
        let error = #expect(throws: QueueError.self) { try ScheduleSpec(text) }
        #expect(error?.code == .badValue)
        #expect(error?.description.contains(words) == true, "\(error?.description ?? "")")
    }

    @Test(
        "R1 names, words and intervals are read, and said again",
        arguments: [
            ("  0   3 * * *", "0 3 * * *", "2026-01-01T03:00Z"),
            ("@hourly", "0 * * * *", "2026-01-01T01:00Z"),
            ("@Daily", "0 0 * * *", "2026-01-02T00:00Z"),
            ("@weekly", "0 0 * * 0", "2026-01-04T00:00Z"),
            ("@monthly", "0 0 1 * *", "2026-02-01T00:00Z"),
            ("@yearly", "0 0 1 1 *", "2027-01-01T00:00Z"),
            ("0 0 29 2 *", "0 0 29 2 *", "2028-02-29T00:00Z"),
            ("0 0 * JAN Mon", "0 0 * JAN Mon", "2026-01-05T00:00Z"),
            ("0 0 31 2 1", "0 0 31 2 1", "2026-02-02T00:00Z"),
            ("7/20 * * * *", "7/20 * * * *", "2026-01-01T00:07Z"),
            ("every 5m", "every 5m", "2026-01-01T00:05Z"),
            ("@every 90m", "every 90m", "2026-01-01T01:30Z"),
            ("every 1d", "every 1d", "2026-01-02T00:00Z"),
        ])
    func forms(_ text: String, _ said: String, _ next: String) throws {
        let spec = try ScheduleSpec(text)
        #expect(spec.text == said)
        #expect(try ScheduleSpec(spec.text) == spec)
        let after = try Self.moment("2026-01-01T00:00:00Z")
        #expect(spec.next(after: after).map(Self.minute) == next)
    }

    @Test("R1 far moments neither trap nor go on for ever")
    func farMoments() throws {
        let daily = try ScheduleSpec("@daily")
        for milliseconds in [Int64.min, -1, .max - 1, .max] {
            _ = daily.next(after: Timestamp(milliseconds: milliseconds))
        }
        let second = ScheduleSpec.every(milliseconds: 1000)
        #expect(second.next(after: Timestamp(milliseconds: .max)) == nil)
        let found = second.moments(
            from: Timestamp(milliseconds: 0), through: Timestamp(milliseconds: 4_000_000_000_000),
            in: .utc, limit: 100)
        #expect(found.moments.count == 100 && found.isCut)
        #expect(found.moments.last == Timestamp(milliseconds: 4_000_000_000_000))
    }
}

extension CronSpec {
    /// Whether a minute, counted from 1970-01-01T00:00, is allowed: in UTC it is due then.
    fileprivate func allows(minute: Int64) -> Bool {
        let moment = Timestamp(milliseconds: minute * 60_000)
        return next(after: moment + -1) == moment
    }
}
