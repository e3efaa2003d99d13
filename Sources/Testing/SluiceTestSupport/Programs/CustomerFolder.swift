import SluiceSystem

/// A task as Customer.io's SDK leaves it in its folder.
package struct CustomerTask: Hashable, Sendable {
    package var id: String
    package var type: String
    package var start: String?
    /// The groups it belongs to.
    package var members: [String]

    /// A task. Its UUID begins with letters, so that it never looks like a number.
    package init(_ number: Int, _ type: String, start: String? = nil, members: [String] = []) {
        let digits = String(number)
        id =
            "ABCD" + String(repeating: "0", count: 4 - digits.count) + digits
            + "-AAAA-4BBB-8CCC-DDDDDDDDDDDD"
        (self.type, self.start, self.members) = (type, start, members)
    }

    /// The UUID as people see it.
    package var name: String { String(id.prefix(8)) }

    fileprivate var entry: String {
        var entry = #"{"created_at":1670517032"#
        if !members.isEmpty {
            entry += #","group_member":["\#(members.joined(separator: #"",""#))"]"#
        }
        if let start { entry += #","group_start":"\#(start)""# }
        return entry + #","task_persisted_id":"\#(id)","task_type":"\#(type)"}"#
    }

    fileprivate var file: String {
        #"{"data":"e30=","run_results":{"total_runs":0},"storage_id":"\#(id)","type":"\#(type)"}"#
    }
}

extension Workplace {
    /// Creates a folder like the SDK's, next to the store. Returns its path.
    package func makeCustomerFolder(_ name: String, _ tasks: [CustomerTask]) throws -> String {
        try Files.makeDirectory(file("\(name)/tasks"), withParents: true)
        for task in tasks { try write(task.file, to: "\(name)/tasks/\(task.id).json") }
        let entries = tasks.map(\.entry).joined(separator: ",")
        try write("[\(entries)]", to: "\(name)/inventory.json")
        return file(name)
    }
}
