package import SluiceSystem

/// Reads the output of a running attempt as it grows, each byte once.
package struct OutputFollower: Sendable {
    /// The new output since the last look.
    package struct News: Hashable, Sendable {
        package var bytes: [UInt8] = []
        /// Whether output before it may be missing: the worker replaced more than one part.
        package var isCut = false

        package init(bytes: [UInt8] = [], isCut: Bool = false) {
            (self.bytes, self.isCut) = (bytes, isCut)
        }
    }

    private let part: String
    private let runFolder: String
    /// The part that was read last. It stays readable after the worker removed it.
    private var file: FileDescriptor?

    /// Follows the attempt with this part, from the beginning of the kept output.
    package init(_ part: String, in runFolder: String) {
        (self.part, self.runFolder) = (part, runFolder)
    }

    /// The output since the last call.
    package mutating func next() throws(SystemError) -> News {
        var news = News(bytes: try file?.readPart() ?? [])
        guard let folder = try OutputFolder(in: runFolder),
            let parts = try OutputParts.opened(part, in: folder)
        else { return news }
        let last = try file?.status().identity
        if let current = parts.current, try current.status().identity == last { return news }
        // The last part was set aside. Output may have come between the two reads.
        news.bytes += try file?.readPart() ?? []
        if let former = parts.former, try former.status().identity != last {
            news.isCut = last != nil
            news.bytes += try former.readPart()
            file = former
        }
        if let current = parts.current {
            news.bytes += try current.readPart()
            file = current
        }
        return news
    }
}
