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
            ("'port=1 password='\\''a p b'\\'''", "'port=1 password=…'"),
            ("a://u:1/ p@h", "a://u@h"), ("a://[user:p@h", "a://[user@h"),
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
            "x = 7", "é@ü://", "://@", "amqp://[user[:password]@]host[:port][/vhost]",
            "sluice resume --store mysql://kim:PASSWORD@h/shop mail",
            "redis://127.0.0.1:7462/0: READONLY x, on @user_script:2.",
        ])
    func kept(text: String) {
        #expect(Secrets.hidden(in: text) == text)
        #expect(!Secrets.isIn(text))
    }
}
