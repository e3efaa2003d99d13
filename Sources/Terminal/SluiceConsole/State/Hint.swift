/// What a newcomer is told in the message line: what there is, and which keys to press.
public struct Hint: Hashable, Sendable {
    /// A key and what it does here.
    public struct Step: Hashable, Sendable {
        /// The key, as the legend writes it.
        public var key: String
        /// What it does.
        public var words: String

        /// A key with what it does.
        public init(_ key: String, _ words: String) {
            self.key = key
            self.words = words
        }
    }
    /// What there is.
    public var lead: String
    /// The keys, the most telling first: where not all have room the last ones go.
    public var steps: [Step]

    /// A hint of a sentence and keys.
    public init(_ lead: String, _ steps: [Step]) {
        self.lead = lead
        self.steps = steps
    }
}

extension ConsoleState {
    /// The hint that is due: what the tour tells here; else the first one until the first verb, the
    /// second between the first step and the next verb.
    var hint: Hint? {
        guard scene != nil else { return nil }
        if let told = tourHint { return told }
        if lastToken == 0 { return settings.openingHint }
        return firstStepToken == lastToken ? settings.stepHint : nil
    }
}
