import SluiceModel

extension Program {
    /// The version of this program.
    static let versionText = "0.1.0"

    /// `version`.
    static let version = Reply(
        ["name": "sluice", "version": .string(versionText)], ["sluice \(versionText)"])
}
