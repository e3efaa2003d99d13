import SluiceModel
import SluiceSystem
import Testing

@testable import SluiceCommand

@Suite("The panes of the console are kept")
struct PaneSettingTests {
    private func settings(_ folder: String) throws(QueueError) -> PersonalSettings {
        try PersonalSettings(ConsoleStart()) { $0 == "XDG_CONFIG_HOME" ? folder : nil }
    }

    @Test("a choice is there at the next start")
    func kept() throws {
        let folder = try Files.makeTemporaryDirectory(prefix: "panes-")
        defer { try? Files.removeTree(folder) }
        #expect(try settings(folder).showsPanes)
        try settings(folder).keepPanes(false)
        #expect(try !settings(folder).showsPanes)
        try settings(folder).keepPanes(true)
        #expect(try settings(folder).showsPanes)
    }

    @Test("another word is refused with the file and its line")
    func refused() throws {
        let folder = try Files.makeTemporaryDirectory(prefix: "panes-")
        defer { try? Files.removeTree(folder) }
        try settings(folder).keepPanes(false)
        try Files.writeAtomically(Array("maybe\n".utf8), to: "\(folder)/sluice/panes")
        let error = try #require(throws: QueueError.self) { try settings(folder) }
        #expect(error.code == .badValue)
        #expect(error.message.contains("sluice/panes, line 1: panes are shown or hidden"))
    }

    @Test("without a home nothing is kept, and the error says what to set")
    func homeless() throws {
        let settings = try PersonalSettings(ConsoleStart()) { _ in nil }
        #expect(throws: QueueError.self) { try settings.keepPanes(false) }
    }
}
