extension ServerSchema {
    /// What commits did, until a recorder has moved it; the first recording raises the oldest
    /// version that works on.
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
