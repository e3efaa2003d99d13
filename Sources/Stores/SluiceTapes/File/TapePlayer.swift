package import SluiceModel
import SluicePlatform
package import SluiceStore

/// A tape at some moment of it, and the way to any other: forth by putting events on, back by
/// taking them off again, and far by the nearest keyframe (G6).
package final class TapePlayer: Sendable {
    /// The tape.
    package let file: TapeFile
    private let place: Protected<Place>
    private let keepsWay: Bool
    /// So many of the last events can be taken off one by one, and at most twice as many are kept:
    /// what they put back is most of what a long way takes of memory.
    private static let formerLimit = 2000
    /// So many keyframes are kept; then each second one goes.
    private static let keyframeLimit = 32
    private static let firstSpacing = 1000
    /// So many events before a keyframe can be taken off from there on, so that one step back over
    /// it does not play all from the keyframe before.
    private static let frameFormerLimit = 32

    /// A store as a tape has it behind an event.
    package struct View: Sendable {
        /// The event; 0 is the beginning.
        package var event: Int
        /// When it was.
        package var at: Timestamp
        /// The store, for reading only.
        package var store: MemoryStore
    }

    /// A moment to which one can go at once.
    private struct Keyframe {
        var event = 0
        var moment: TapeMoment
        /// What takes the events before it off.
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

    /// A tape at its beginning; throws `damagedStore` where that cannot be read.
    package convenience init(_ file: TapeFile) throws { try self.init(file, keepsWay: true) }

    /// Where the way is not kept, nothing leads back.
    private init(_ file: TapeFile, keepsWay: Bool) throws {
        self.file = file
        self.keepsWay = keepsWay
        let moment = try Self.beginning(of: file)
        place = Protected(Place(moment: moment, keyframes: [Keyframe(moment: moment)]))
    }

    /// What was there at first; throws `damagedStore` where that cannot be read, and `denied`
    /// where there is no memory for it.
    static func beginning(of file: TapeFile) throws -> TapeMoment {
        var moment = TapeMoment(identity: file.header.identity)
        do {
            for part in 0..<file.beginningParts { _ = try moment.apply(file.beginning(part)) }
        } catch let error as QueueError where error.code != .denied {
            throw TapeFile.edited(file.path, "its beginning does not fit (\(error.message))")
        }
        return moment
    }

    /// Puts an event on what was before it.
    @discardableResult
    static func put(
        _ commit: TapeCommit, _ event: Int, on moment: inout TapeMoment, _ file: TapeFile
    ) throws -> TapeMoment.Former {
        do {
            return try moment.apply(commit)
        } catch let error as QueueError {
            throw TapeFile.edited(
                file.path, "event \(event) does not follow from what was before (\(error.message))"
            )
        }
    }

    /// The store behind an event that the tape has, for whoever looks once: nothing is kept that
    /// leads to another one.
    package static func view(of file: TapeFile, at event: Int) throws -> View {
        try TapePlayer(file, keepsWay: false).view(at: event)
    }

    /// The store behind an event, or at the nearest that there is. `goOn` is asked now and then on
    /// a long way; where it says no, the view is of where it came to.
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

    /// Keeps the moment, where none was kept for long.
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
