package dev.porcupine.ledger;

import static dev.porcupine.ledger.Samples.events;
import static dev.porcupine.ledger.Samples.kinds;
import static dev.porcupine.ledger.Samples.queued;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.porcupine.ledger.StepScript.Gate;
import dev.porcupine.ledger.Verdict.Kind;
import dev.porcupine.schema.Event;
import dev.porcupine.schema.EventUuid;
import dev.porcupine.schema.ProjectId;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ConcurrencyTest {

    private static final int THREADS = 20;
    private static final int EVENTS = 1_000;

    @TempDir
    private Path dir;

    private final StepScript steps = new StepScript();
    private Ledger ledger;
    private ProjectId project;

    @BeforeEach
    void open() {
        ledger = Samples.open(dir, steps);
        project = ledger.projects().create("shop").project().id();
    }

    @AfterEach
    void close() {
        assertThat(RawRows.counted(ledger)).isEqualTo(ledger.status());
        ledger.close();
    }

    @Test
    void twenty_threads_with_the_same_events_are_told_once_that_each_is_new() throws Exception {
        Map<EventUuid, Integer> acceptances = new ConcurrentHashMap<>();
        AtomicBoolean senders = new AtomicBoolean(true);
        Thread settling = Thread.ofPlatform().start(() -> {
            while (senders.get()) {
                ledger.queue().settle(ledger.queue().oldest(300, Long.MAX_VALUE));
            }
        });
        CountDownLatch done = new CountDownLatch(THREADS);
        List<Throwable> failures = Collections.synchronizedList(new ArrayList<>());
        for (int t = 0; t < THREADS; t++) {
            Random random = new Random(t);
            Thread.ofPlatform().start(() -> {
                try {
                    List<Event> mine = new ArrayList<>(events(project, 0, EVENTS));
                    Collections.shuffle(mine, random);
                    int from = 0;
                    while (from < EVENTS) {
                        List<Event> batch = mine.subList(from, Math.min(EVENTS, from + 1 + random.nextInt(100)));
                        List<Kind> kinds = kinds(ledger.acceptance().accept(batch));
                        for (int i = 0; i < batch.size(); i++) {
                            acceptances.merge(
                                    batch.get(i).identity().uuid(),
                                    kinds.get(i) == Kind.ACCEPTED ? 1 : 0,
                                    Integer::sum);
                        }
                        from += batch.size();
                    }
                } catch (Throwable e) {
                    failures.add(e);
                } finally {
                    done.countDown();
                }
            });
        }
        assertThat(done.await(60, TimeUnit.SECONDS)).isTrue();
        senders.set(false);
        settling.join();

        assertThat(failures).isEmpty();
        assertThat(acceptances)
                .hasSize(EVENTS)
                .allSatisfy((uuid, times) -> assertThat(times).isEqualTo(1));
        ledger.queue().settle(queued(ledger));
        assertThat(ledger.status().receipts()).isEqualTo(EVENTS);
    }

    @Test
    void equal_batches_in_one_group_are_accepted_once() {
        List<List<Kind>> answers = inOneGroup(List.of(events(project, 0, 3), events(project, 0, 3)));

        assertThat(answers.get(0)).containsOnly(Kind.ACCEPTED);
        assertThat(answers.get(1)).containsOnly(Kind.KNOWN_IN_QUEUE);
    }

    @Test
    void every_order_of_overlapping_batches_accepts_each_event_once() {
        long next = 0;
        for (List<Integer> order : permutations(List.of(0, 1, 2))) {
            long n = next;
            next += 10;
            List<List<Event>> batches =
                    List.of(events(project, n, n + 2), events(project, n + 1, n + 4), events(project, n, n + 4));
            List<List<Kind>> answers =
                    inOneGroup(order.stream().map(batches::get).toList());
            assertThat(answers.stream().flatMap(List::stream).filter(Kind.ACCEPTED::equals))
                    .as("order %s", order)
                    .hasSize(4);
        }
        assertThat(queued(ledger))
                .hasSize(24)
                .extracting(q -> q.event().identity())
                .doesNotHaveDuplicates();
    }

    @Test
    void a_batch_whose_equal_before_it_was_undone_is_accepted() {
        // the first batch's second insert fails; the second batch of the same group must not rely on the first insert
        Gate gate = new Gate();
        steps.actAt(WriteStep.BEGIN, gate);
        CompletableFuture<AcceptResult> opener = accept(events(project, 100, 101));
        gate.awaitReached();
        steps.watch();
        CompletableFuture<AcceptResult> first = submitInOrder(events(project, 0, 3), 1);
        CompletableFuture<AcceptResult> second = submitInOrder(events(project, 0, 3), 2);
        failAtRow(3);
        gate.open();

        opener.join();
        assertThat(first.join()).isInstanceOf(AcceptResult.Refused.class);
        assertThat(kinds(second.join())).containsOnly(Kind.ACCEPTED);
        assertThat(queued(ledger)).hasSize(4);
    }

    /** Counts rows from now: the opener's insert is the first. */
    private void failAtRow(int number) {
        steps.actAt(WriteStep.ROW, connection -> failAtNextRow(number - 1));
    }

    private void failAtNextRow(int more) {
        if (more == 1) {
            steps.actAt(WriteStep.ROW, StepScript.fail());
        } else {
            failAtRow(more);
        }
    }

    /** Lets the batches gather behind a transaction under way, in this order, so that they share the next one. */
    private List<List<Kind>> inOneGroup(List<List<Event>> batches) {
        Gate gate = new Gate();
        steps.actAt(WriteStep.BEGIN, gate);
        CompletableFuture<WriteOutcome<Boolean>> opener =
                CompletableFuture.supplyAsync(() -> ledger.writer().solo(1, transaction -> true));
        gate.awaitReached();
        List<CompletableFuture<AcceptResult>> results = new ArrayList<>();
        for (List<Event> batch : batches) {
            results.add(submitInOrder(batch, results.size() + 1));
        }
        steps.watch();
        gate.open();
        opener.join();
        List<List<Kind>> kinds =
                results.stream().map(result -> kinds(result.join())).toList();
        assertThat(steps.seen().stream().filter(step -> step == WriteStep.COMMITTED))
                .as("the opener's transaction and one for the group")
                .hasSize(2);
        return kinds;
    }

    private CompletableFuture<AcceptResult> submitInOrder(List<Event> batch, int waitingAfter) {
        CompletableFuture<AcceptResult> result = accept(batch);
        await().until(() -> ledger.writer().waitingCaptures() == waitingAfter);
        return result;
    }

    private CompletableFuture<AcceptResult> accept(List<Event> batch) {
        CompletableFuture<AcceptResult> result = new CompletableFuture<>();
        Thread.ofPlatform().start(() -> result.complete(ledger.acceptance().accept(batch)));
        return result;
    }

    private static List<List<Integer>> permutations(List<Integer> items) {
        if (items.isEmpty()) {
            return List.of(List.of());
        }
        List<List<Integer>> all = new ArrayList<>();
        for (Integer first : items) {
            List<Integer> rest =
                    items.stream().filter(item -> !item.equals(first)).toList();
            for (List<Integer> tail : permutations(rest)) {
                List<Integer> one = new ArrayList<>(List.of(first));
                one.addAll(tail);
                all.add(one);
            }
        }
        return all;
    }
}
