import SluiceConsole
import SluiceModel
import SluiceSystem
import SluiceTerminalCurses

/// New files with texts that a person shares. Never replaces a file. The owner alone reads them.
enum NewFile {
    /// Writes a report of tasks into the current folder. Returns the file's name.
    static func write(report text: String, of ids: [TaskID]) throws -> String {
        let name = ids.count == 1 ? "sluice-report-\(ids[0])" : "sluice-report"
        return try write(text, name, "md", fix: "sluice report TASK > FILE")
    }

    /// Writes an image of a view into a file, or into one of the current folder. Returns the file's
    /// name.
    static func write(image: String, _ path: String?, view: String) throws -> String {
        guard let path else {
            return try write(image, "sluice-\(view)", "svg", fix: "screenshot FILE.svg")
        }
        guard try Files.status(path, followLinks: false) == nil else {
            throw QueueError(.denied, "\(path) exists", fix: "name a new file")
        }
        try create(path, image)
        return path
    }

    private static func write(
        _ text: String, _ name: String, _ ending: String, fix: String
    ) throws -> String {
        for number in 1...999 {
            let path = "./\(name)\(number > 1 ? "-\(number)" : "").\(ending)"
            guard try Files.status(path, followLinks: false) == nil else { continue }
            try create(path, text)
            return path
        }
        throw QueueError(
            .denied, "there are 999 files \(name)-NUMBER.\(ending) here",
            fix: "move them elsewhere, or write \(fix)")
    }

    private static func create(_ path: String, _ text: String) throws {
        let file = try Files.create(path)
        try file.writeAll(Array(text.utf8))
    }
}

extension ScreenProgram {
    /// A report goes to the clipboard of the terminal, or if it is too long into a new file.
    func keep(
        _ report: Result<String, QueueError>, of ids: [TaskID]
    ) -> Result<ReportPlace, QueueError> {
        report.flatMap { text in
            if terminal.copyToClipboard(text) { return .success(.clipboard) }
            return Result(outcomeOf: { .file(try NewFile.write(report: text, of: ids)) })
        }
    }

    /// The image shows the screen that the action leaves.
    func drawScreen(_ view: String, into path: String?) -> Result<String, QueueError> {
        let svg = terminal.svg(of: state.view(terminal.size))
        return Result(outcomeOf: { try NewFile.write(image: svg, path, view: view) })
    }
}
