package dev.porcupine.ledger;

import static dev.porcupine.ledger.Samples.events;
import static org.assertj.core.api.Assertions.assertThat;

import dev.porcupine.schema.Event;
import dev.porcupine.schema.Problem;
import dev.porcupine.schema.ProblemException;
import dev.porcupine.schema.ProjectId;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.StringJoiner;
import java.util.stream.LongStream;

/**
 * A fixed story that visits every transaction of the ledger, told by a client that repeats what was refused. It can be told again from
 * the start after a crash; what it has been told before must then still hold.
 */
final class Scenario {

    static final int EVENTS = 8;

    private static final int ATTEMPTS_MAX = 5;

    /** Numbers of the events that some answer called new. */
    private final Set<Long> acceptedOnce = new HashSet<>();

    /** Numbers of the events that some answer called new or known: they must never be lost. */
    private final Set<Long> acknowledged = new HashSet<>();

    private final Map<String, ProjectId> tokens = new HashMap<>();
    private final ProjectId project;
    private boolean answersMayBeLost;

    /** The newest revision that some answer called written; it must never be lost. */
    private long mutated;

    /** @param project one without events; the queue must be empty */
    Scenario(ProjectId project) {
        this.project = project;
    }

    /** Whether the client has been told the same. */
    boolean knowsAsMuchAs(Scenario other) {
        return acknowledged.equals(other.acknowledged) && tokens.equals(other.tokens) && mutated == other.mutated;
    }

    /** What a client knows at this moment, for a client that goes on from a crash here. */
    Scenario(Scenario copied) {
        project = copied.project;
        acceptedOnce.addAll(copied.acceptedOnce);
        acknowledged.addAll(copied.acknowledged);
        tokens.putAll(copied.tokens);
        mutated = copied.mutated;
        answersMayBeLost = true;
    }

    /** The steps a story takes: all its transactions, in order. */
    void tell(Ledger ledger) {
        accept(ledger, 0, 3);
        accept(ledger, 2, 6);
        accept(ledger, 0, 6);
        mutate(ledger, 1);
        retrying(() -> ledger.queue().settle(oldest(ledger, 2), Samples.SOURCE));
        mutate(ledger, 1);
        retrying(() -> ledger.queue().quarantine(oldest(ledger, 2), "bad"));
        for (QuarantinedEvent entry : ledger.quarantine().list(project, 0, 10)) {
            retrying(() -> ledger.quarantine().retry(project, entry.seq()));
        }
        IssuedToken[] token = new IssuedToken[1];
        retrying(() -> token[0] = ledger.projects().issueToken(project).orElseThrow());
        tokens.put(token[0].secret(), project);
        // from here until the answer it may be either
        tokens.remove(token[0].secret());
        retrying(() -> ledger.projects().revokeToken(project, token[0].id()));
        accept(ledger, 5, EVENTS);
    }

    /** Whatever happened before: each acknowledged event is there once, and the counters are right. */
    void assertHolds(Ledger ledger) {
        assertThat(RawRows.counted(ledger)).isEqualTo(ledger.status());
        assertHeadHolds(ledger);
        long kept = kept(ledger);
        assertThat(kept).isLessThanOrEqualTo(EVENTS).isGreaterThanOrEqualTo(acknowledged.size());
        for (long number : acknowledged) {
            assertThat(Samples.kinds(Samples.accept(ledger, events(project, number, number + 1))))
                    .as("event %d", number)
                    .doesNotContain(Verdict.Kind.ACCEPTED);
        }
        tokens.forEach(
                (secret, owner) -> assertThat(ledger.projects().byToken(secret)).contains(owner));
    }

    /** After the whole story: all events once. */
    void assertEnd(Ledger ledger) {
        assertHolds(ledger);
        assertThat(acknowledged).hasSize(EVENTS);
        assertThat(kept(ledger)).isEqualTo(EVENTS);
    }

