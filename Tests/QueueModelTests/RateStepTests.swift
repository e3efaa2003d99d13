import SluiceModel
import Testing

@Suite("halves and doubles of rates")
struct RateStepTests {
    private func rate(_ text: String, _ burst: Int? = nil) throws -> Rate {
        try #require(Rate(text: text)?.with(burst: burst))
    }

    @Test(
        "Q13 a rate is halved and doubled in whole numbers",
        arguments: [
            ("10/1m", "5/1m", "20/1m"), ("5/1m", "5/2m", "10/1m"), ("5/2m", "5/4m", "5/1m"),
            ("1/1.5s", "1/3s", "2/1.5s"), ("1000000/1s", "500000/1s", "1000000/500ms"),
            ("1000000/1ms", "500000/1ms", nil), ("1000000/2s", "500000/2s", "1000000/1s"),
            ("1/366d", nil, "1/183d"),
        ] as [(String, String?, String?)])
    func steps(_ text: String, half: String?, double: String?) throws {
        #expect(try rate(text).halved?.text == half)
        #expect(try rate(text).doubled?.text == double)
    }

    @Test("Q13 IDJ-35 doubling takes a halving back, and both keep the burst")
    func back() throws {
        for count in 1...40 {
            for period in ["1ms", "3s", "30s", "1m", "2m", "90s", "1h", "36h", "7d"] {
                for burst in [nil, 1, count] {
                    let rate = try rate("\(count)/\(period)", burst)
                    let half = try #require(rate.halved)
                    let back = try #require(half.doubled)
                    #expect(half.burst == burst && back.burst == burst)
                    let one = Int64(half.count) * rate.milliseconds * 2
                    #expect(one == Int64(rate.count) * half.milliseconds, "\(half) of \(rate)")
                    let two = Int64(back.count) * rate.milliseconds
                    #expect(two == Int64(rate.count) * back.milliseconds, "\(back) of \(rate)")
                }
            }
        }
    }
}
