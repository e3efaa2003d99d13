extension ServerSchema {
    /// The changes of commits until a recorder moves them. The first recording raises the oldest
    /// compatible version.
    static let recording = [
        "ALTER TABLE sluice.store ADD COLUMN recording TEXT",
        """
        CREATE TABLE sluice.tape (
            number BIGINT PRIMARY KEY,
            at BIGINT NOT NULL,
            total BIGINT NOT NULL,
            body TEXT NOT NULL
        )
        """,
    ]
}
