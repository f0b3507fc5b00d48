package dev.porcupine.ledger;

import static org.assertj.core.api.Assertions.assertThat;

import dev.porcupine.schema.Event;
import dev.porcupine.schema.EventIdentity;
import dev.porcupine.schema.EventUuid;
import dev.porcupine.schema.Problem;
import dev.porcupine.schema.ProblemException;
import dev.porcupine.schema.ProjectId;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Random work, failures, crashes and restarts against a ledger of plain maps. {@code porcupine.schedules} (default 8) makes it longer,
 * {@code porcupine.seed} repeats one.
 */
class ModelTest {

    private static final int ACTIONS = 100;
    private static final long EVENTS_MAX = 60;
    private static final int PROJECTS = 3;
    private static final int NUMBERS = 40;

    @TempDir
    private Path dir;

    @Test
    void the_ledger_does_what_plain_maps_do() {
        int schedules = Integer.getInteger("porcupine.schedules", 8);
        long seed = Long.getLong("porcupine.seed", System.nanoTime());
        for (int i = 0; i < schedules; i++) {
            long own = seed + i;
            System.out.println("ModelTest seed " + own);
            try (Run run = new Run(dir.resolve("run-" + i), new Random(own))) {
                run.go();
            } catch (AssertionError | RuntimeException e) {
                throw new AssertionError("with -Dporcupine.seed=" + own + " -Dporcupine.schedules=1", e);
            }
        }
    }

    private enum Place {
        QUEUE,
        QUARANTINE,
        RECEIPT
    }

    private record Known(Place place, Event event) {}

    private static final class Run implements AutoCloseable {
        private final Random random;
        private final StepScript steps = new StepScript();
        private final Map<EventIdentity, Known> model = new HashMap<>();

        /** The queue by what order it should have. */
        private final List<EventIdentity> queueOrder = new ArrayList<>();

        private final Path base;
        private final List<QueuedEvent> everSeen = new ArrayList<>();
        private Path home;
        private Ledger ledger;
        private int crashes;

        Run(Path base, Random random) {
            this.base = base;
            this.random = random;
            this.home = base.resolve("home");
            this.ledger = open();
            for (int i = 0; i < PROJECTS; i++) {
                ledger.projects().create("project " + i);
            }
        }

        void go() {
            for (int i = 0; i < ACTIONS; i++) {
                boolean committed = plan();
                switch (random.nextInt(10)) {
                    case 0, 1, 2, 3, 4 -> accept(committed);
                    case 5, 6 -> settle(committed);
                    case 7 -> quarantine(committed);
                    case 8 -> retry(committed);
                    default -> restart();
                }
                steps.watch();
                check();
            }
        }

        @Override
        public void close() {
            ledger.close();
        }

        /**
         * One action in five fails at some step.
         *
         * @return whether the action's transaction commits all the same (the answer is lost)
         */
        private boolean plan() {
            steps.watch();
            if (random.nextInt(5) != 0) {
                return true;
            }
            WriteStep[] failing = {
                WriteStep.BEGIN,
                WriteStep.SAVEPOINT,
                WriteStep.WORK,
                WriteStep.ROW,
                WriteStep.RELEASE,
                WriteStep.STATE,
                WriteStep.COMMIT,
                WriteStep.COMMITTED,
                WriteStep.ANSWER
            };
            WriteStep step = failing[random.nextInt(failing.length)];
            steps.actAt(step, StepScript.fail());
            return step == WriteStep.COMMITTED || step == WriteStep.ANSWER;
        }

        private void accept(boolean committed) {
            ProjectId project = new ProjectId(1 + random.nextInt(PROJECTS));
            Map<EventIdentity, Event> batch = new LinkedHashMap<>();
            int size = 1 + random.nextInt(12);
            for (int i = 0; i < size; i++) {
                Event event = Samples.event(
                        project, random.nextInt(NUMBERS), "event " + random.nextInt(2), "person " + random.nextInt(2));
                batch.putIfAbsent(event.identity(), event);
            }
            List<Verdict> expected = new ArrayList<>();
            List<Event> fresh = new ArrayList<>();
            for (Event event : batch.values()) {
                Known known = model.get(event.identity());
                if (known == null) {
                    expected.add(new Verdict(Verdict.Kind.ACCEPTED, false));
                    fresh.add(event);
                } else {
                    boolean conflict = !known.event().name().equals(event.name())
                            || !known.event().distinctId().equals(event.distinctId());
                    expected.add(new Verdict(kind(known.place()), conflict));
                }
            }
            boolean full = !fresh.isEmpty()
                    && (queueOrder.size() + fresh.size() > EVENTS_MAX || count(Place.QUARANTINE) >= EVENTS_MAX);

            AcceptResult result = Samples.accept(ledger, List.copyOf(batch.values()));

            switch (result) {
                case AcceptResult.Committed answered -> {
                    assertThat(full).isFalse();
                    assertThat(answered.verdicts()).isEqualTo(expected);
                    store(fresh);
                }
                case AcceptResult.Refused refused
                when refused.problem() == Problem.QUEUE_FULL -> assertThat(full).isTrue();
                case AcceptResult.Refused refused -> {
                    assertThat(steps.acted()).as(refused.detail()).isTrue();
                    if (committed && !full) {
                        store(fresh);
                    }
                }
                case AcceptResult.ProofVoid doubt -> throw new AssertionError("proof void: " + doubt.reason());
            }
        }

        private void store(List<Event> fresh) {
            for (Event event : fresh) {
                model.put(event.identity(), new Known(Place.QUEUE, event));
                queueOrder.add(event.identity());
            }
        }