    /** A mutation is on disk whole, head and revision, or not at all; the head names the newest revision of all. */
    private void assertHeadHolds(Ledger ledger) {
        List<String> heads = ledger.writer()
                .solo(
                        1,
                        transaction -> transaction
                                .jdbc()
                                .sql("""
                                    select h.revision || ' ' || h.pending || ' '
                                        || (select group_concat(revision, ',' order by revision) from (
                                            select revision from event_queue where project_id = h.project_id and uuid = h.uuid and revision > 1
                                            union all
                                            select revision from event_quarantine
                                            where project_id = h.project_id and uuid = h.uuid and revision > 1))
                                    from mutation_heads as h
                                    where h.project_id = ?1
                                    """)
                                .param(project.value())
                                .query(String.class)
                                .list())
                .orThrow();
        if (mutated > 0) {
            assertThat(heads).hasSize(1);
            assertThat(Long.parseLong(heads.getFirst().split(" ", -1)[0])).isGreaterThanOrEqualTo(mutated);
        }
        for (String head : heads) {
            String[] words = head.split(" ", -1);
            StringJoiner all = new StringJoiner(",");
            LongStream.rangeClosed(2, Long.parseLong(words[0])).forEach(revision -> all.add(Long.toString(revision)));
            assertThat(words[1]).isEqualTo("1");
            assertThat(words[2]).isEqualTo(all.toString());
        }
    }

    private void mutate(Ledger ledger, long number) {
        Event original = Samples.event(project, number);
        for (int attempt = 0; attempt < ATTEMPTS_MAX; attempt++) {
            LocalTrace trace = ledger.mutations().trace(original.identity());
            long next = Math.max(trace.headRevision(), 1) + 1;
            switch (ledger.mutations().mutate(MutationsTest.revised(original, next), trace, MutationsTest.WAIT)) {
                case MutateResult.Written _ -> {
                    mutated = next;
                    return;
                }
                case MutateResult.Moved _ -> throw new AssertionError("nobody else mutates");
                case MutateResult.Refused refused ->
                    assertThat(refused.problem()).isEqualTo(Problem.LEDGER_UNAVAILABLE);
            }
        }
        throw new AssertionError("refused " + ATTEMPTS_MAX + " times");
    }

    /** In how many places the events are, whichever. Each event can be in one place of a table only: a key sees to it. */
    private long kept(Ledger ledger) {
        return ledger.writer()
                .solo(
                        1,
                        transaction -> transaction
                                .jdbc()
                                .sql("""
                                    select
                                        (select count(*) from event_queue where project_id = ?1 and revision = 1)
                                        + (select count(*) from event_quarantine where project_id = ?1 and revision = 1)
                                        + (select count(*) from event_receipts where project_id = ?1)
                                    """)
                                .param(project.value())
                                .query(Long.class)
                                .single())
                .orThrow();
    }

    private void accept(Ledger ledger, long from, long to) {
        for (int attempt = 0; attempt < ATTEMPTS_MAX; attempt++) {
            switch (Samples.accept(ledger, events(project, from, to))) {
                case AcceptResult.Committed committed -> {
                    note(from, committed.verdicts());
                    return;
                }
                case AcceptResult.Refused refused ->
                    assertThat(refused.problem()).isEqualTo(Problem.LEDGER_UNAVAILABLE);
                case AcceptResult.ProofVoid doubt -> throw new AssertionError("proof void: " + doubt.reason());
            }
            answersMayBeLost = true;
        }
        throw new AssertionError("refused " + ATTEMPTS_MAX + " times");
    }

    private void note(long from, List<Verdict> verdicts) {
        for (int i = 0; i < verdicts.size(); i++) {
            long number = from + i;
            boolean isNew = verdicts.get(i).kind() == Verdict.Kind.ACCEPTED;
            if (isNew) {
                assertThat(acknowledged)
                        .as("called new after it was acknowledged")
                        .doesNotContain(number);
                acceptedOnce.add(number);
            } else if (!answersMayBeLost) {
                assertThat(acceptedOnce).as("called known before it was new").contains(number);
            }
            acknowledged.add(number);
        }
    }

    private static List<QueuedEvent> oldest(Ledger ledger, int rows) {
        return new ArrayList<>(ledger.queue().oldest(rows, Long.MAX_VALUE));
    }

    private void retrying(Runnable step) {
        for (int attempt = 0; attempt < ATTEMPTS_MAX; attempt++) {
            try {
                step.run();
                return;
            } catch (ProblemException e) {
                assertThat(e.problem()).isEqualTo(Problem.LEDGER_UNAVAILABLE);
                answersMayBeLost = true;
            }
        }
        throw new AssertionError("refused " + ATTEMPTS_MAX + " times");
    }
}
