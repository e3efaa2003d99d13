import SluiceControl
import SluiceModel
import SluiceStore
import SluiceTerminalUI
import Testing

@testable import SluiceConsole

/// K18: view 2 is a tree, unfolded as far as there is room.
@Suite("Tree of groups")
struct GroupTreeTests {
    private static func task(
        _ id: TaskID, _ type: String, starts: String? = nil, of groups: [String] = []
    ) -> QueueTask {
        var task = LivingScene.task(id, "jobs", type, 60)
        task.groupStart = starts
        task.groupMembers = groups
        task.isHeld = !groups.isEmpty
        return task
    }

    /// `kim` holds the start of `token 9f02`, which holds the start of `mails`; `lee` is separate.
    private static func store(members: Int = 0) throws -> MemoryStore {
        let store = try LivingScene.store()
        var tasks = [
            task(5000, "identify", starts: "kim"), task(5001, "track", of: ["kim"]),
            task(5002, "register", starts: "token 9f02", of: ["kim"]),
            task(5003, "push", of: ["token 9f02"]),
            task(5004, "mail", starts: "mails", of: ["token 9f02"]),
            task(5005, "mail", of: ["mails"]), task(5006, "push", of: ["token 9f02"]),
            task(5007, "track", of: ["kim"]), task(5008, "identify", starts: "lee"),
            task(5009, "track", of: ["lee"]),
        ]
        for index in 0..<members {
            tasks.append(task(6000 + Int64(index), "track", of: ["lee"]))
        }
        try store.writeBlocking { [tasks] writer in
            try writer.insert(tasks.map { NewTask(task: $0, payload: []) })
        }
        return store
    }

    private static func bench(
        members: Int = 0, _ width: Int = 120, _ height: Int = 36, glyphs: GlyphSet = .unicode
    ) throws -> Bench {
        let bench = Bench(
            store: try store(members: members), size: Size(width: width, height: height),
            now: LivingScene.now, glyphs: glyphs)
        bench.press("h j j 2 l")
        return bench
    }

    /// The first column of the rows of the tree.
    private func tree(_ bench: Bench) -> [String] {
        let rows = bench.state.layout.rows
        return (rows.y..<rows.maxY).map { y in
            let cells = bench.buffer[row: y].dropFirst(rows.x + 1).prefix(40)
            var text = cells.reduce(into: "") { $0 += $1.text }
            if let gap = text.range(of: "   ", after: 16) { text = String(text[..<gap]) }
            while text.hasSuffix(" ") { text.removeLast() }
            return text
        }.filter { !$0.isEmpty }
    }

    @Test(
        "K18 the tree at three sizes, and in signs of ASCII",
        arguments: [
            ("tree-80x24", 80, 24, GlyphSet.unicode), ("tree-120x36", 120, 36, .unicode),
            ("tree-160x48", 160, 48, .unicode), ("tree-ascii-120x36", 120, 36, .ascii),
        ])
    func pictures(_ name: String, _ width: Int, _ height: Int, _ glyphs: GlyphSet) throws {
        try Pictures.check(name, try Self.bench(width, height, glyphs: glyphs).buffer)
    }

    @Test("K18 a start that is held stands under what holds it, with what it holds in its turn")
    func nests() throws {
        #expect(
            tree(try Self.bench()) == [
                "▾ kim",
                "    ┏ #5000 identify",
                "    ┣ #5001 track",
                "    ┣ #5002 register ▾ token 9f02",
                "    ┃   ┣ #5003 push",
                "    ┃   ┣ #5004 mail ▾ mails",
                "    ┃   ┃   ┗ #5005 mail",
                "    ┃   ┗ #5006 push",
                "    ┗ #5007 track",
                "▾ lee",
                "    ┏ #5008 identify",
                "    ┗ #5009 track",
            ])
    }

    @Test("K18 K2 where there is no room a group stays folded, and what is unfolded stays so")
    func room() throws {
        let bench = try Self.bench(80, 17)
        #expect(tree(bench).first == "▾ kim")
        #expect(tree(bench).last == "▸ lee" || !tree(bench).contains("▾ lee"))
        let before = bench.state.folds
        #expect(before["lee"] == false)
        try bench.change { store in
            try store.insert([
                NewTask(task: Self.task(7000, "track", of: ["kim"]), payload: []),
                NewTask(task: Self.task(7001, "identify", starts: "abe"), payload: []),
                NewTask(task: Self.task(7002, "track", of: ["abe"]), payload: []),
            ])
        }
        for (name, isOpen) in before { #expect(bench.state.folds[name] == isOpen) }
        #expect(bench.state.folds["abe"] == false)
    }

    @Test("K18 Left folds or goes up a level, Right unfolds, and the keys act on the row's task")
    func keys() throws {
        let bench = try Self.bench()
        bench.press("j j j j")
        #expect(bench.state.selectedLine?.task.id == 5003)
        bench.press("Left")
        #expect(bench.state.selectedLine?.task.id == 5002)
        bench.press("Left")
        #expect(tree(bench)[3] == "    ┣ #5002 register ▸ token 9f02")
        #expect(tree(bench)[4] == "    ┗ #5007 track")
        #expect(bench.screen.contains("held by #5000"))
        bench.press("Right")
        #expect(tree(bench)[4] == "    ┃   ┣ #5003 push")
        bench.press("Left Left Left")
        #expect(bench.state.selectedLine?.task.id == 5000)
        #expect(tree(bench).first == "▸ kim" || tree(bench).first == "▾ kim")
        bench.press("j k Left")
        #expect(tree(bench).first == "▸ kim")
        #expect(tree(bench).count == 4)
    }

    @Test("K6 K18 of a group with many members the first are read, and the rest is said")
    func bounds() throws {
        let bench = try Self.bench(members: 120)
        #expect(tree(bench).contains("▸ lee"))
        bench.press("G Right")
        let lee = try #require(bench.state.scene?.groups.first { $0.summary.name == "lee" })
        #expect(lee.members.count == SceneLoader.memberLimit)
        #expect(lee.rest == 121 - SceneLoader.memberLimit)
        bench.press("G")
        #expect(tree(bench).last == "    ┗ and 71 more")
        #expect(bench.state.selectedLine == nil)
    }
}

extension String {
    fileprivate func range(of text: String, after offset: Int) -> String.Index? {
        var index = index(startIndex, offsetBy: min(offset, count))
        while index < endIndex {
            if self[index...].hasPrefix(text) { return index }
            index = self.index(after: index)
        }
        return nil
    }
}
