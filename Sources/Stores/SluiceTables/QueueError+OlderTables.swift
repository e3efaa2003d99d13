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
                + "reads version \(needed), and --read-only changes nothing",
            fix: "open it once without --read-only, which changes its tables\(way)")
    }
}
