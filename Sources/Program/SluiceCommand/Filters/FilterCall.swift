import SluiceControl
import SluiceModel
import SluiceStore

/// `filter list`, `filter save` and `filter remove`.
enum FilterCall: Hashable, Sendable {
    case list
    case save(name: String, filter: String, isShared: Bool)
    case remove(name: String, isShared: Bool)
}

extension CommandContext {
    /// Saves, removes or lists filters: personal ones, and the store's if it exists.
    func filters(_ call: FilterCall) throws -> Reply {
        var own = try SavedFilters(host.environment)
        // Personal filters do not depend on the store.
        let others = (try? sharedFilters()) ?? [:]
        var lines: [String] = []
        switch call {
        case .list: break
        case .save(let name, let filter, isShared: true):
            return try changeShared(.saveFilter(filter, as: name), call, own: own.texts)
        case .save(let name, let filter, isShared: false):
            try own.save(name, filter, beside: others)
            let bare = NamedFilters.bare(name)
            lines = ["@\(bare) is saved: sluice list --filter @\(bare)"]
        case .remove(let name, isShared: true):
            return try changeShared(.removeFilter(name), call, own: own.texts)
        case .remove(let name, isShared: false):
            let bare = NamedFilters.bare(name)
            guard own.texts[bare] != nil || others[bare] == nil else {
                throw QueueError(
                    .badName, "@\(bare) is a shared filter of the store", fix: "add --shared")
            }
            try own.remove(name, beside: others)
            lines = ["@\(bare) is removed"]
        }
        return reply(call, own: own.texts, shared: (try? sharedFilters()) ?? [:], lines)
    }

    private func reply(
        _ call: FilterCall, own: [String: String], shared: [String: String], _ lines: [String]
    ) -> Reply {
        // A personal filter hides a store's filter with the same name.
        struct Saved {
            var name: String
            var text: String
            var isShared: Bool
        }
        let all =
            own.map { Saved(name: $0.key, text: $0.value, isShared: false) }
            + shared.filter { own[$0.key] == nil }.map {
                Saved(name: $0.key, text: $0.value, isShared: true)
            }
        let sorted = all.sorted { $0.name < $1.name }
        let objects = sorted.map { one -> JSONValue in
            ["name": .string(one.name), "filter": .string(one.text), "shared": .bool(one.isShared)]
        }
        var lines = lines
        if call == .list {
            let width = sorted.map(\.name.count).max() ?? 0
            lines = sorted.map { one in
                let gap = String(repeating: " ", count: width - one.name.count)
                return "@\(one.name)\(gap)  \(one.text)\(one.isShared ? "   (of the store)" : "")"
            }
            if lines.isEmpty {
                lines = ["no filter is saved: sluice filter save NAME 'FILTER' saves one"]
            }
        }
        var reply = Reply(["filters": .array(objects)], lines)
        reply.isConfirmation = call != .list
        return reply
    }

    func sharedFilters() throws -> [String: String] {
        try store().readBlocking { try $0.storeRecord().filters }
    }

    /// A change of the store's filters is a verb as every other.
    private func changeShared(
        _ verb: Verb, _ call: FilterCall, own: [String: String]
    ) throws -> Reply {
        let answer = try control().performBlocking(verb)
        var reply = try reply(call, own: own, shared: sharedFilters(), AnswerText.lines(answer))
        if case .object(var object) = reply.json {
            object["undo"] = JSONValue(answer.undo)
            reply.json = .object(object)
        }
        return reply
    }
}
