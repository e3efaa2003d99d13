import SluiceModel
import SluiceSystem
import Testing

@Suite("Bounds of filters")
struct FilterBoundTests {
    private func refusal(_ filter: String) -> String? {
        do throws(QueueError) {
            _ = try TaskFilter(filter)
            return nil
        } catch {
            #expect(error.code == .badFilter)
            return error.description
        }
    }

    @Test("a filter that would take long to match is refused with its bound")
    func bounds() {
        #expect(refusal(String(repeating: "a", count: 60_000))?.contains("at most 10000") == true)
        let many = Array(repeating: "ab", count: 501).joined(separator: " or ")
        #expect(refusal(many)?.contains("more than 500 words") == true)
        #expect(refusal(Array(repeating: "ab", count: 500).joined(separator: " or ")) == nil)
        #expect(refusal("text~a{0,4000}b") == nil)
        #expect(refusal("text~(a{100}){101}")?.contains("10000") == true)
    }

    @Test("a large expression reads a long text in proportion to the text")
    func largeExpression() throws {
        let text = String(repeating: "a", count: 200_000)
        let expression = try RegularExpression("a{0,2000}b")
        let took = processorTime {
            #expect(!expression.matches(text))
            #expect(expression.matches(text + "b"))
        }
        // Each state at each letter would be eight hundred million steps.
        #expect(took < 20)
        #expect(try RegularExpression("\\ba{0,2000}b$").matches("-" + text + " " + "aab"))
        #expect(try !RegularExpression("^a{0,2000}b$").matches(text + "b"))
    }

    @Test("a long word is found where it is, and work is in proportion to the text")
    func longWords() {
        let text = Array(String(repeating: "a", count: 400_000).utf8)
        let wanted = Array((String(repeating: "a", count: 5_000) + "b").utf8)
        let took = processorTime { #expect(!text.holds(wanted)) }
        // Compared at each place it would take two thousand million steps.
        #expect(took < 10)
        #expect((text + wanted + text).holds(wanted))
        #expect(text.holds(Array(text.prefix(33))))
        #expect(!Array(text.prefix(40)).holds(Array(text.prefix(41))))
        let folded = FoldedLetters(String(repeating: "aB", count: 50) + "c")
        #expect(folded.stand(in: String(repeating: "Ab", count: 70) + "C"))
        #expect(!folded.stand(in: String(repeating: "Ab", count: 70)))
    }
}

/// The processor time of this thread that a body takes, in seconds.
private func processorTime(_ body: () throws -> Void) rethrows -> Double {
    let start = SystemClock.threadNanoseconds()
    try body()
    return Double(SystemClock.threadNanoseconds() - start) / 1e9
}
