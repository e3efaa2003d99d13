import SluiceControl
import SluiceModel
import SluiceStore
import SluiceTerminalUI
import Testing

@testable import SluiceConsole

@Suite("Words of a running task")
struct RunningWordsTests {
    private func words(
        _ fraction: Double?, _ text: String?, glyphs: GlyphSet = .unicode
    ) throws -> TaskWords {
        var line = try LivingScene.store().readBlocking {
            try Reading($0, now: LivingScene.now).line(930)
        }
        line.fraction = fraction
        line.progressText = text
        let clock = ScreenClock(
            now: LivingScene.now, format: .utc, ticks: true)
        return TaskWords(line: line, names: TaskNames(), clock: clock, glyphs: glyphs)
    }

    @Test("A7 S5 a row says how far, how fast and how long; with less room the end of it stays")
    func fits() throws {
        let words = try words(0.42, "412 MiB of 981 MiB, 8.2 MiB/s, 1m 10s left")
        let expected = [
            "running 3s ▸42% · 412 MiB of 981 MiB · 8.2 MiB/s · 1m 10s left  worker 1",
            "running 3s ▸42% · 8.2 MiB/s · 1m 10s left  worker 1",
            "running 3s ▸42% · 8.2 MiB/s · 1m 10s left",
            "running ▸42% · 8.2 MiB/s · 1m 10s left", "running ▸42% · 1m 10s left",
            "running 3s ▸42%",
        ]
        for text in expected {
            let width = DisplayText.width(text)
            #expect(words.state(width: width).text == text)
            #expect(words.state(width: width + 1).text == text)
        }
        #expect(words.state(width: 5).text == expected.last)
        #expect(words.state().text == expected.first)
    }

    @Test("A7 what has no length, or no words, shows what there is")
    func less() throws {
        let endless = try words(nil, "2.4 KiB, 2.0 KiB/s")
        #expect(endless.state().text == "running 3s · 2.4 KiB · 2.0 KiB/s  worker 1")
        #expect(try words(0.5, nil).state(width: 20).text == "running 3s ▸50%")
        #expect(try words(nil, nil).state().text == "running 3s  worker 1")
        let ascii = try words(1, "9 of 9", glyphs: .ascii).state().text
        #expect(ascii.allSatisfy(\.isASCII) && ascii.contains("100% - 9 of 9"), "\(ascii)")
    }
}
