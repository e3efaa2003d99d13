import SluiceModel

enum HTTPDate {
    private static let months = [
        "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
    ]
    private static let days = ["Thu", "Fri", "Sat", "Sun", "Mon", "Tue", "Wed"]

    /// A moment in seconds since 1970, such as `Thu, 01 Jan 1970 00:00:00 GMT`.
    static func text(_ seconds: Int64) -> String {
        let moment = Timestamp(milliseconds: seconds * 1000)
        // 1970-01-01T00:00:00.000Z
        let parts = TimeText.rfc3339(moment).split { "-T:.Z".contains($0) }.map(String.init)
        let day = days[Int(seconds / 86_400 % 7)]
        let month = months[(Int(parts[1]) ?? 1) - 1]
        let time = parts[3...5].joined(separator: ":")
        return "\(day), \(parts[2]) \(month) \(parts[0]) \(time) GMT"
    }
}
