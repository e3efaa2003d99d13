import SluiceModel
import Testing

@Suite("Retry rules")
struct RetryRuleTests {
    @Test(
        "Q7 a rule is read back from its text",
        arguments: [
            "fixed(10s)", "fixed(0s)", "linear(20s,4s)", "exponential(1s,2,1h,0.1)",
            "exponential(1s,2,5m,0)", "exponential(250ms,1.5,1d,1)", "polynomial(1s,4,1h)",
            "polynomial(500ms,0.5,1h)",
        ])
    func texts(_ text: String) { #expect(RetryRule(text)?.description == text) }

    @Test("Blanks and a missing jitter are understood")
    func lenient() {
        #expect(RetryRule("linear( 20s , 4s )") == RetryRule("linear(20s,4s)"))
        #expect(RetryRule("exponential(1s,2,1h)") == RetryRule("exponential(1s,2,1h,0)"))
    }

    @Test(
        "What is no rule is refused",
        arguments: [
            "", "fixed", "fixed()", "fixed(10)", "fixed(-1s)", "fixed(1s,2s)", "linear(1s)",
            "Fixed(1s)",
            "exponential(1s,0.5,1h)", "exponential(1s,2,1h,2)", "exponential(1s,nan,1h)",
            "exponential(1s,2)", "polynomial(1s,21,1h)", "fixed(1s) ", "never(1s)", "linear(1s,2s",
        ])
    func refused(_ text: String) { #expect(RetryRule(text) == nil) }

    static let delays: [(String, [Int64])] = [
        ("fixed(10s)", [10_000, 10_000, 10_000]),
        ("linear(20s,4s)", [20_000, 24_000, 28_000, 32_000]),
        ("exponential(1s,2,1h)", [1000, 2000, 4000, 8000]),
        ("exponential(1s,2,5s)", [1000, 2000, 4000, 5000, 5000]),
        ("exponential(1s,1.5,1h)", [1000, 1500, 2250, 3375]),
        ("polynomial(1s,4,1h)", [1000, 16_000, 81_000, 256_000, 625_000]),
        ("polynomial(1s,4,1m)", [1000, 16_000, 60_000, 60_000]),
        ("polynomial(1s,0.5,1h)", [1000, 1414, 1732, 2000]),
    ]

    @Test("Q7 the waits grow as the rule says, up to the cap", arguments: delays)
    func waits(_ text: String, _ expected: [Int64]) throws {
        let rule = try #require(RetryRule(text))
        let found = (1...expected.count).map {
            rule.delayMilliseconds(afterFailure: $0, chance: 0.5)
        }
        #expect(found == expected)
    }

    @Test("Q7 jitter stays in its bounds", arguments: [0.0, 0.25, 0.5, 0.75, 0.999_999])
    func jitter(_ chance: Double) throws {
        let rule = try #require(RetryRule("exponential(1s,2,1h,0.1)"))
        for (failure, base) in [(1, 1000), (5, 16_000), (40, 3_600_000)] as [(Int, Double)] {
            let wait = rule.delayMilliseconds(afterFailure: failure, chance: chance)
            #expect((base * 0.9...base * 1.1).contains(Double(wait)))
            #expect(abs(Double(wait) - base * (1 + 0.1 * (2 * chance - 1))) <= 1)
        }
    }

    @Test("Q7 no number of failures overflows", arguments: delays.map(\.0))
    func large(_ text: String) throws {
        let rule = try #require(RetryRule(text))
        for failure in [0, -5, 1000, 1_000_000, Int.max] {
            #expect(rule.delayMilliseconds(afterFailure: failure, chance: 0.5) >= 0)
        }
    }
}
