/// A stage that a handler entered inside an attempt (A7), kept as a line of the attempt's log.
package struct AttemptStage: Hashable, Sendable {
    package let name: String
    /// How long after the begin of the attempt it began.
    package let afterMilliseconds: Int64

    /// A longer name is cut.
    package static let longestName = 60
    /// An attempt keeps no more.
    package static let limit = 100

    /// A stage; `nil` for a name without a visible character.
    package init?(_ name: String, afterMilliseconds: Int64) {
        guard name.contains(where: { !$0.isWhitespace }) else { return nil }
        var visible = String.UnicodeScalarView()
        for scalar in name.unicodeScalars {
            visible.append(scalar.properties.generalCategory == .control ? " " : scalar)
        }
        self.name = String(String(visible).prefix(Self.longestName))
        self.afterMilliseconds = max(0, afterMilliseconds)
    }
}

/// A stage as a line of a log.
extension AttemptStage {
    private static let beginning = #"{"stage":"#

    package var line: String {
        JSONValue.object(["stage": .string(name), "after": .integer(afterMilliseconds)]).text
    }

    /// Reads a line; nil for one that is no stage.
    package init?(line: String) {
        guard line.utf8.starts(with: Self.beginning.utf8),
            let object = (try? JSONValue.parse(Array(line.utf8)))?.object,
            let name = object["stage"]?.string, let after = object["after"]?.integer
        else { return nil }
        self.init(name, afterMilliseconds: after)
    }

    /// `encrypting began after 1.2s`.
    package var sentence: String {
        "\(name) began after \(DurationText.taken(afterMilliseconds))"
    }
}

extension AttemptRecord {
    /// A stage with its length; nil while it lasts.
    package struct StageTime: Hashable, Sendable {
        package let stage: AttemptStage
        /// How long it lasted.
        package let milliseconds: Int64?
    }

    /// The stages that its handler entered, in their order.
    package var stages: [AttemptStage] { log.compactMap { AttemptStage(line: $0) } }

    /// The stages, each until the next one began or the attempt ended.
    package var stageTimes: [StageTime] {
        let all = stages
        let whole = endedAt.map { max(0, $0 - startedAt) }
        return all.indices.map { place in
            let end = place + 1 < all.count ? all[place + 1].afterMilliseconds : whole
            return StageTime(
                stage: all[place],
                milliseconds: end.map { max(0, $0 - all[place].afterMilliseconds) })
        }
    }

    /// The present stage and the progress text, for a row; nil without both.
    package var progressWords: String? {
        let parts = [stages.last?.name, progressText].compactMap { $0 }
        return parts.isEmpty ? nil : parts.joined(separator: ", ")
    }
}
