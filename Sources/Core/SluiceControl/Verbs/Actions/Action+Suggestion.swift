import SluiceModel

extension Action {
    /// The probable command for an unknown word: a synonym, else the nearest spelling. Among near
    /// spellings it prefers the least harmful, and never one that removes data over another.
    package static func suggestion(for word: String) -> String? {
        if let meant = meanings[word.lowercased()] { return meant }
        let names = commandsByName.map(\.command.name)
        let near = Spelling.near(word, among: names)
        guard let least = near.first?.distance else { return nil }
        return near.prefix { $0.distance <= least + 1 }.map(\.word).enumerated().min {
            (harm($0.element), $0.offset) < (harm($1.element), $1.offset)
        }?.element
    }

    /// 0 for a command that only reads, 1 for a change, 2 for what takes something away.
    private static func harm(_ name: String) -> Int {
        guard let named = commandsByName.first(where: { $0.command.name == name }) else { return 0 }
        if taking.contains(named.action.id) { return 2 }
        return named.command.changes ? 1 : 0
    }

    private static let taking: Set<ID> = [
        .delete, .deleteQueue, ID(rawValue: "purge"), ID(rawValue: "cancel"),
    ]

    /// Synonyms from other programs.
    private static let meanings: [String: String] = [
        "stop": "pause", "halt": "pause", "hold": "pause", "suspend": "pause", "freeze": "pause",
        "start": "resume", "continue": "resume", "go": "resume", "unpause": "resume",
        "add": "enqueue", "push": "enqueue", "put": "enqueue", "send": "enqueue", "new": "enqueue",
        "queue": "queues", "ls": "list", "tasks": "list", "jobs": "list", "search": "list",
        "ps": "workers", "workers": "workers", "worker": "work", "runner": "work",
        "serve": "work", "info": "show", "inspect": "show", "cat": "show", "get": "show",
        "status": "queues", "tail": "log --follow", "history": "log", "events": "log",
        "journal": "log", "explain": "why", "rerun": "retry", "requeue": "retry",
        "redrive": "retry", "delay": "postpone", "defer": "postpone", "snooze": "postpone",
        "remove": "delete", "rm": "delete", "restore": "undelete", "clone": "duplicate",
        "config": "queue set", "set": "queue set", "settings": "queue set", "check": "doctor",
        "repair": "doctor --repair", "fsck": "doctor", "vacuum": "compact", "shrink": "compact",
        "backup": "export", "dump": "export", "load": "import", "create": "init",
        "restart": "resume", "errors": "failures", "failed": "failures", "error": "failures",
        "kill": "cancel", "abort": "cancel", "del": "delete", "drop": "delete",
        "clear": "delete", "queue list": "queues", "queue ls": "queues", "queue show": "queues",
        "queue rm": "queue delete", "queue del": "queue delete", "queue drop": "queue delete",
        "queue remove": "queue delete", "queue add": "queue set", "queue new": "queue set",
        "ack": "acknowledge", "migrate": "copy", "next": "step", "revert": "undo",
    ]
}

extension Command {
    /// The argument whose name the user wrote as an option: PAYLOAD for `--payload`.
    func argument(meantBy name: String) -> String? {
        let wanted = name.drop { $0 == "-" }.uppercased()
        return arguments.split { !($0.isUppercase || $0 == "-") }.map(String.init)
            .first { $0 == wanted }
    }

    /// The command's option that an unknown option probably means: a synonym, else the nearest
    /// spelling.
    func option(meantBy name: String) -> String? {
        let own = allOptions.map(\.name)
        return Self.meanings[name.lowercased()]?.first(where: own.contains)
            ?? Spelling.nearest(to: name, among: own)
    }

    /// Synonyms from other programs.
    private static let meanings: [String: [String]] = [
        "--delay": ["--not-before"], "--at": ["--not-before"], "--in": ["--not-before"],
        "--after": ["--not-before"], "--when": ["--not-before"], "--wait": ["--not-before"],
        "--eta": ["--not-before"], "--countdown": ["--not-before"], "--run-at": ["--not-before"],
        "--ttl": ["--expires"], "--expiry": ["--expires"], "--retries": ["--attempts"],
        "--tries": ["--attempts"], "--dedupe": ["--unique"], "--key": ["--unique"],
        "--tag": ["--label"], "--file": ["--payload-file"], "--where": ["--filter"],
        "--query": ["--filter"], "--match": ["--filter"], "--count": ["--limit"],
        "--concurrency": ["--slots"], "--workers": ["--slots", "--concurrency"],
        "--threads": ["--slots", "--concurrency"], "--parallel": ["--slots", "--concurrency"],
        "--until": ["--for"], "--to": ["--queue"],
        "--db": ["--store"], "--database": ["--store"], "--url": ["--store"], "--user": ["--by"],
    ]
}
