/// Who holds a lock.
extension ProcessIdentity {
    /// The leader of a process group that inherited a lock and still holds it. Excludes session
    /// leaders: such a process left its initial group.
    ///
    /// A process that only waits for the lock also has its file open, but does not hold it.
    package static func groupLeader(
        holding lock: String
    ) -> (processID: Int32, startTime: UInt64)? {
        guard let identity = (try? Files.status(lock))?.identity else { return nil }
        for name in (try? Files.list("/proc")) ?? [] {
            guard let processID = Int32(name), processID > 1,
                let line = status(of: processID), line.count > 19, !isOver(line),
                line[2].elementsEqual(name.utf8), !line[3].elementsEqual(name.utf8),
                holds(processID, identity),
                let startTime = UInt64(String(decoding: line[19], as: UTF8.self))
            else { continue }
            return (processID, startTime)
        }
        return nil
    }

    private static func holds(_ processID: Int32, _ identity: FileStatus.Identity) -> Bool {
        let folder = "/proc/\(processID)"
        return ((try? Files.list("\(folder)/fd")) ?? []).contains { number in
            guard (try? Files.status("\(folder)/fd/\(number)"))?.identity == identity,
                let info = try? Files.read("\(folder)/fdinfo/\(number)", limitBytes: 4096)
            else { return false }
            return String(decoding: info, as: UTF8.self).contains("FLOCK")
        }
    }
}
