import SluiceSystem
import SluiceTerminalUI
import SluiceTestSupport

/// Sessions as films: step a queue, inspect a failure, fix it, and resume; and the gate of view 9.
enum SessionFilm {
    /// The typed keys, the text to wait for, the keys that place the cursor, the caption, and its
    /// duration.
    struct Take {
        var keys = ""
        var sign: String
        /// The words that one line must have, in addition to the sign anywhere.
        var line: [String] = []
        var place = ""
        var caption: String
        var seconds: Double = 3
    }

    static let session = [
        Take(
            sign: Scene.atWork, caption: "A queue of an app, paused. Nothing in it runs unseen.",
            seconds: 3.5),
        Take(
            keys: "s", sign: "HTTP 500", caption: "s  steps: #1 ran alone and failed.", seconds: 4),
        Take(
            keys: "gjw", sign: "it can start",
            caption: "w  says why a task waits, and what removes that.",
            seconds: 4.5),
        Take(keys: "\u{1b}", sign: "row 2 of", caption: "Esc  back to the queue.", seconds: 1),
        Take(
            keys: "ge", sign: "y/n", caption: "e  edits the payload; the difference is asked for.",
            seconds: 4.5),
        Take(
            keys: "y", sign: "edited", caption: "y  takes the change; z would take it back.",
            seconds: 3),
        Take(
            keys: "RS", sign: "#1 identify succeeded after",
            caption: "R S  makes it due again and steps it alone: it went through.", seconds: 3.5),
        Take(
            keys: "r", sign: "the run ended after 9", place: "g",
            caption: "r  resumes the queue: the worker takes the rest.", seconds: 4.5),
    ]

    /// A queue that is shut, one task that goes through, and the gate that opens.
    static let flow = [
        Take(
            keys: "9", sign: "paused by dana",
            caption: "9  draws what flows through each queue. profiles is shut.", seconds: 4),
        Take(
            keys: "s", sign: "HTTP 500",
            caption: "s  lets one task through the gate; it failed, and waits.", seconds: 4),
        Take(
            keys: "r", sign: "#8 identify", line: ["● profiles", "1 of 1 run"],
            caption: "r  opens the gate: the worker takes the rest.", seconds: 5),
    ]

    /// The type of task that runs on at the end of each film; nil where all end.
    private static let endless = ["flow": "screen"]

    /// Plays one with the real program.
    static func svg(_ scene: Scene, _ name: String) throws -> String {
        let takes = name == "flow" ? flow : session
        let session = try scene.open(scene.store, adding: ["EDITOR=sed -i s/gold/silver/"])
        let worker = try scene.serve(secondsAgo: 0, endless: endless[name])
        defer { try? worker.kill(.terminate) }
        var film = Film()
        for take in takes {
            try type(take.keys, in: session)
            try session.wait(forText: take.sign)
            try session.wait(take.line.joined(separator: " … ")) { picture in
                picture.lineTexts.contains { line in take.line.allSatisfy(line.contains) }
            }
            try type(take.place, in: session)
            try session.settle(quietMilliseconds: 300)
            film.add(
                try session.screen, caption: take.caption,
                milliseconds: Int(take.seconds * 1000))
        }
        try session.kill(.terminate)
        _ = try session.waitForExit()
        return film.svg()
    }

    private static func type(_ keys: String, in session: TerminalSession) throws {
        for key in keys {
            try session.send(String(key))
            try session.settle(quietMilliseconds: 120)
        }
    }
}
