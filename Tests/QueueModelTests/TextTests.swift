import SluiceModel
import Testing

@Suite("Durations, sizes and times as texts")
struct TextTests {
    @Test(
        "Durations are read and spelled back",
        arguments: [
            ("0", 0, "0s"), ("0s", 0, "0s"), ("250ms", 250, "250ms"), ("30s", 30_000, "30s"),
            ("90s", 90_000, "90s"), ("60s", 60_000, "1m"), ("1.5h", 5_400_000, "90m"),
            ("15m", 900_000, "15m"), ("24h", 86_400_000, "1d"), ("3d", 259_200_000, "3d"),
            ("1500ms", 1500, "1.5s"), ("0.5s", 500, "500ms"), ("1600ms", 1600, "1.6s"),
            ("61230ms", 61_230, "61.23s"), ("1001ms", 1001, "1.001s"),
            ("36500d", 3_153_600_000_000, "36500d"),
        ])
    func durations(_ text: String, _ milliseconds: Int64, _ compact: String) {
        #expect(DurationText.milliseconds(text) == milliseconds)
        #expect(DurationText.compact(milliseconds) == compact)
        #expect(DurationText.milliseconds(compact) == milliseconds)
    }

    @Test(
        "What is no duration is refused",
        arguments: [
            "", "s", "5", "-5s", "+5s", "5 s", " 5s", "5S", "5w", "1.2.3s", ".5s", "1e3s", "٣s",
            "infs",
            "nans", "0x5s", "40000d", "5m3s",
        ])
    func noDuration(_ text: String) { #expect(DurationText.milliseconds(text) == nil) }

    @Test(
        "What something took has tenths up to ten seconds",
        arguments: [
            (402, "402 ms"), (999, "999 ms"), (1000, "1s"), (1050, "1.1s"), (2900, "2.9s"),
            (2949, "2.9s"), (9949, "9.9s"), (9950, "10s"), (12_400, "12s"), (100_000, "1m 40s"),
        ])
    func taken(_ milliseconds: Int64, _ text: String) {
        #expect(DurationText.taken(milliseconds) == text)
    }

    @Test(
        "An estimate has two digits and its mark",
        arguments: [
            (0, "~0 ms"), (7, "~7 ms"), (99, "~99 ms"), (959, "~960 ms"), (996, "~1s"),
            (1023, "~1s"), (1151, "~1.2s"), (14_400, "~14s"), (119_000, "~2m"),
        ])
    func about(_ milliseconds: Int64, _ text: String) {
        #expect(DurationText.about(milliseconds) == text)
    }

    @Test(
        "Ages are short",
        arguments: [
            (-5, "0 ms"), (0, "0 ms"), (402, "402 ms"), (999, "999 ms"), (1000, "1s"),
            (12_400, "12s"),
            (59_600, "1m"), (100_000, "1m 40s"), (3_600_000, "1h"), (11_100_000, "3h 5m"),
            (187_200_000, "2d 4h"), (172_800_000, "2d"),
        ])
    func ages(_ milliseconds: Int64, _ text: String) {
        #expect(DurationText.short(milliseconds) == text)
    }

    @Test(
        "T6 sizes are read and spelled back",
        arguments: [
            ("1", 1, "1"), ("512", 512, "512"), ("512B", 512, "512"), ("64KiB", 65_536, "64KiB"),
            ("1024KiB", 1 << 20, "1MiB"), ("1GiB", 1 << 30, "1GiB"),
            ("1024GiB", 1 << 40, "1024GiB"),
        ])
    func sizes(_ text: String, _ bytes: Int, _ compact: String) {
        #expect(SizeText.bytes(text) == bytes)
        #expect(SizeText.compact(bytes) == compact)
    }

    @Test(
        "What is no size is refused",
        arguments: [
            "", "0", "-1", "KiB", "1.5MiB", "64KB", "64kib", "2TiB", "1025GiB", "64 KiB",
            "99999999999999999999", "9223372036854775807GiB", "٣",
        ])
    func noSize(_ text: String) { #expect(SizeText.bytes(text) == nil) }

    @Test(
        "Times are read and spelled back in UTC",
        arguments: [
            ("1970-01-01T00:00:00Z", 0, "1970-01-01T00:00:00.000Z"),
            ("1969-12-31T23:59:59.999Z", -1, "1969-12-31T23:59:59.999Z"),
            ("2000-02-29T12:00:00Z", 951_825_600_000, "2000-02-29T12:00:00.000Z"),
            ("2024-02-29T23:59:59.5Z", 1_709_251_199_500, "2024-02-29T23:59:59.500Z"),
            ("2026-01-31T14:03:22.123Z", 1_769_868_202_123, "2026-01-31T14:03:22.123Z"),
            ("2026-01-31t14:03:22.123999z", 1_769_868_202_123, "2026-01-31T14:03:22.123Z"),
            ("2026-01-31 15:03:22.1239+01:00", 1_769_868_202_123, "2026-01-31T14:03:22.123Z"),
            ("2026-01-31T01:33:22-12:30", 1_769_868_202_000, "2026-01-31T14:03:22.000Z"),
            ("1900-03-01T00:00:00Z", -2_203_891_200_000, "1900-03-01T00:00:00.000Z"),
            ("0001-01-01T00:00:00Z", -62_135_596_800_000, "0001-01-01T00:00:00.000Z"),
            ("9999-12-31T23:59:59.999Z", 253_402_300_799_999, "9999-12-31T23:59:59.999Z"),
            ("2016-12-31T23:59:60Z", 1_483_228_800_000, "2017-01-01T00:00:00.000Z"),
        ])
    func times(_ text: String, _ milliseconds: Int64, _ spelled: String) {
        let moment = Timestamp(milliseconds: milliseconds)
        #expect(TimeText.rfc3339(text) == moment)
        #expect(TimeText.rfc3339(moment) == spelled)
    }

    @Test(
        "What is no time is refused",
        arguments: [
            "", "now", "2026-01-31", "2026-01-31T14:03:22", "2026-1-31T14:03:22Z",
            "2026-13-01T00:00:00Z",
            "2026-00-01T00:00:00Z", "2026-02-29T00:00:00Z", "1900-02-29T00:00:00Z",
            "2026-04-31T00:00:00Z", "2026-01-00T00:00:00Z", "2026-01-01T24:00:00Z",
            "2026-01-01T00:60:00Z", "2026-01-01T00:00:61Z", "2026-01-01T00:00:00.Z",
            "2026-01-01T00:00:00,5Z", "2026-01-01T00:00:00+0100", "2026-01-01T00:00:00+24:00",
            "2026-01-01T00:00:00+01:60", "2026-01-01T00:00:00Zulu", "2026-01-01x00:00:00Z",
            "-026-01-01T00:00:00Z", "2026/01/01T00:00:00Z", "２026-01-01T00:00:00Z",
            "2026-01-01T00:00:00.5", "2026-01-01T00:00:00+1:000",
        ])
    func noTime(_ text: String) { #expect(TimeText.rfc3339(text) == nil) }

    @Test("Every day of 200 years is read back as it was written")
    func days() {
        let wrong = (Int64(-29_220)...43_829).filter { day in
            let moment = Timestamp(milliseconds: day * 86_400_000 + 3_723_004)
            return TimeText.rfc3339(TimeText.rfc3339(moment)) != moment
        }
        #expect(wrong.isEmpty)
    }

    @Test(
        "Commands take times from now on",
        arguments: [("now", 0), ("+5m", 300), ("2h", 7200), ("0", 0)])
    func fromNow(_ text: String, _ seconds: Int64) {
        #expect(TimeText.moment(text, now: at(9)) == at(9 + seconds))
    }

    @Test("A moment never overflows")
    func saturates() {
        let (first, last) = (Timestamp(milliseconds: .min), Timestamp(milliseconds: .max))
        #expect(last + 1 == last && first + -1 == first)
        #expect(last - first == .max && first - last == .min && at(3) - at(1) == 2000)
    }

    @Test(
        "The nearest known word is offered",
        arguments: [
            ("stat", "state"), ("STATE", "state"), ("grup", "group"), ("tpye", "type"),
            ("typ", "type"),
            ("qu", "queue"), ("xyz", nil), ("", nil), ("idd", "id"),
        ])
    func spelling(_ word: String, _ nearest: String?) {
        #expect(Spelling.nearest(to: word, among: TaskFilter.keys) == nearest)
    }
}
