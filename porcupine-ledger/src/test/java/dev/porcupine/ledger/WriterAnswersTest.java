package dev.porcupine.ledger;

import static dev.porcupine.ledger.Samples.events;
import static dev.porcupine.ledger.Samples.kinds;
import static dev.porcupine.ledger.Samples.queued;
import static dev.porcupine.ledger.Samples.times;
import static org.assertj.core.api.Assertions.assertThat;

import dev.porcupine.ledger.StepScript.Gate;
import dev.porcupine.ledger.Verdict.Kind;
import dev.porcupine.schema.Problem;
import dev.porcupine.schema.ProjectId;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What callers are told when the writer is slow, busy or stopping. */
class WriterAnswersTest {

    @TempDir
    private Path dir;

    private final StepScript steps = new StepScript();
    private final List<Gate> gates = new ArrayList<>();
    private Ledger ledger;
    private ProjectId project;

    @BeforeEach
    void open() {
        ledger = open(Duration.ofSeconds(30), 100);
        project = ledger.projects().create("shop").project().id();
    }

    @AfterEach
    void close() {
        gates.forEach(Gate::open);
        ledger.close();
    }

    @Test
    void a_caller_who_gave_up_while_waiting_has_nothing_stored() {
        reopen(Duration.ofMillis(500), 100);
        Gate gate = gateAt(WriteStep.BEGIN);
        CompletableFuture<AcceptResult> first = accept(0, 1);
        gate.awaitReached();

        assertRefused(ledger.acceptance().accept(events(project, 1, 2)), Problem.OVERLOADED, "nothing of it is stored");

        gate.open();
        first.join();
        reopen(Duration.ofSeconds(30), 100);
        assertThat(kinds(accept(1, 2).join())).containsExactly(Kind.ACCEPTED);
    }

    @Test
    void a_caller_who_gave_up_while_written_is_told_that_it_may_be_stored() {
        reopen(Duration.ofMillis(500), 100);
        Gate gate = gateAt(WriteStep.COMMIT);

        assertRefused(ledger.acceptance().accept(events(project, 0, 1)), Problem.LEDGER_UNAVAILABLE, "may be stored");

        gate.open();
        reopen(Duration.ofSeconds(30), 100);
        assertThat(kinds(accept(0, 1).join())).containsExactly(Kind.KNOWN_IN_QUEUE);
    }

    @Test
    void nobody_is_answered_before_the_commit() {
        Gate gate = gateAt(WriteStep.COMMIT);
        CompletableFuture<AcceptResult> first = accept(0, 5);
        gate.awaitReached();

        assertThat(first).isNotDone();
        assertThat(ledger.status().queueEvents()).isZero();
        assertThat(queued(ledger)).isEmpty();

        gate.open();
        assertThat(kinds(first.join())).isEqualTo(times(5, Kind.ACCEPTED));
        assertThat(ledger.status().queueEvents()).isEqualTo(5);
    }

    @Test
    void too_many_waiting_batches_are_refused_as_overload() throws Exception {
        reopen(Duration.ofSeconds(30), 2);
        Gate gate = gateAt(WriteStep.BEGIN);
        List<CompletableFuture<AcceptResult>> waiting = new ArrayList<>(List.of(accept(0, 1)));
        gate.awaitReached();

        List<CompletableFuture<AcceptResult>> more = List.of(accept(1, 2), accept(2, 3), accept(3, 4));
        CompletableFuture.anyOf(more.toArray(CompletableFuture[]::new)).get(30, TimeUnit.SECONDS);
        CompletableFuture<AcceptResult> refused =
                more.stream().filter(CompletableFuture::isDone).findFirst().orElseThrow();
        assertRefused(refused.join(), Problem.OVERLOADED, "nothing");

        gate.open();
        waiting.addAll(more);
        assertThat(waiting.stream().map(CompletableFuture::join).filter(AcceptResult.Committed.class::isInstance))
                .hasSize(3);
        assertThat(queued(ledger)).hasSize(3);
    }

    @Test
    void closing_finishes_the_transaction_under_way_and_refuses_what_waits() throws Exception {
        Gate gate = gateAt(WriteStep.BEGIN);
        CompletableFuture<AcceptResult> underWay = accept(0, 1);
        gate.awaitReached();
        // a settlement of its own transaction: it can't join the group that is under way
        CompletableFuture<WriteOutcome<Boolean>> waiting =
                CompletableFuture.supplyAsync(() -> ledger.writer().solo(1, transaction -> true));
        CompletableFuture<AcceptResult> alsoWaiting = accept(1, 2);

        CompletableFuture<Void> closing = CompletableFuture.runAsync(ledger::close);
        assertRefused(alsoWaiting.get(30, TimeUnit.SECONDS), Problem.SHUTTING_DOWN, "nothing of it is stored");
        assertThat(waiting.get(30, TimeUnit.SECONDS))
                .isInstanceOfSatisfying(
                        WriteOutcome.Refused.class, r -> assertThat(r.problem()).isEqualTo(Problem.SHUTTING_DOWN));
        gate.open();
        closing.get(30, TimeUnit.SECONDS);

        assertThat(kinds(underWay.join())).containsExactly(Kind.ACCEPTED);
        assertRefused(ledger.acceptance().accept(events(project, 2, 3)), Problem.SHUTTING_DOWN, "stopping");
        ledger = Samples.open(dir);
        assertThat(kinds(accept(0, 2).join())).containsExactly(Kind.KNOWN_IN_QUEUE, Kind.ACCEPTED);
    }

    @Test
    void an_error_in_a_task_does_not_end_the_writer() {
        steps.actAt(WriteStep.WORK, connection -> {
            throw new StackOverflowError("planted");
        });

        assertRefused(ledger.acceptance().accept(events(project, 0, 1)), Problem.LEDGER_UNAVAILABLE, "send it again");

        assertThat(kinds(accept(0, 1).join())).containsExactly(Kind.ACCEPTED);
    }

    private void reopen(Duration wait, int waitingMax) {
        ledger.close();
        ledger = open(wait, waitingMax);
    }

    private Ledger open(Duration wait, int waitingMax) {
        WriterLimits usual = Samples.limits();
        WriterLimits limits = new WriterLimits(
                waitingMax,
                usual.waitingBytesMax(),
                usual.groupTasksMax(),
                usual.groupRowsMax(),
                wait,
                Duration.ofSeconds(30),
                usual.walBytesMax(),
                usual.checkpointWait(),
                Duration.ZERO);
        return Ledger.open(
                Samples.roomy(dir),
                Samples.CLOCK,
                new LedgerTuning(limits, steps, Duration.ofSeconds(5), Duration.ofSeconds(5)));
    }

    private Gate gateAt(WriteStep step) {
        Gate gate = new Gate();
        gates.add(gate);
        steps.actAt(step, gate);
        return gate;
    }

    private CompletableFuture<AcceptResult> accept(long from, long to) {
        CompletableFuture<AcceptResult> result = new CompletableFuture<>();
        Thread.ofPlatform().start(() -> result.complete(ledger.acceptance().accept(events(project, from, to))));
        return result;
    }

    private static void assertRefused(AcceptResult result, Problem problem, String says) {
        assertThat(result).isInstanceOfSatisfying(AcceptResult.Refused.class, refused -> {
            assertThat(refused.problem()).isEqualTo(problem);
            assertThat(refused.detail()).contains(says);
        });
    }
}
