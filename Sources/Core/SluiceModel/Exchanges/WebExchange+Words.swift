/// An exchange for people, line by line.
extension WebExchange {
    /// The request with what came of it, the phases, then both messages: `>` for the request, `<`
    /// for the answer.
    package var lines: [String] {
        let end = status.map { HTTPStatus.words($0) } ?? error ?? "no answer"
        var lines = ["\(method) \(url): \(end), \(Self.time(phases.total))"]
        let told = phases.named.compactMap { phase in
            phase.microseconds.map { "\(phase.name) \(Self.time($0))" }
        }
        if told.count > 1 { lines.append("  " + told.joined(separator: ", ")) }
        lines += Self.message("> ", headers, body)
        if repeatsBody { lines.append("  > (the same body as before)") }
        return lines + Self.message("< ", answerHeaders, answer)
    }

    private static func message(_ sign: String, _ headers: [Header], _ body: Body?) -> [String] {
        var lines = headers.map { "  \(sign)\($0.name): \($0.value)" }
        guard let body else { return lines }
        lines += body.text.split(omittingEmptySubsequences: false) { $0.isNewline }.map {
            "  \(sign)\($0)"
        }
        if body.isCut { lines.append("  \(sign)(cut: \(body.bytes) bytes)") }
        return lines
    }

    private static func time(_ microseconds: Int64) -> String {
        microseconds < 1000
            ? "\(microseconds) us" : DurationText.taken(microseconds / 1000)
    }
}
