import SluiceModel
import Testing

@Suite("Passwords in texts")
struct SecretsTests {
    @Test(
        "passwords of addresses and settings are left out",
        arguments: [
            ("postgres://kim:pw@h/db", "postgres://kim@h/db"),
            ("\"Redis://:p@w@h:1/0\" is", "\"Redis://@h:1/0\" is"),
            ("a://u:p@h b://v:q@i", "a://u@h b://v@i"),
            ("\"a://u:p w@h\" and x@y", "\"a://u@h\" and x@y"),
            ("host=h password=pw user=u", "host=h password=… user=u"),
            ("PASSWORD = 'p \\' w' x", "PASSWORD = … x"),
            ("x?sslpassword=pw&a=b", "x?sslpassword=…&a=b"),
        ])
    func hidden(text: String, shown: String) {
        #expect(Secrets.hidden(in: text) == shown)
        #expect(QueueError(.badValue, text, fix: text).description == "\(shown); \(shown)")
        #expect(Secrets.isIn(text))
    }

    @Test(
        "other texts stay as they are",
        arguments: [
            "", "a@b", "a:b@c", "https://h/@user", "http://kim@h:80/", "password", "password=",
            "x = 7", "é@ü://", "://@",
        ])
    func kept(text: String) {
        #expect(Secrets.hidden(in: text) == text)
        #expect(!Secrets.isIn(text))
    }
}
