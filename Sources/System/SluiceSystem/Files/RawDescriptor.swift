import Glibc

/// Reading and writing on descriptor numbers that others own.
enum RawDescriptor {
    static let chunkBytes = 65536

    static func read(
        _ number: Int32, atMost count: Int
    ) throws(SystemError) -> FileDescriptor.ReadResult {
        var got = 0
        let bytes = [UInt8](unsafeUninitializedCapacity: max(count, 1)) { buffer, used in
            repeat {
                got = Glibc.read(number, buffer.baseAddress, buffer.count)
            } while got < 0 && errno == EINTR
            used = max(got, 0)
        }
        if got > 0 { return .bytes(bytes) }
        if got == 0 { return .end }
        let failure = errno
        if failure == EAGAIN { return .nothingYet }
        // A terminal whose other side is closed returns EIO.
        if failure == EIO, isatty(number) == 1 { return .end }
        throw SystemError(.read, reason: .code(failure))
    }

    static func readAll(_ number: Int32, limitBytes: Int) throws(SystemError) -> [UInt8] {
        var all: [UInt8] = []
        while true {
            let wanted = min(chunkBytes, limitBytes - all.count + 1)
            switch try read(number, atMost: wanted) {
            case .end: return all
            case .nothingYet: try wait(for: number, writable: false)
            case .bytes(let bytes): all += bytes
            }
            if all.count > limitBytes {
                throw SystemError(.read, reason: .largerThan(bytes: limitBytes))
            }
        }
    }

    static func writeSome(_ number: Int32, _ bytes: ArraySlice<UInt8>) throws(SystemError) -> Int {
        var put = 0
        bytes.withUnsafeBytes { buffer in
            repeat {
                put = Glibc.write(number, buffer.baseAddress, buffer.count)
            } while put < 0 && errno == EINTR
        }
        if put >= 0 { return put }
        if errno == EAGAIN { return 0 }
        throw .last(.write)
    }

    static func writeAll(_ number: Int32, _ bytes: [UInt8]) throws(SystemError) {
        var rest = bytes[...]
        while !rest.isEmpty {
            let put = try writeSome(number, rest)
            rest = rest.dropFirst(put)
            if put == 0 { try wait(for: number, writable: true) }
        }
    }

    private static func wait(for number: Int32, writable: Bool) throws(SystemError) {
        let interest = PollInterest(number, readable: !writable, writable: writable)
        _ = try Poll.wait(fds: [interest], timeoutMilliseconds: nil)
    }
}
