import SluiceControl
import SluiceModel
import SluicePlatform
import SluiceStore

/// `doctor` and `compact`: a store's problems, repairs, and disk space.
extension CommandContext {
    func doctor(_ call: DoctorCall) throws -> Reply {
        do {
            return try examine(call)
        } catch let error as QueueError where call.repairs {
            throw error.afterRepair
        } catch let failed as Failed where call.repairs {
            throw Failed(failed.error.afterRepair, exit: failed.exit)
        }
    }

    private func examine(_ call: DoctorCall) throws -> Reply {
        _ = try store(onlyExamines: !call.repairs)
        let isFollowed = host.canAsk() && !common.isQuiet && !common.isJSON && !host.isScreen
        let line = isFollowed ? try ElapsedLine("the store is checked") : nil
        let examined = Result {
            try control().examine(repairs: call.repairs, isQuick: call.isQuick)
        }
        line?.end()
        let found = try examined.get()
        let json: JSONValue = [
            "problems": JSONValue(found.problems),
            "tasks": JSONValue(found.tasks),
            "damaged": .bool(found.isDamaged),
            "repaired": .bool(found.isRepaired),
            "done": JSONValue(found.done),
            "undo": .array(found.undo.map(JSONValue.integer)),
            "room": found.room.map(RoomText.json) ?? .null,
        ]
        var reply = Reply(json, lines(found, call))
        if !found.problems.isEmpty, !found.isRepaired { reply.exit = .refused }
        return reply
    }

    private func lines(_ found: Diagnosis, _ call: DoctorCall) -> [String] {
        var lines = (found.problems + found.done).map { SafeText.visible($0) }
        lines += found.undo.map { "undo: sluice undo \($0)" }
        if found.problems.isEmpty {
            let verb = found.tasks == 1 ? "was" : "were"
            let deed = call.isQuick && !call.repairs ? "counted" : "checked"
            lines.append("all is well: \(NumberText.tasks(found.tasks)) \(verb) \(deed)")
        } else if found.isRepaired {
            lines.append("mended")
        } else if found.isDamaged, !call.repairs {
            lines.append(
                "nothing is written into it now; sluice doctor --repair fixes it, and keeps the "
                    + "damaged file")
        } else if !call.repairs {
            lines.append(
                "sluice doctor --repair fixes what can be mended, and tries refused rows of the "
                    + "inbox again")
        }
        return lines + (found.room.map(RoomText.lines) ?? [])
    }

    func compact(evenIfLong: Bool) throws -> Reply {
        let store = try store()
        guard !store.isReadOnly else { throw QueueError.readOnlyStore(shownName) }
        guard let upkeep = store.upkeep else {
            throw QueueError.notLegal(
                "\(shownName) is not a file",
                fix: "a server frees its space with VACUUM")
        }
        let before = try upkeep.room()
        let after = try upkeep.compact(evenIfLong: evenIfLong)
        let json: JSONValue = [
            "bytesBefore": .integer(before.bytes), "bytes": .integer(after.bytes),
            "freeBefore": .integer(before.freeBytes), "free": .integer(after.freeBytes),
            "log": .integer(after.logBytes),
        ]
        let sizes = [before.bytes, after.bytes].map { SizeText.short($0) }
        var reply = Reply(
            json, ["\(shownName): \(sizes[0]) before, \(sizes[1]) now\(RoomText.log(after))"])
        reply.isConfirmation = true
        return reply
    }
}

/// The use of disk space, as text and as JSON.
private enum RoomText {
    static func json(_ room: StoreRoom) -> JSONValue {
        [
            "bytes": .integer(room.bytes), "free": .integer(room.freeBytes),
            "log": .integer(room.logBytes),
            "tables": .array(
                room.tables.map { ["name": .string($0.name), "bytes": .integer($0.bytes)] }),
        ]
    }

    /// The size of the log, if it is more than a program normally keeps.
    static func log(_ room: StoreRoom) -> String {
        guard room.logBytes >= 1 << 20 else { return "" }
        return ", and a log of \(SizeText.short(room.logBytes)) until its next checkpoint"
    }

    static func lines(_ room: StoreRoom) -> [String] {
        let parts = room.tables.prefix(6).map { "\($0.name) \(SizeText.short($0.bytes))" }
        let free = SizeText.short(room.freeBytes)
        let hint = room.freeBytes * 4 > room.bytes && room.freeBytes > 1 << 20
        return [
            "room: \(SizeText.short(room.bytes)), unused: \(free)"
                + (hint ? "; sluice compact frees it" : "") + log(room)
        ] + (parts.isEmpty ? [] : ["  " + parts.joined(separator: ", ")])
    }
}

/// A line on standard error that says how long something has been going on; ^C ends the program.
private final class ElapsedLine: Sendable {
    private let quit: EventSignal
    private let thread: Thread
    private static let timeoutMilliseconds = 1000

    init(_ what: String) throws {
        let quit = try EventSignal()
        self.quit = quit
        let began = SystemClock.monotonicMilliseconds()
        thread = try Thread(name: "sluice-patience") {
            let waits = [PollInterest(quit.descriptor.number)]
            var width = 0
            while !quit.drain() {
                // A failed wait returns early, and the line is only written again.
                _ = try? Poll.wait(fds: waits, timeoutMilliseconds: Self.timeoutMilliseconds)
                let seconds = (SystemClock.monotonicMilliseconds() - began) / 1000
                guard seconds > 0 else { continue }
                let text = "\(what): \(seconds) s; ^C stops it"
                width = text.count
                try? Standard.write("\r\(text)", to: .errors)
            }
            guard width > 0 else { return }
            let blanks = String(repeating: " ", count: width)
            try? Standard.write("\r\(blanks)\r", to: .errors)
        }
    }

    func end() {
        quit.signal()
        thread.join()
    }
}
