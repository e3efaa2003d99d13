/// Numbers for people.
public enum NumberText {
    /// `1,204`.
    public static func grouped(_ number: Int) -> String {
        let digits = Array(String(number.magnitude))
        var text = number < 0 ? "-" : ""
        for (index, digit) in digits.enumerated() {
            if index > 0, (digits.count - index) % 3 == 0 { text += "," }
            text.append(digit)
        }
        return text
    }

    /// `1 task`, `1,204 tasks`.
    public static func tasks(_ count: Int) -> String {
        count == 1 ? "1 task" : "\(grouped(count)) tasks"
    }
}
