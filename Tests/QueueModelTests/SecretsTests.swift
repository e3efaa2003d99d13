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
            // Percent-encoded, once or more often.
            ("a://h/0?r=b%3A%2F%2Fu%3Apw%40i%2F1", "a://h/0?r=b%3A%2F%2Fu%40i%2F1"),
            ("a://k:p@h?r=b%3a%2f%2fu%3apw%40i", "a://k@h?r=b%3a%2f%2fu%40i"),
            ("a://h:6379/0?r=b%3A%2F%2F:pw%40i x", "a://h:6379/0?r=b%3A%2F%2F%40i x"),
            ("b%253A%252F%252Fu%253Apw%2540i", "b%253A%252F%252Fu%2540i"),
            ("b%3A//u:pw@i", "b%3A//u@i"), ("a://u%3Apw%40h/1", "a://u%40h/1"),
            ("a://u:12345%40h", "a://u%40h"), ("a://u:p%3A%2F%2Fw@h", "a://u@h"),
            ("a://h/0?r=b%3A%2F%2Fu%3Ap@w%40i", "a://h/0?r=b%3A%2F%2Fu%40i"),
            ("x?password%3Dpw%26a%3Db", "x?password%3D…%26a%3Db"),
            ("password=p%26w&a", "password=…&a"),
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
            "amqp://h:5672/v%40x", "100%", "50%40 x", "a%3Ab%40c", "%%2F",
        ])
    func kept(text: String) {
        #expect(Secrets.hidden(in: text) == text)
        #expect(!Secrets.isIn(text))
    }
}
