import SluiceModel
import SluiceSQL
import SluiceStore
import SluiceSystem
import SluiceTestSupport

/// The store of a day, encoded as a word for its child processes.
struct DayStore {
    /// `sqlite` or `postgres`.
    let engine: String
    /// The path of a file, or the address of a database.
    let place: String
    /// The folders that make up the store's size.
    let folders: [String]
    private let server: PostgresServer?

    init(_ engine: String, in folder: String) throws {
        self.engine = engine
        guard engine == "postgres" else {
            server = nil
            try Files.makeDirectory("\(folder)/\(engine)")
            place = "\(folder)/\(engine)/day.db"
            folders = ["\(folder)/\(engine)"]
            return
        }
        let server = try PostgresServer(at: .init(isDurable: true))
        self.server = server
        place = server.address
        folders = ["\(server.folder)/data"]
    }

    static func open(_ place: String, creates: Bool = false) throws -> any QueueStore {
        guard place.hasPrefix("postgres:") else {
            return try SQLiteStore.open(
                path: place, createIfMissing: creates, durability: .full)
        }
        return try PostgresStore.open(address: place, createIfMissing: creates)
    }

    /// The size of its files in bytes; a file removed during the count is 0.
    func sizeBytes() -> Int64 { folders.reduce(0) { $0 + Self.size(of: $1) } }

    private static func size(of folder: String) -> Int64 {
        let names = (try? Files.list(folder)) ?? []
        return names.reduce(0) { sum, name in
            guard let status = try? Files.status("\(folder)/\(name)", followLinks: false) else {
                return sum
            }
            let own = status.kind == .folder ? size(of: "\(folder)/\(name)") : status.sizeBytes
            return sum + own
        }
    }

    /// The memory of the server's processes: private memory and their share of common memory.
    func serverKiB() -> Int {
        guard let server else { return 0 }
        let all = ((try? Files.list("/proc")) ?? []).compactMap { Int32($0) }
        return all.filter { process in
            let folder = try? Files.realPath("/proc/\(process)/cwd")
            return folder == "\(server.folder)/data"
        }.reduce(0) { $0 + Self.memoryKiB(of: $1) }
    }

    /// The memory of a process, including its share of common memory.
    static func memoryKiB(of process: Int32) -> Int {
        let bytes = (try? Files.read("/proc/\(process)/smaps_rollup", limitBytes: 1 << 16)) ?? []
        let lines = String(decoding: bytes, as: UTF8.self).split(separator: "\n")
        let line = lines.first { $0.hasPrefix("Pss:") } ?? ""
        return line.split(separator: " ").compactMap { Int($0) }.first ?? 0
    }
}
