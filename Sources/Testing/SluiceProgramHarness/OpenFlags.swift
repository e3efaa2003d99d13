/// The flags of open(2) that tests need, by Linux's numbers.
public enum OpenFlags {
    /// For reading.
    public static let read: Int32 = 0
    /// For writing at the end, made where it is missing.
    public static let append: Int32 = 0o1 | 0o100 | 0o2000
}
