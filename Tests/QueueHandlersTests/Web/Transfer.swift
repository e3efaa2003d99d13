import SluiceModel
import SluiceRunner
import SluiceSystem
import SluiceTestSupport

@testable import SluiceHandlers

/// A folder for the files of a test's transfers, gone when the test is over.
final class TransferPlace: Sendable {
    let path: String

    init() throws { path = try Files.makeTemporaryDirectory(prefix: "sluice-transfer-") }

    deinit { try? Files.removeTree(path) }

    func file(_ name: String) -> String { "\(path)/\(name)" }

    func write(_ text: String, to name: String) throws {
        try Files.writeAtomically(Array(text.utf8), to: file(name))
    }

    func read(_ name: String) throws -> [UInt8] {
        try Files.read(file(name), limitBytes: 1 << 30)
    }

    /// The names in the folder, hidden ones too.
    func names() throws -> [String] { try Files.list(path) }

    /// Starts a download for a task; the number identifies its files.
    func download(
        _ payload: JSONValue, task: TaskID = 1042,
        _ change: (inout WebSettings) -> Void = { _ in }
    ) -> Asked {
        var settings = WebSettings()
        settings.firstPauseMilliseconds = 1
        change(&settings)
        let handler = TransferHandler(
            direction: .down, root: TransferRoot(path: path), settings: settings,
            timeoutMilliseconds: nil)
        return Asked(handler, payload: Array(payload.text(indent: nil).utf8), task: task)
    }

    /// Begins an upload of a file.
    func uploading(_ url: String, _ source: String, method: String? = nil) -> Asked {
        var settings = WebSettings()
        settings.firstPauseMilliseconds = 1
        let handler = TransferHandler(
            direction: .up, root: TransferRoot(path: path), settings: settings,
            timeoutMilliseconds: nil)
        let payload: JSONValue = [
            "url": .string(url), "source": .string(source), "method": JSONValue(method),
        ]
        return Asked(handler, payload: Array(payload.text(indent: nil).utf8))
    }

    /// Uploads a file, to its end.
    func upload(_ url: String, _ source: String, method: String? = nil) async -> Asked {
        let asked = uploading(url, source, method: method)
        _ = await asked.outcome
        return asked
    }

    /// Downloads from an address to a name, to its end.
    func download(
        _ url: String, to name: String, overwrite: Bool = false, task: TaskID = 1042,
        _ change: (inout WebSettings) -> Void = { _ in }
    ) async -> Asked {
        let payload: JSONValue = [
            "url": .string(url), "destination": .string(name), "overwrite": .bool(overwrite),
        ]
        let asked = download(payload, task: task, change)
        _ = await asked.outcome
        return asked
    }
}

extension HandlerOutcome {
    /// The file came and has its name.
    static func placed(_ name: String, bytes: Int) -> HandlerOutcome {
        .success(result: Array(#"{"destination":"\#(name)","bytes":\#(bytes)}"#.utf8))
    }
}