        /** Some of the queue, some of what left it long ago. */
        private List<QueuedEvent> some() {
            List<QueuedEvent> some = new ArrayList<>(ledger.queue().oldest(1 + random.nextInt(30), Long.MAX_VALUE));
            everSeen.addAll(some);
            for (int i = 0; i < 3 && !everSeen.isEmpty(); i++) {
                some.add(everSeen.get(random.nextInt(everSeen.size())));
            }
            return some;
        }

        private void settle(boolean committed) {
            List<QueuedEvent> some = some();
            move(some, Place.RECEIPT, committed, () -> ledger.queue().settle(some, Samples.SOURCE));
        }

        private void quarantine(boolean committed) {
            List<QueuedEvent> some = some();
            move(some, Place.QUARANTINE, committed, () -> ledger.queue().quarantine(some, "bad"));
        }

        private void move(List<QueuedEvent> some, Place to, boolean committed, Runnable action) {
            Map<Long, EventIdentity> now = new TreeMap<>();
            Samples.queued(ledger)
                    .forEach(queued -> now.put(queued.seq(), queued.event().identity()));
            boolean answered = runs(action);
            if (answered || committed) {
                for (QueuedEvent queued : some) {
                    if (queued.event().identity().equals(now.get(queued.seq()))
                            && queueOrder.remove(queued.event().identity())) {
                        model.put(queued.event().identity(), new Known(to, queued.event()));
                    }
                }
            }
        }

        private void retry(boolean committed) {
            ProjectId project = new ProjectId(1 + random.nextInt(PROJECTS));
            List<QuarantinedEvent> entries = ledger.quarantine().list(project, 0, 1_000);
            if (entries.isEmpty()) {
                return;
            }
            QuarantinedEvent entry = entries.get(random.nextInt(entries.size()));
            boolean full = queueOrder.size() + 1 > EVENTS_MAX;
            boolean answered = runs(() ->
                    assertThat(ledger.quarantine().retry(project, entry.seq())).isTrue());
            if ((answered || committed) && !full) {
                model.put(entry.event().identity(), new Known(Place.QUEUE, entry.event()));
                queueOrder.add(entry.event().identity());
            }
        }

        private boolean runs(Runnable action) {
            try {
                action.run();
                return true;
            } catch (ProblemException e) {
                boolean planted = e.problem() == Problem.LEDGER_UNAVAILABLE && steps.acted();
                assertThat(planted || e.problem() == Problem.QUEUE_FULL)
                        .as(e.detail())
                        .isTrue();
                return false;
            }
        }

        private void restart() {
            steps.watch();
            if (random.nextBoolean()) {
                ledger.close();
                ledger = open();
                return;
            }
            // as a kill would leave the files
            Path image = base.resolve("crash-" + crashes++);
            try {
                Files.createDirectories(image);
                for (String suffix : new String[] {"", "-wal"}) {
                    Path from = home.resolve(LedgerFile.FILE_NAME + suffix);
                    if (Files.exists(from)) {
                        Files.copy(from, image.resolve(LedgerFile.FILE_NAME + suffix));
                    }
                }
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
            ledger.close();
            home = image;
            ledger = open();
        }

        private void check() {
            // the first write after a lost connection reads the truth; until then the counters may be behind
            LedgerStatus counted = RawRows.counted(ledger);
            assertThat(ledger.status()).isEqualTo(counted);
            assertThat(counted.receipts()).isEqualTo(count(Place.RECEIPT));
            assertThat(counted.quarantined()).isEqualTo(count(Place.QUARANTINE));
            assertThat(Samples.queued(ledger))
                    .extracting(QueuedEvent::event)
                    .containsExactlyElementsOf(queueOrder.stream()
                            .map(identity ->
                                    Objects.requireNonNull(model.get(identity)).event())
                            .toList());
            List<Event> quarantined = new ArrayList<>();
            for (int p = 1; p <= PROJECTS; p++) {
                ledger.quarantine().list(new ProjectId(p), 0, 1_000).forEach(entry -> quarantined.add(entry.event()));
            }
            assertThat(quarantined)
                    .containsExactlyInAnyOrderElementsOf(model.values().stream()
                            .filter(known -> known.place() == Place.QUARANTINE)
                            .map(Known::event)
                            .toList());
            List<String> receipts = new ArrayList<>();
            model.forEach((identity, known) -> {
                if (known.place() == Place.RECEIPT) {
                    receipts.add(identity.toString());
                }
            });
            receipts.sort(Comparator.naturalOrder());
            assertThat(receiptsOnDisk()).isEqualTo(receipts);
        }

        private List<String> receiptsOnDisk() {
            return ledger
                    .writer()
                    .solo(
                            1,
                            transaction -> transaction
                                    .jdbc()
                                    .sql("select project_id, uuid from event_receipts")
                                    .query((row, number) -> row.getLong(1) + "/" + EventUuid.ofBytes(row.getBytes(2)))
                                    .list())
                    .orThrow()
                    .stream()
                    .sorted()
                    .toList();
        }

        private long count(Place place) {
            return model.values().stream()
                    .filter(known -> known.place() == place)
                    .count();
        }

        private static Verdict.Kind kind(Place place) {
            return switch (place) {
                case QUEUE -> Verdict.Kind.KNOWN_IN_QUEUE;
                case QUARANTINE -> Verdict.Kind.KNOWN_IN_QUARANTINE;
                case RECEIPT -> Verdict.Kind.KNOWN_BY_RECEIPT;
            };
        }

        private Ledger open() {
            return Ledger.open(new LedgerSettings(home, EVENTS_MAX, 1L << 30), Samples.CLOCK, Samples.tuning(steps));
        }
    }
}
