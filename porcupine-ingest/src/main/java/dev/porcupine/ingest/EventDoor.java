package dev.porcupine.ingest;

import dev.porcupine.ledger.AcceptResult;
import dev.porcupine.schema.Event;
import java.util.List;

/** Where events of one project, with distinct UUIDs, are decided on: {@link dev.porcupine.ledger.Acceptance#accept}. */
@FunctionalInterface
interface EventDoor {

    AcceptResult accept(List<Event> events);
}
