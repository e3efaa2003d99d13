package import SluiceModel

extension QueueError {
    /// Tables of an older version, which this program reads only after it has changed them.
    package static func olderTables(
        _ name: String, version: Int, needed: Int, copy: String? = nil
    ) -> QueueError {
        let way = copy.map { ", or \($0)" } ?? ""
        return QueueError(
            .readOnly,
            "\(name) was made by an older Sluice: its tables have version \(version), this program "
                + "reads version \(needed), and it is opened without changes here",
            fix: "sluice queues --store \(ShellWord.quoted(name)) changes its tables\(way)")
    }
}
