import SluiceControl
import SluiceModel
import SluiceStore
import SluiceSystem
import Testing

@testable import SluiceCommand

/// A password in an address typed in the wrong place.
@Suite("Passwords in arguments")
struct SecretTests {
    private static let secret = "hunter2"
    static let addresses = [
        "postgres://kim:hunter2@127.0.0.1:1/db", "Postgres://kim:hunter2@127.0.0.1:1/db",
        "redis://:hunter2@127.0.0.1:1/0", "amqp://kim:hunter2@127.0.0.1:1/v",
        "mysql://kim:hu@hunter2@127.0.0.1:1/db", "host=127.0.0.1 port=1 password=hunter2",
        "host=127.0.0.1 port=1 password='a hunter2 b'",
        "redis://127.0.0.1:1/0?sentinel_password=hunter2",
        "redis://127.0.0.1:1/0?results=redis://kim:hunter2@127.0.0.1:1/1",
        "redis://127.0.0.1:1/0?results=redis%3A%2F%2Fkim%3Ahunter2%40127.0.0.1%3A1%2F1",
    ]
    /// Verbs that wait for something when their words are right.
    private static let waiting: Set<String> = ["work", "watch", "log", "record", "demo", "metrics"]
    /// Verbs that would make a file of such a name.
    private static let making: Set<String> = ["init", "export", "report", "copy", "checkpoint"]

    @Test("no command repeats a password, wherever the address is typed", arguments: addresses)
    func everyPosition(address: String) {
        let fillers = ["a", "b", "c", "d"]
        var refused = 0
        for name in Action.commandsByName.map({ $0.command.name }) + ["no-verb", "help"] {
            for place in 0..<4 {
                let words =
                    name.split(separator: " ").map(String.init) + fillers.prefix(place) + [address]
                let told: String
                let verb = String(name.prefix { $0 != " " })
                if Self.waiting.contains(verb) || Self.making.contains(verb) {
                    do throws(QueueError) {
                        _ = try CommandLineParser.parse(words: words.map { Word($0) })
                        continue
                    } catch {
                        told = error.description
                    }
                } else {
                    let outcome = Bench().run(words)
                    told = outcome.output + outcome.errors
                    if outcome.exit != .done { refused += 1 }
                }
                #expect(!told.contains(Self.secret), "\(words) said \(told)")
            }
        }
        #expect(refused > 100)
    }

    @Test("no option repeats a password", arguments: addresses.filter { $0.contains("://") })
    func everyOption(address: String) {
        for command in Action.commandsByName.map({ $0.command }) {
            let name = String(command.name.prefix { $0 != " " })
            for option in command.options where !Self.waiting.contains(name) {
                let words =
                    command.name.split(separator: " ").map(String.init) + [option.name, address]
                let outcome = Bench().run(words)
                #expect(
                    !(outcome.output + outcome.errors).contains(Self.secret), "\(words)")
            }
        }
    }

    @Test("answers about a store in a file that is named as a connection string hide its password")
    func file() throws {
        let folder = try Files.makeTemporaryDirectory(prefix: "sluice-secret")
        defer { try? Files.removeTree(folder) }
        let path = "\(folder)/host=127.0.0.1 password=hunter2"
        try StorePlace.sqlite(path: path)
            .open(StoreAccess(createsIfMissing: true), now: { Bench.start }).close()
        for words in [["init", path], ["import", path], ["queues", "--store", path]] {
            let outcome = Bench().run(words)
            #expect(outcome.exit == .done, "\(outcome)")
            #expect(!(outcome.output + outcome.errors).contains(Self.secret), "\(outcome)")
            let json = Bench().run(words + ["--json"])
            #expect(!json.output.contains(Self.secret), "\(json)")
        }
    }

    @Test("an error of a server is told, and not as a store that is not there")
    func unanswered() {
        let bench = Bench()
        bench.refusals.withLock { $0 = [QueueError(.noStore, "there is no store at the address")] }
        let outcome = bench("queues --store postgres://kim@127.0.0.1:1/db --json")
        #expect(outcome.errorCode == "serverGone", "\(outcome)")
    }

    @Test("a queue is not named by an address with a password")
    func names() {
        let bench = Bench()
        let address = Self.addresses[0]
        let refusal = bench.run(["enqueue", address, "t"])
        #expect(refusal.errors.contains("holds a password: postgres://kim@127.0.0.1:1/db"))
        #expect(bench.run(["queue", "set", address]).exit != .done)
        #expect(bench.run(["enqueue", "mail@example.com", "a=b"]).exit == .done)
        #expect(bench.run(["queues"]).output.contains("mail@example.com"))
    }
}
