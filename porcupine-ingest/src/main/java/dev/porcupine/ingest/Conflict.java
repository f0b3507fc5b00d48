package dev.porcupine.ingest;

import java.time.Instant;

/**
 * A duplicate that was probably meant as another event: some clients make the same UUIDs again and again.
 *
 * @param event the name in the payload that was not taken
 * @param distinctId likewise
 */
record Conflict(String uuid, String event, String distinctId, Instant seenAt) {}
