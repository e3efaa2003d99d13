/// What a newcomer is told in the message line: what there is, and which keys to press.
package struct Hint: Hashable, Sendable {
    /// A key and what it does here.
    package struct Step: Hashable, Sendable {
        /// The key, as the legend writes it.
        package var key: String
        /// What it does.
        package var words: String
        /// A word before the key; empty for most.
        package var lead: String

        /// A key with what it does.
        package init(_ key: String, _ words: String, lead: String = "") {
            (self.key, self.words, self.lead) = (key, words, lead)
        }
    }
    /// What there is.
    package var lead: String
    /// The keys, the most telling first: where not all have room the last ones go.
    package var steps: [Step]

    /// A hint of a sentence and keys.
    package init(_ lead: String, _ steps: [Step]) {
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
        if underWay.lastToken == 0 { return settings.openingHint }
        return underWay.firstStepToken == underWay.lastToken ? settings.stepHint : nil
    }
}
