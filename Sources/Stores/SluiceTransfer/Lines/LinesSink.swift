package import SluiceModel

/// A new file of JSON lines, for its owner alone; it gets its name when it is whole.
package final class LinesSink: TransferSink {
    /// `lines`.
    package let format = TransferFormat.lines
    private let file: NewFile

    /// Prepares a new file at `path`. Throws `notLegal` if the path exists.
    package init(path: String) throws(QueueError) { file = try NewFile(path: path) }

    package func add(_ item: TransferItem) throws {
        try file.write(TransferLine.text(item) + "\n")
    }

    /// Brings the file to the disk and gives it its name.
    package func finish() throws { try file.finish() }

    /// Removes the unfinished file.
    package func cancel() { file.cancel() }
}

/// Lines on standard output, one after the other.
package final class OutputSink: TransferSink {
    /// `lines`.
    package let format = TransferFormat.lines
    private let write: (String) throws -> Void

    /// Writes each line by `write`.
    package init(_ write: @escaping (String) throws -> Void) { self.write = write }

    /// Writes the item's line.
    package func add(_ item: TransferItem) throws { try write(TransferLine.text(item) + "\n") }

    /// Does nothing: every line is already written.
    package func finish() {}

    /// Does nothing: written lines cannot be taken back.
    package func cancel() {}
}
