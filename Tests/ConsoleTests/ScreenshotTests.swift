import SluiceModel
import SluiceTerminalUI
import Testing

@testable import SluiceConsole

/// An image of the screen, by a key and by a line.
@Suite("the image of the screen")
struct ScreenshotTests {
    private func bench() throws -> Bench {
        Bench(
            store: try LivingScene.store(), size: Size(width: 120, height: 36),
            now: LivingScene.now)
    }

    private func line(_ text: String, _ bench: Bench) {
        bench.press(":")
        for (number, word) in text.split(separator: " ").enumerated() {
            if number > 0 { bench.press("Space") }
            bench.type(String(word))
        }
        bench.press("Enter")
    }

    @Test("I asks for an image of what is shown: a view, the timeline, a page")
    func key() throws {
        let views = [
            ("", "inventory"), ("9", "flow"), ("W", "timeline"), ("?", "inventory"),
        ]
        for (keys, name) in views {
            let bench = try bench()
            bench.press(keys)
            _ = bench.takeEffects()
            bench.press("I")
            #expect(bench.takeEffects().contains(.screenshot(nil, of: name)), "\(keys)")
        }
    }

    @Test("screenshot FILE names the file, and closes the line first")
    func file() throws {
        let bench = try bench()
        line("screenshot '/tmp/a b.svg'", bench)
        #expect(bench.takeEffects().contains(.screenshot("/tmp/a b.svg", of: "inventory")))
        #expect(bench.state.modal == nil)
        line("screenshot a b", bench)
        #expect(bench.screen.contains("screenshot takes one file"), "\(bench.screen)")
    }

    @Test("the message names the file, or the reason")
    func answer() throws {
        let bench = try bench()
        bench.send(.drawn(.success("./sluice-flow.svg")))
        #expect(bench.message.contains("the screen is in ./sluice-flow.svg"))
        bench.send(.drawn(.failure(QueueError(.denied, "a.svg exists", fix: "name a new file"))))
        #expect(bench.message.contains("a.svg exists; name a new file"), "\(bench.message)")
    }

    @Test(
        "the palette finds it and the charts by other words",
        arguments: [
            ("share", "screenshot"), ("picture", "screenshot"), ("charts", "queues"),
            ("chart", "timeline"),
        ])
    func palette(word: String, title: String) throws {
        let bench = try bench()
        bench.press(":")
        bench.type(word)
        let titles = (bench.state.palette?.entries ?? []).map(\.title)
        #expect(titles.contains(title), "\(titles)")
    }
}
