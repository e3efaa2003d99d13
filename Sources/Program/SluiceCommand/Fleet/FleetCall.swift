import SluiceControl
import SluiceFolderStore
import SluiceForeignQueues
import SluiceModel
import SluiceSystem
import SluiceTerminalUI

/// The places of a command line that names several.
struct FleetCall: Hashable, Sendable {
    /// The command; nil for the console.
    let command: Command?
    /// The places, in the order of the line.
    let places: [String]
    /// The words of the line without the places.
    let words: [Word]

    /// Nil for a command line with one place, which is a store. Throws if a place is named twice.
    init?(_ words: [Word], _ host: Host) throws {
        let texts = words.map(\.text)
        let found = Action.command(in: texts)
        if found == nil, let first = texts.first, !Self.beginsConsole(first) { return nil }
        let command = found?.named.command ?? CommandLineParser.consoleCommand
        // The command-line parser reports errors.
        guard !texts.contains("--help"), command.opensStore,
            found?.named.action.subject != .program,
            let arguments = try? Arguments(command, words: words[(found?.words ?? 0)...])
        else { return nil }
        let isConsole = found == nil
        if isConsole, (try? CommandLineParser.refuseMisplacedVerb(texts)) == nil { return nil }
        var names = arguments.all("--store")
        if command.takesStores, isConsole || command.takesStore {
            names = arguments.values + names
        }
        let isListed = isConsole && arguments.has("--fleet")
        if isListed, let path = arguments.text("--fleet") {
            names += try Self.places(in: path, host)
        }
        guard command.takesStores else { return nil }
        if names.isEmpty {
            names = [StorePlace.name(given: nil, environment: host.environment("SLUICE_STORE"))]
        }
        let places = names.flatMap(Self.sites)
        guard places.count > 1 || isListed else { return nil }
        try Self.refuseTwins(places)
        self.command = isConsole ? nil : command
        self.places = places
        self.words = Self.without(
            words, from: found?.words ?? 0, values: isConsole || command.takesStore, command)
    }

    private static func beginsConsole(_ word: String) -> Bool {
        Arguments.isOption(word) || CommandLineParser.isStore(word)
    }

    /// The folders of an SDK below a folder without an inventory; else the name.
    private static func sites(_ name: String) -> [String] {
        guard !ForeignStore.isForeign(name), !StorePlace(name).isServer,
            Files.kind(name) == .folder, !FolderStore.isThere(name)
        else { return [name] }
        let search = FolderSearch(below: name)
        return search.found.count > 1 && !search.isCut ? search.found : [name]
    }

    private static func refuseTwins(_ places: [String]) throws(QueueError) {
        for (index, place) in places.enumerated() {
            let isTwin = places[..<index].contains { other in
                ForeignPlaceName.shown(other) == ForeignPlaceName.shown(place)
                    || !ForeignStore.isForeign(place)
                        && StorePlace(other).isSame(as: StorePlace(place))
            }
            guard !isTwin else {
                throw QueueError(
                    .badValue, "\(ForeignPlaceName.shown(place)) is named twice",
                    fix: "name each place once")
            }
        }
    }

    /// The places in a file: one a line; `#` begins a comment.
    private static func places(in path: String, _ host: Host) throws -> [String] {
        let bytes = try host.bytes(
            of: path == "-" ? .standardInput : .file(path), as: "--fleet", limit: 1 << 20)
        // Some editors begin a file with a byte order mark.
        let text = String(
            decoding: bytes.starts(with: [0xef, 0xbb, 0xbf]) ? bytes[3...] : bytes[...],
            as: UTF8.self)
        let lines = text.split(whereSeparator: \.isNewline)
        let names = lines.map { String(SettingsText.trimmed($0)) }
            .filter { !$0.isEmpty && !$0.hasPrefix("#") }
        guard !names.isEmpty else {
            throw QueueError(
                .badValue, "--fleet: \(path) names no place",
                fix: "write a store or an address in each line")
        }
        return names
    }

    private static func without(
        _ words: [Word], from start: Int, values isValueAPlace: Bool, _ command: Command
    ) -> [Word] {
        var kept = Array(words[..<start])
        var rest = words[start...]
        while let word = rest.popFirst() {
            guard Arguments.isOption(word.text) else {
                if !isValueAPlace { kept.append(word) }
                continue
            }
            let (name, given) = word.parts
            let takesValue = command.allOptions.contains { $0.name == name && $0.value != .flag }
            let value = takesValue && given == nil ? rest.popFirst() : nil
            if name == "--store" || name == "--fleet" { continue }
            kept += [word] + (value.map { [$0] } ?? [])
        }
        return kept
    }
}

/// The names of places on the screen, without passwords.
enum ForeignPlaceName {
    static func shown(_ place: String) -> String {
        Secrets.hidden(
            in: ForeignStore.isForeign(place)
                ? ForeignStore.shownName(place) : StorePlace(place).name)
    }
}
