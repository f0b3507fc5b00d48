package dev.porcupine.history;

import java.time.Duration;

/**
 * How long a caller waits at most, each from the call to the verdict.
 *
 * @param verify a look at the source, or the creation of its table
 * @param insert the INSERT itself
 * @param identity the check after an INSERT that the table is still the verified one, and the mark before it
 * @param read one read, however many exchanges it takes
 */
record ClickHouseDeadlines(Duration verify, Duration insert, Duration identity, Duration read) {

    /** On the server an INSERT and a read end a little earlier, so that its own reason arrives. */
    static final ClickHouseDeadlines PRODUCTION = new ClickHouseDeadlines(
            Duration.ofSeconds(5), Duration.ofSeconds(25), Duration.ofSeconds(5), Duration.ofSeconds(10));
}
