package import SluiceModel

/// The clock of a store as JSON.
extension ClockSetting {
    package var stored: JSONValue {
        var fields = StoredFields()
        switch time {
        case .real: break
        case .offset(let milliseconds): fields.put("offset", milliseconds)
        case .frozen(let moment): fields.put("frozen", moment)
        case .rate(let rate, let from, let since):
            fields.put("rate", rate)
            fields.put("from", from)
            fields.put("at", since)
        }
        fields.put("by", by)
        fields.put("since", since)
        return fields.value
    }

    package init(stored: JSONValue) throws(QueueError) {
        let fields = try StoredFields(stored)
        let time: StoreTime
        if let milliseconds = try fields.optionalInteger("offset") {
            time = .offset(milliseconds)
        } else if let moment = try fields.optionalMoment("frozen") {
            time = .frozen(at: moment)
        } else {
            let rate = try fields.double("rate")
            guard StoreTime.rates.contains(rate) else {
                throw StoredFields.damage("a clock of rate \(rate)")
            }
            time = .rate(rate, from: try fields.moment("from"), since: try fields.moment("at"))
        }
        self.init(time, by: try fields.text("by"), since: try fields.moment("since"))
    }
}

extension UndoRecord.ClockImage {
    var stored: JSONValue {
        var fields = StoredFields()
        fields.put("before", before?.stored)
        fields.put("after", after?.stored)
        return fields.value
    }

    init(stored: JSONValue) throws(QueueError) {
        let fields = try StoredFields(stored)
        self.init(
            before: try fields.optional("before", ClockSetting.init(stored:)),
            after: try fields.optional("after", ClockSetting.init(stored:)))
    }
}
