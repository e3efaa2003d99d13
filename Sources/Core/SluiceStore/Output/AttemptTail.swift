package import SluiceModel
package import SluiceSystem

/// The end of a running child's output, from the files that its worker keeps on this machine.
package struct AttemptTail: Hashable, Sendable {
    /// The most bytes of a tail.
    package static let limitBytes = OutputFolder.partBytes

    /// The printed bytes, of both streams in the order of the worker's reads.
    package let bytes: [UInt8]
    /// Whether the child printed more before them.
    package let isCut: Bool
    /// When the last byte came, in milliseconds since 1970 by the clock of this machine's disk.
    package let printedAt: Int64

    /// The tail of a running attempt; `nil` if it printed nothing, or nothing on this machine.
    /// Throws for a folder that is not private.
    package init?(of task: QueueTask, runFolder: String?) throws(SystemError) {
        guard let runFolder, let lease = task.running,
            let folder = try OutputFolder(in: runFolder)
        else { return nil }
        let part = OutputFolder.part(process: lease.owner, task: task.id, attempt: lease.attempt)
        guard let parts = try OutputParts.opened(part, in: folder) else { return nil }
        let all = try parts.former?.readPart() ?? []
        let newest = try parts.current?.readPart() ?? []
        self.init(all + newest, isCut: parts.former != nil, printedAt: try parts.printedAt)
    }

    /// Why the output of a running attempt is not kept, such as a full disk; `nil` if it is kept.
    package static func loss(
        of task: QueueTask, runFolder: String?
    ) throws(SystemError) -> SystemError? {
        guard let runFolder, let lease = task.running else { return nil }
        return try OutputFolder(in: runFolder)?.loss(
            of: OutputFolder.part(process: lease.owner, task: task.id, attempt: lease.attempt))
    }

    package init(_ bytes: [UInt8], isCut: Bool = false, printedAt: Int64 = 0) {
        self.bytes = Array(bytes.suffix(Self.limitBytes))
        self.isCut = isCut || bytes.count > Self.limitBytes
        self.printedAt = printedAt
    }
}

/// The open parts of an attempt's output.
package struct OutputParts: Sendable {
    package let former: FileDescriptor?
    package let current: FileDescriptor?

    /// Opens the parts; `nil` if there are none.
    package static func opened(
        _ part: String, in folder: OutputFolder
    ) throws(SystemError) -> OutputParts? {
        let current = try folder.open(part)
        let former = try folder.open(part + OutputFolder.formerSuffix)
        if let current, let former, try current.status().identity == former.status().identity {
            // It was set aside between the two opens. The next part is not a part of this look.
            return OutputParts(former: nil, current: current)
        }
        return current == nil && former == nil
            ? nil : OutputParts(former: former, current: current)
    }

    fileprivate var printedAt: Int64 {
        get throws(SystemError) {
            try ((current ?? former)?.status().modifiedNanoseconds ?? 0) / 1_000_000
        }
    }
}

extension FileDescriptor {
    /// The rest of a part from the place of the last read, with a limit.
    package func readPart() throws(SystemError) -> [UInt8] {
        var bytes: [UInt8] = []
        while bytes.count < OutputFolder.partBytes {
            let chunk = try read(atMost: OutputFolder.partBytes - bytes.count)
            guard case .bytes(let more) = chunk else { break }
            bytes += more
        }
        return bytes
    }
}
