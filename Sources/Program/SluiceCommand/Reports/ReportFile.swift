import SluiceModel
import SluiceSystem

/// A report that the clipboard of a terminal does not take.
enum ReportFile {
    /// Writes it into a new file of the current folder, which its owner alone reads; gives the
    /// file's name.
    static func write(_ text: String, of ids: [TaskID]) throws -> String {
        let name = ids.count == 1 ? "sluice-report-\(ids[0])" : "sluice-report"
        for number in 1...999 {
            let path = "./\(name)\(number > 1 ? "-\(number)" : "").md"
            guard try Files.status(path, followLinks: false) == nil else { continue }
            let file = try Files.create(path)
            try file.writeAll(Array(text.utf8))
            return path
        }
        throw QueueError(
            .denied, "there are 999 reports of that name here",
            fix: "move them elsewhere, or write sluice report TASK > FILE")
    }
}
