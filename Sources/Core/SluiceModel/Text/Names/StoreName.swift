/// How people call a store.
package enum StoreName {
    /// The last part of a path, or the database of an address; of an address that names none, its
    /// user or its host.
    package static func short(_ name: String) -> String {
        guard let mark = name.place(of: "://") else {
            return name.split(separator: "/").last.map(String.init) ?? name
        }
        let rest = name[mark...].dropFirst(3)
        let place = rest.prefix { $0 != "?" }
        let options = rest.dropFirst(place.count + 1).split(separator: "&")
        if let database = options.last(where: { $0.hasPrefix("dbname=") }) {
            return String(database.dropFirst("dbname=".count))
        }
        let steps = place.split(separator: "/", omittingEmptySubsequences: false)
        if let database = steps.dropFirst().last(where: { !$0.isEmpty }) { return String(database) }
        let host = steps.first ?? ""
        let user = host.split(separator: "@", omittingEmptySubsequences: false).first ?? host
        return user.isEmpty ? name : String(user)
    }
}
