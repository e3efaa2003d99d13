import SluiceCCurses
import SluiceTerminalUI

/// The sequences of keys, from terminfo.
enum KeySequences {
    private static let capabilities: [(name: String, key: Key)] = [
        ("kcuu1", .up), ("kcud1", .down), ("kcub1", .left), ("kcuf1", .right),
        ("khome", .home), ("kend", .end), ("kpp", .pageUp), ("knp", .pageDown),
        ("kich1", .insert), ("kdch1", .delete), ("kcbt", .backTab), ("kent", .enter),
    ]

    /// The sequences of the open screen.
    static func read() -> [[UInt8]: Key] {
        var sequences: [[UInt8]: Key] = [:]
        let functionKeys = (1...12).map { ("kf\($0)", Key.f($0)) }
        for (name, key) in capabilities + functionKeys {
            let bytes = string(name)
            if !bytes.isEmpty { sequences[bytes] = key }
        }
        return sequences
    }

    /// A terminfo string without its delays; empty if undefined.
    static func string(_ name: String) -> [UInt8] {
        let bytes = [UInt8](unsafeUninitializedCapacity: 256) { buffer, count in
            guard let start = buffer.baseAddress else { return }
            count = ccur_string(name, start, buffer.count)
        }
        return TerminalControl.withoutDelays(bytes)
    }
}
