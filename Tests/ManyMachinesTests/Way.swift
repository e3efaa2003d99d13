import SluicePlatform

/// What a link does with what passes in one direction.
struct Way: Equatable, Sendable {
    /// How long everything is on its way.
    var delayMilliseconds: Int64 = 0
    /// So many of a thousand pieces are lost once: they come, and all behind them, when their
    /// sender has sent them again.
    var lossPerMille = 0
    /// Nothing arrives. The systems at both ends keep what was sent, and send it when the way is
    /// open again, as after a cut cable.
    var isShut = false
}

/// What is on its way in one direction of one connection.
struct Stream {
    /// What a sender waits until it sends again what was lost.
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

    /// Takes a piece in; nothing overtakes what was sent before.
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

    /// Hands what has arrived to `write`, which says how much of it was taken.
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
