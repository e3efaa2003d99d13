import Glibc

/// Asking the file system.
package enum Files {
    /// The status of a path, or `nil` if it does not exist.
    package static func status(
        _ path: String, followLinks: Bool = true
    ) throws(SystemError) -> FileStatus? {
        var raw = stat()
        let result = followLinks ? stat(path, &raw) : lstat(path, &raw)
        if result == 0 { return FileStatus(raw) }
        let error = SystemError.last(.status, path: path)
        if error.isMissing { return nil }
        throw error
    }

    /// The kind of file at a path; `nil` if missing or not accessible.
    package static func kind(_ path: String, followLinks: Bool = true) -> FileStatus.Kind? {
        (try? status(path, followLinks: followLinks))?.kind
    }

    /// Whether something visible has this name.
    package static func exists(_ path: String) -> Bool {
        kind(path) != nil
    }

    /// Reads a file whole; throws when it has more than `limitBytes`.
    package static func read(_ path: String, limitBytes: Int) throws(SystemError) -> [UInt8] {
        do {
            return try openContent(path).readAll(limitBytes: limitBytes)
        } catch {
            throw SystemError(error.operation, path: path, reason: error.reason)
        }
    }

    /// Opens input to read to its end: a file, or the unnamed pipe of a shell's `<(command)`.
    ///
    /// Throws immediately for folders, for named pipes (a writer may never come) and for devices
    /// (which may never end).
    package static func openContent(_ path: String) throws(SystemError) -> FileDescriptor {
        let file = try FileDescriptor(opening: path, flags: O_RDONLY | O_NONBLOCK)
        switch try file.status().kind {
        case .file, .symlink, .socket: break
        case .folder: throw SystemError(.read, path: path, reason: .code(EISDIR))
        case .device: throw SystemError(.read, path: path, reason: .device)
        case .fifo:
            guard (try? realPath(path)) == nil else {
                throw SystemError(.read, path: path, reason: .namedPipe)
            }
            try file.setNonBlocking(false)
        }
        return file
    }

    /// The names in a folder, sorted, without `.` and `..`.
    package static func list(_ folder: String) throws(SystemError) -> [String] {
        guard let stream = opendir(folder) else { throw .last(.list, path: folder) }
        defer { closedir(stream) }
        var names: [String] = []
        while true {
            errno = 0
            guard let entry = readdir(stream) else {
                if errno != 0 { throw .last(.list, path: folder) }
                break
            }
            let name = withUnsafeBytes(of: entry.pointee.d_name) { bytes in
                String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
            }
            if name != "." && name != ".." { names.append(name) }
        }
        return names.sorted()
    }

    /// The absolute path without links, `.` and `..`; throws when it does not exist.
    package static func realPath(_ path: String) throws(SystemError) -> String {
        guard let real = realpath(path, nil) else { throw .last(.resolve, path: path) }
        defer { free(real) }
        return String(cString: real)
    }

    /// The target of a symbolic link, unchanged.
    package static func readLink(_ path: String) throws(SystemError) -> String {
        var buffer = [UInt8](repeating: 0, count: 4096)
        let count = buffer.withUnsafeMutableBytes { bytes in
            bytes.baseAddress.map {
                readlink(path, $0.assumingMemoryBound(to: CChar.self), bytes.count)
            } ?? 0
        }
        guard count >= 0 else { throw .last(.resolve, path: path) }
        return String(decoding: buffer.prefix(count), as: UTF8.self)
    }

    /// The part of a path before its last component, or `.` without one.
    package static func parent(of path: String) -> String {
        var bytes = path.utf8[...]
        while bytes.count > 1, bytes.last == UInt8(ascii: "/") { bytes.removeLast() }
        guard let slash = bytes.lastIndex(of: UInt8(ascii: "/")) else { return "." }
        return slash == bytes.startIndex ? "/" : String(bytes[..<slash]) ?? "."
    }

    package static func lastName(of path: String) -> String {
        var bytes = path.utf8[...]
        while bytes.count > 1, bytes.last == UInt8(ascii: "/") { bytes.removeLast() }
        guard let slash = bytes.lastIndex(of: UInt8(ascii: "/")) else {
            return String(bytes) ?? path
        }
        return String(bytes[bytes.index(after: slash)...]) ?? path
    }
}
