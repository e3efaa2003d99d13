import SluiceControl
import SluiceModel
import SluiceTerminalUI

/// A filter of view 4, with its original text.
struct LogSearch: Hashable, Sendable {
    var text: String
    var filter: LogFilter
}

/// `/` in view 4: the lines that match are shown while one types, Esc takes that back.
extension ConsoleState {
    /// The log filter to load: the one being typed, or the active one.
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

    /// Parses the partial input. Invalid input keeps the former filter.
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

    /// Shows the number of matching lines after the input.
    mutating func recordLogCount(_ scene: LoadedScene) {
        guard case .prompt(var prompt)? = modal, case .log(let search?) = prompt.question,
            scene.request.log == search.filter, !prompt.isError
        else { return }
        prompt.note = scene.activityWords
        modal = .prompt(prompt)
    }
}

extension LoadedScene {
    /// `3 lines`, or the range searched for them.
    var activityWords: String {
        let count = activity.count
        let most = count >= SceneLoader.activityLimit ? "the newest " : ""
        let lines = "\(most)\(NumberText.grouped(count)) line\(count == 1 ? "" : "s")"
        return activityLooked.map { "\(lines) among the newest \(NumberText.grouped($0))" } ?? lines
    }
}
