/// The flags of open(2) that tests need, by Linux's numbers.
enum OpenFlags {
    static let read: Int32 = 0
    static let append: Int32 = 0o1 | 0o100 | 0o2000
}
