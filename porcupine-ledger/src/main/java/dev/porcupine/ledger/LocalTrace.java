package dev.porcupine.ledger;

import dev.porcupine.schema.Event;

/** What the local record holds of one event at one moment: where its newest revision is, as far as the ledger can tell. */
public sealed interface LocalTrace {

    /** The head's revision at that moment; 0 where there was no head. A mutation made from this trace is written only while that holds. */
    long headRevision();

    /** A head says that the event is deleted. */
    record Deleted(long revision) implements LocalTrace {

        @Override
        public long headRevision() {
            return revision;
        }
    }

    /** The newest revision waits in the queue, or stands in quarantine. */
    record Held(Event newest, long headRevision) implements LocalTrace {}

    /**
     * A live head or a receipt knows the event, and history has acknowledged its newest revision.
     *
     * @param revision the newest one
     * @param receivedAtMillis of the original
     */
    record Delivered(long revision, long receivedAtMillis, long headRevision) implements LocalTrace {}

    /** Nothing local knows it, and receipts were evicted or omitted: history may. */
    record Unknown() implements LocalTrace {

        @Override
        public long headRevision() {
            return 0;
        }
    }

    /** Nothing local knows it, and the record is complete: it was never accepted. */
    record Absent() implements LocalTrace {

        @Override
        public long headRevision() {
            return 0;
        }
    }
}
