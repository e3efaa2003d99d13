import SluiceModel
import SluiceSystem
import Testing

@Suite("time zones")
struct ZoneRulesTests {
    /// A version 2 file with a rule as its only transition.
    private static func file(_ rule: String) -> [UInt8] {
        let header = Array("TZif2".utf8) + Array(repeating: 0, count: 15)
        let counts: [UInt8] = [
            0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 1,
        ]
        let part = header + counts + [0, 0, 0, 0, 0, 0, 0]
        return part + part + [10] + Array(rule.utf8) + [10]
    }

    @Test(
        "R1 a rule for every year is read as POSIX has it",
        arguments: [
            // Zone, fields, after, next.
            ("CET-1CEST,M3.5.0,M10.5.0/3", "30 2 * * *", "2030-03-30T12:00", "2030-03-31T01:00"),
            ("CET-1CEST,M3.5.0,M10.5.0/3", "30 2 * * *", "2030-10-26T12:00", "2030-10-27T00:30"),
            ("EST5EDT,M3.2.0,M11.1.0", "0 2 * * *", "2030-03-09T12:00", "2030-03-10T07:00"),
            (
                "<+1030>-10:30<+11>-11,M10.1.0,M4.1.0", "15 2 * * *", "2030-10-05T00:00",
                "2030-10-05T15:30"
            ),
            ("IST-1GMT0,M10.5.0,M3.5.0/1", "0 12 * * *", "2030-01-01T00:00", "2030-01-01T12:00"),
            ("IST-1GMT0,M10.5.0,M3.5.0/1", "0 12 * * *", "2030-07-01T00:00", "2030-07-01T11:00"),
            (
                "<-02>2<-01>,M3.5.0/-1,M10.5.0/0", "30 23 * * 6", "2030-03-30T12:00",
                "2030-03-31T01:00"
            ),
            ("IST-5:30", "0 0 * * *", "2030-01-01T00:00", "2030-01-01T18:30"),
            ("XXX0YYY,J60,J300", "0 12 * * *", "2032-02-29T00:00", "2032-02-29T12:00"),
            ("XXX0YYY,J60,J300", "0 12 * * *", "2032-03-02T00:00", "2032-03-02T11:00"),
            ("XXX0YYY,59,300", "0 12 * * *", "2032-02-29T04:00", "2032-02-29T11:00"),
            ("AEST-10AEDT,M10.1.0,M4.1.0/3", "0 0 * * *", "2030-12-31T12:00", "2030-12-31T13:00"),
        ])
    func rules(_ rule: String, _ fields: String, _ after: String, _ next: String) throws {
        let zone = try #require(ZoneRules(file: Self.file(rule)))
        let place = try ScheduleSpecTests.moment(after + ":00Z")
        let found = try CronSpec(fields).next(after: place, in: zone)
        #expect(found.map(ScheduleSpecTests.minute) == next + "Z")
    }

    @Test("local time and its moment, where clocks change")
    func local() throws {
        let zone = try #require(ZoneRules(rule: "CET-1CEST,M3.5.0,M10.5.0/3"))
        // The moment, its local time, and the first moment with that time.
        for (moment, local, first) in [
            ("2026-10-25T00:30", "2026-10-25T02:30", "2026-10-25T00:30"),
            ("2026-10-25T01:30", "2026-10-25T02:30", "2026-10-25T00:30"),
            ("2026-03-29T01:00", "2026-03-29T03:00", "2026-03-29T01:00"),
            ("1969-12-31T23:30", "1970-01-01T00:30", "1969-12-31T23:30"),
        ] {
            let place = try ScheduleSpecTests.moment(moment + ":00.250Z")
            let seen = zone.local(place)
            #expect(seen == (try ScheduleSpecTests.moment(local + ":00.250Z")), "\(moment)")
            let back = zone.moment(ofLocal: seen)
            #expect(back == (try ScheduleSpecTests.moment(first + ":00.250Z")), "\(moment)")
        }
        let skipped = try ScheduleSpecTests.moment("2026-03-29T02:30:00Z")
        let change = try ScheduleSpecTests.moment("2026-03-29T01:00:00Z")
        #expect(zone.moment(ofLocal: skipped) == change)
        for moment in [Int64.min, .max] {
            let far = Timestamp(milliseconds: moment)
            _ = (zone.local(far), zone.moment(ofLocal: far))
        }
    }

    @Test("R1 what is no file of a zone is not read, however it is cut or changed")
    func damage() throws {
        let path = "\(Files.parent(of: #filePath))/Fixtures/Berlin.tzif"
        let whole = try Files.read(path, limitBytes: 1 << 20)
        #expect(ZoneRules(file: whole) != nil)
        for count in stride(from: 0, to: whole.count - 30, by: 7) {
            #expect(ZoneRules(file: Array(whole.prefix(count))) == nil, "\(count)")
        }
        var random = SeededRandom(seed: 3)
        for _ in 0..<2000 {
            var bytes = whole
            for _ in 0..<3 {
                bytes[Int.random(in: bytes.indices, using: &random)] = .random(
                    in: 0...255, using: &random)
            }
            _ = ZoneRules(file: bytes).map { zone in
                try? CronSpec("30 2 * * *").next(after: Timestamp(milliseconds: 0), in: zone)
            }
        }
        for rule in ["X", "CET", "CET-1CEST,M13.5.0,M10.5.0", "CET-1CEST,M3.5.0", "CET-1CEST,1,"] {
            #expect(ZoneRules(file: Self.file(rule)) == nil, "\(rule)")
        }
    }
}
