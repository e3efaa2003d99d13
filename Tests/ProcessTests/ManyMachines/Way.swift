import SluiceSystem

/// A link's treatment of one direction.
struct Way: Equatable, Sendable {
    /// How long everything is on its way.
    var delayMilliseconds: Int64 = 0
    /// The loss rate per thousand pieces. A lost piece and all later ones arrive after the sender's
    /// retransmission.
    var lossPerMille = 0
    /// Blocks all data. Both systems keep their unsent data and send it when the way reopens, as
    /// after a cable cut.
    var isShut = false
}

/// Data in transit in one direction of one connection.
struct Stream {
    /// The time until a sender retransmits a lost piece.
    static let resendMilliseconds: Int64 = 200
    /// More than that is not taken in, so that the sender's system stops, too.
    static let limitBytes = 1 << 18

    private var pieces: [(due: Int64, bytes: ArraySlice<UInt8>)] = []
    private var heldBytes = 0
    private var lastDue: Int64 = 0
    /// Whether the sender has closed.
    var isEnded = false

    var isEmpty: Bool { pieces.isEmpty }
    var hasRoom: Bool { heldBytes < Self.limitBytes }
    /// When the next piece arrives; nil for none.
    var due: Int64? { pieces.first?.due }

    /// Accepts a piece, never ahead of earlier ones.
    mutating func put(
        _ bytes: [UInt8], way: Way, at instant: Int64, chance: inout some RandomNumberGenerator
    ) {
        var due = instant + way.delayMilliseconds
        if way.lossPerMille > 0, Int.random(in: 0..<1000, using: &chance) < way.lossPerMille {
            due += Self.resendMilliseconds
        }
        lastDue = max(lastDue, due)
        pieces.append((lastDue, bytes[...]))
        heldBytes += bytes.count
    }

    /// Passes arrived data to `write`, which returns the number of bytes it accepted.
    mutating func deliver(
        at instant: Int64, write: (ArraySlice<UInt8>) throws -> Int
    ) rethrows {
        while let first = pieces.first, first.due <= instant {
            let count = try write(first.bytes)
            heldBytes -= count
            if count < first.bytes.count {
                pieces[0].bytes = first.bytes.dropFirst(count)
                return
            }
            pieces.removeFirst()
        }
    }
}
