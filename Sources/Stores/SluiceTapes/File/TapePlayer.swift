package import SluiceModel
package import SluiceStore
import SluiceSystem

/// A tape at some moment of it, and the way to any other: forth by putting events on, back by
/// taking them off again, and far by the nearest keyframe (G6).
package final class TapePlayer: Sendable {
    package let file: TapeFile
    private let place: Protected<Place>
    private let keepsWay: Bool
    /// The number of recent events that the player can revert one by one; it keeps at most twice
    /// this number. Their reverse changes take most of the memory of a long tape.
    private static let formerLimit = 2000
    /// The maximum number of keyframes. Beyond it, every second one is dropped.
    private static let keyframeLimit = 32
    private static let firstSpacing = 1000
    /// The number of events before a keyframe that the player can revert from it. A step back
    /// across a keyframe need not replay all events since the previous one.
    private static let frameFormerLimit = 32

    /// The store on a tape after an event.
    package struct View: Sendable {
        /// The event; 0 is the beginning.
        package var event: Int
        package var at: Timestamp
        /// The store, for reading only.
        package var store: MemoryStore
    }

    /// A copy of a moment, for jumps.
    private struct Keyframe {
        var event = 0
        var moment: TapeMoment
        /// The changes that revert the events before it.
        var formers: [TapeMoment.Former] = []
    }

    private struct Place {
        var event = 0
        var moment: TapeMoment
        var formers: [TapeMoment.Former] = []
        var keyframes: [Keyframe]
        var spacing = TapePlayer.firstSpacing

        mutating func go(to frame: Keyframe) {
            (event, moment, formers) = (frame.event, frame.moment, frame.formers)
        }
    }

    /// Opens a tape at its beginning. Throws `damagedStore` if the beginning is unreadable.
    package convenience init(_ file: TapeFile) throws { try self.init(file, keepsWay: true) }

    /// Without `keepsWay` the player can only move forward.
    private init(_ file: TapeFile, keepsWay: Bool) throws {
        self.file = file
        self.keepsWay = keepsWay
        let moment = try Self.beginning(of: file)
        place = Protected(Place(moment: moment, keyframes: [Keyframe(moment: moment)]))
    }

    /// The initial contents. Throws `damagedStore` if they are unreadable, and `denied` without
    /// enough memory.
    static func beginning(of file: TapeFile) throws -> TapeMoment {
        var moment = TapeMoment(identity: file.header.identity)
        do {
            for part in 0..<file.beginningParts { _ = try moment.apply(file.beginning(part)) }
        } catch let error as QueueError where error.code != .denied {
            throw TapeFile.edited(file.path, "its beginning does not fit (\(error.message))")
        }
        return moment
    }

    /// Applies an event to the moment before it.
    @discardableResult
    static func put(
        _ commit: TapeCommit, _ event: Int, on moment: inout TapeMoment, _ file: TapeFile
    ) throws -> TapeMoment.Former {
        do {
            return try moment.apply(commit)
        } catch let error as QueueError {
            throw TapeFile.edited(
                file.path, "event \(event) does not follow from the state before (\(error.message))"
            )
        }
    }

    /// The store after an event, for a single view: keeps nothing for moves to other events.
    package static func view(of file: TapeFile, at event: Int) throws -> View {
        try TapePlayer(file, keepsWay: false).view(at: event)
    }

    /// The store after an event, or after the nearest existing one. On a long way it calls `goOn`
    /// regularly; on false it stops at the event reached.
    package func view(at event: Int, goOn: (_ reached: Int) -> Bool = { _ in true }) throws -> View
    {
        try place.withLock { place in
            try go(to: max(0, min(event, file.count)), &place, goOn)
            return View(
                event: place.event, at: try file.moment(of: place.event),
                store: place.moment.store(named: file.path))
        }
    }

    private func go(to event: Int, _ place: inout Place, _ goOn: (Int) -> Bool) throws {
        let nearest = place.keyframes.last { $0.event <= event } ?? place.keyframes[0]
        if event < place.event {
            let steps = place.event - event
            if steps <= place.formers.count, steps <= event - nearest.event + 64 {
                for _ in 0..<steps {
                    place.moment.revert(place.formers.removeLast())
                    place.event -= 1
                }
                return
            }
            place.go(to: nearest)
        } else if nearest.event > place.event {
            place.go(to: nearest)
        }
        while place.event < event {
            if place.event % 4096 == 0, !goOn(place.event) { return }
            try step(&place)
        }
    }

    private func step(_ place: inout Place) throws {
        let next = place.event + 1
        let commit = try file.event(next)
        let former = try Self.put(commit, next, on: &place.moment, file)
        place.event = next
        guard keepsWay else { return }
        place.formers.append(former)
        if place.formers.count >= 2 * Self.formerLimit {
            place.formers.removeFirst(Self.formerLimit)
        }
        keepFrame(&place)
    }

    /// Keeps a keyframe if the last one is far enough back.
    private func keepFrame(_ place: inout Place) {
        guard let last = place.keyframes.last, place.event >= last.event + place.spacing else {
            return
        }
        place.keyframes.append(
            Keyframe(
                event: place.event, moment: place.moment,
                formers: Array(place.formers.suffix(Self.frameFormerLimit))))
        guard place.keyframes.count > Self.keyframeLimit else { return }
        place.spacing *= 2
        place.keyframes = place.keyframes.enumerated().filter { $0.offset % 2 == 0 }
            .map(\.element)
    }
}
