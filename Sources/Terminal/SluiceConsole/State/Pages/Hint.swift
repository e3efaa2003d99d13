/// A hint for a beginner in the message line: a sentence, and the keys to press.
package struct Hint: Hashable, Sendable {
    /// A key and its effect here.
    package struct Step: Hashable, Sendable {
        /// The key, as the legend writes it.
        package var key: String
        /// The key's effect.
        package var words: String
        /// A word before the key; empty for most.
        package var lead: String

        package init(_ key: String, _ words: String, lead: String = "") {
            (self.key, self.words, self.lead) = (key, words, lead)
        }
    }
    /// The sentence before the keys.
    package var lead: String
    /// The keys, the most telling first: if not all have room the last ones go.
    package var steps: [Step]

    /// A hint of a sentence and keys.
    package init(_ lead: String, _ steps: [Step]) {
        self.lead = lead
        self.steps = steps
    }
}

extension ConsoleState {
    /// The current hint: the tour's, if it has one. Otherwise the first hint until the first verb,
    /// and the second between the first step and the next verb.
    var hint: Hint? {
        guard scene != nil else { return nil }
        if let told = tourHint { return told }
        if underWay.lastToken == 0 { return settings.openingHint }
        return underWay.firstStepToken == underWay.lastToken ? settings.stepHint : nil
    }
}
