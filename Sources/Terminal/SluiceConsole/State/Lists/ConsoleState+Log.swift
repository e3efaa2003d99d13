import SluiceControl
import SluiceModel
import SluiceTerminalUI

/// A filter of view 4, and how it was typed.
struct LogSearch: Hashable, Sendable {
    var text: String
    var filter: LogFilter
}

/// `/` in view 4: the lines that match are shown while one types, Esc takes that back.
extension ConsoleState {
    /// What is wanted of the log now: by the line that is typed, else by the one that was.
    var wantedLog: LogSearch? {
        guard case .prompt(let prompt)? = modal, case .log(let search) = prompt.question else {
            return logFilter
        }
        return search
    }

    /// The filter of the lines that are on the screen.
    var logShown: LogSearch? {
        wantedLog.flatMap { $0.filter == scene?.request.log ? $0 : nil }
    }

    mutating func askForLogFilter() {
        ask(Prompt(.log(logFilter), text: logFilter?.text ?? ""))
    }

    /// Takes a line as far as it was typed; one that cannot be read leaves the former.
    mutating func readLogFilter(_ prompt: inout Prompt) {
        do throws(QueueError) {
            prompt.question = .log(try logSearch(prompt.editor.text))
            reads.isStale = true
        } catch {
            prompt.note = error.description
            prompt.isError = true
        }
    }

    mutating func setLogFilter(_ text: String) throws(QueueError) {
        let search = try logSearch(text)
        modal = nil
        logFilter = search
        reads.isStale = true
    }

    private func logSearch(_ line: String) throws(QueueError) -> LogSearch? {
        let text = Self.trimmed(line)
        return try LogFilter.read(text, now: now).map { LogSearch(text: text, filter: $0) }
    }

    /// Says beside the line how many there are.
    mutating func noteLogCount(_ scene: LoadedScene) {
        guard case .prompt(var prompt)? = modal, case .log(let search?) = prompt.question,
            scene.request.log == search.filter, !prompt.isError
        else { return }
        prompt.note = scene.activityWords
        modal = .prompt(prompt)
    }
}

extension LoadedScene {
    /// `3 lines`, or how far was looked for them.
    var activityWords: String {
        let count = activity.count
        let most = count >= SceneLoader.activityLimit ? "the newest " : ""
        let lines = "\(most)\(NumberText.grouped(count)) line\(count == 1 ? "" : "s")"
        return activityLooked.map { "\(lines) among the newest \(NumberText.grouped($0))" } ?? lines
    }
}
