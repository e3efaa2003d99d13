import SluicePlatform

/// The words with which this process was started.
package enum PostgresArguments {
    /// Takes what is secret in addresses out of them, where everybody on the machine can read them.
    package static func hideSecrets() {
        for (index, bytes) in ProcessArguments.all.enumerated() {
            let word = String(decoding: bytes, as: UTF8.self)
            let shown = withoutSecrets(word)
            if shown != word { ProcessArguments.replace(index, with: shown) }
        }
    }

    /// A word in which an address may stand, without what is secret in it.
    static func withoutSecrets(_ word: String) -> String {
        guard word.utf8.contains(UInt8(ascii: "/")) else { return word }
        for start in word.indices where word[start] == "p" {
            let rest = word[start...]
            guard rest.hasPrefix("postgres://") || rest.hasPrefix("postgresql://") else { continue }
            return word[..<start] + PostgresSettings.withoutSecrets(String(rest))
        }
        return word
    }
}
