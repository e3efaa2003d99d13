import SluiceModel
import SluicePlatform

extension Program {
    /// The version of this program.
    static let versionText = Release.version

    /// `version`.
    static let version = Reply(
        ["name": "sluice", "version": .string(versionText)], ["sluice \(versionText)"])
}
