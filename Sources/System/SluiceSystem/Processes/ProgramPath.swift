import Glibc

/// The lookup of a program by name.
package enum ProgramPath {
    /// The path of a program: `name` itself if it contains a slash, otherwise the first match in
    /// PATH.
    ///
    /// `environment` is a list of NAME=VALUE. Relative folders in PATH are skipped, because their
    /// contents depend on the current folder.
    package static func find(_ name: String, environment: [String]) throws(SystemError) -> String {
        if name.utf8.contains(UInt8(ascii: "/")) { return name }
        let entry = environment.first { $0.hasPrefix("PATH=") }
        let folders = (entry?.dropFirst(5) ?? "/usr/local/bin:/usr/bin:/bin").split(separator: ":")
        var refused: SystemError?
        for folder in folders where folder.hasPrefix("/") && !name.isEmpty {
            let path = "\(folder)/\(name)"
            guard Files.kind(path) == .file else { continue }
            if access(path, X_OK) == 0 { return path }
            refused = refused ?? .last(.spawn, path: path)
        }
        throw refused ?? SystemError(.spawn, path: name, reason: .notInPath)
    }
}
