package dev.porcupine.history;

import dev.porcupine.schema.Event;
import dev.porcupine.schema.EventIdentity;
import dev.porcupine.schema.EventUuid;
import dev.porcupine.schema.LedgerMark;
import dev.porcupine.schema.ProjectId;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * The place that remembers every accepted event for ever. Both kinds pass one contract suite. Calls block, each has a total deadline,
 * and none repeats a request by itself. Thread-safe.
 */
public interface History extends AutoCloseable {

    /** How many events a count or a page may leave out. */
    int WITHOUT_MAX = 20_000;

    /** {@code clickhouse} or {@code embedded}. */
    String kind();

    /** Looks at the store, creating its table on first use, and says whether it can be trusted. Never throws for an unreachable store. */
    Verification verify();

    /**
     * Writes durably how far the ledger has come. Call it, and have it acknowledged, before the insert of any event with a higher {@code seq}
     * than this process's last mark: then no event is in history that the marks don't cover, whatever crashes in between.
     */
    MarkResult mark(VerifiedSource source, LedgerMark mark);

    /** Writes revisions durably. The same events may be written again after any doubt: identity and revision make it idempotent (P9). */
    InsertResult insert(VerifiedSource source, List<Event> events);

    /**
     * Which of these identities stand in any physical row: an old revision, a tombstone, a row in cold storage (P16). All of the facts, or
     * none; an identity that a complete answer does not name was not in the table when the call began.
     *
     * @param identities at least one; looked up in parts if need be
     * @param total from the call to the answer, waiting included
     * @param purpose whose slots to use
     */
    ProbeResult probe(VerifiedSource source, Set<EventIdentity> identities, Duration total, ProbePurpose purpose);

    /**
     * The newest revision of an event, for those who act on the answer: both "found" and "absent" are said only of the verified table.
     * Asks in the slots of {@link ProbePurpose#MUTATION}.
     *
     * @param total from the call to the answer, waiting included
     */
    NewestResult newest(VerifiedSource source, EventIdentity identity, Duration total);

    /**
     * Live events of a project, exact: newest revisions that aren't tombstones.
     *
     * @throws HistoryReadException when the store can't answer completely
     */
    default long count(ProjectId project) {
        return count(project, Set.of());
    }

    /**
     * The same without some events, whatever stands there of them.
     *
     * @param without at most {@link #WITHOUT_MAX}
     * @throws HistoryReadException when the store can't answer completely
     */
    long count(ProjectId project, Set<EventUuid> without);

    /**
     * Which of these events stand in any row, whatever it says.
     *
     * @param uuids at most {@link EventQuery#LIMIT_MAX}
     * @throws HistoryReadException when the store can't answer completely
     */
    Set<EventUuid> standing(ProjectId project, Set<EventUuid> uuids);

    /**
     * The newest revision, tombstones included.
     *
     * @throws HistoryReadException when the store can't answer completely
     */
    Optional<Event> find(EventIdentity identity);

    /**
     * Live events, newest timestamp first, ties by uuid descending in byte order.
     *
     * @throws HistoryReadException when the store can't answer completely
     */
    default List<Event> page(EventQuery query) {
        return page(query, Set.of());
    }

    /**
     * The same without some events, whatever stands there of them.
     *
     * @param without at most {@link #WITHOUT_MAX}
     * @throws HistoryReadException when the store can't answer completely
     */
    List<Event> page(EventQuery query, Set<EventUuid> without);

    /** How the rows of removed projects leave it. */
    ProjectErasure erasure();

    @Override
    void close();
}
