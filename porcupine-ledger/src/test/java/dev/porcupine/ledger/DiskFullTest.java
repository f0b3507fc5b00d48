package dev.porcupine.ledger;

import static dev.porcupine.ledger.Samples.events;
import static dev.porcupine.ledger.Samples.kinds;
import static dev.porcupine.ledger.Samples.queued;
import static dev.porcupine.ledger.Samples.times;
import static org.assertj.core.api.Assertions.assertThat;

import dev.porcupine.ledger.Verdict.Kind;
import dev.porcupine.schema.Problem;
import dev.porcupine.schema.ProblemException;
import dev.porcupine.schema.ProjectId;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A disk that fills up and gets space again: SQLite itself is told how many pages it may have. */
class DiskFullTest {

    private static final long PLENTY = 1L << 30;

    @TempDir
    private Path dir;

    private volatile long pagesMax = PLENTY;
    private boolean changed;

    @Test
    void a_full_disk_refuses_new_events_knows_old_ones_and_recovers_by_itself() {
        try (Ledger ledger = Samples.open(dir, this::limitPages)) {
            ProjectId project = ledger.projects().create("shop").project().id();
            accept(ledger, project, 0, 100);
            fill(ledger);

            long accepted = 100;
            AcceptResult last = ledger.acceptance().accept(events(project, accepted, accepted + 100));
            while (last instanceof AcceptResult.Committed) {
                accepted += 100;
                last = ledger.acceptance().accept(events(project, accepted, accepted + 100));
            }

            assertThat(last).isInstanceOfSatisfying(AcceptResult.Refused.class, refused -> {
                assertThat(refused.problem()).isEqualTo(Problem.LEDGER_UNAVAILABLE);
                assertThat(refused.detail()).contains("disk is full");
            });
            assertThat(kinds(ledger.acceptance().accept(events(project, 0, accepted))))
                    .isEqualTo(times((int) accepted, Kind.KNOWN_IN_QUEUE));
            assertThat(queued(ledger)).hasSize((int) accepted);
            assertThat(RawRows.counted(ledger)).isEqualTo(ledger.status());

            pages(PLENTY);
            accept(ledger, project, accepted, accepted + 100);
            assertThat(queued(ledger)).hasSize((int) accepted + 100);
            ledger.queue().settle(queued(ledger));
            assertThat(ledger.status().receipts()).isEqualTo(accepted + 100);
        }
    }

    @Test
    void many_clients_on_a_full_disk_lose_and_double_nothing() {
        try (Ledger ledger = Samples.open(dir, this::limitPages)) {
            ProjectId project = ledger.projects().create("shop").project().id();
            accept(ledger, project, 0, 100);
            fill(ledger);

            List<Long> acceptedAtFirst = IntStream.range(0, 8)
                    .mapToObj(thread -> CompletableFuture.supplyAsync(() -> {
                        long accepted = 0;
                        for (long n = 1_000 + thread * 400L; n < 1_400 + thread * 400L; n += 20) {
                            if (ledger.acceptance().accept(events(project, n, n + 20))
                                    instanceof AcceptResult.Committed) {
                                accepted += 20;
                            }
                        }
                        return accepted;
                    }))
                    .toList()
                    .stream()
                    .map(CompletableFuture::join)
                    .toList();
            long accepted = acceptedAtFirst.stream().mapToLong(n -> n).sum();
            assertThat(accepted).isLessThan(3_200);
            assertThat(ledger.status().queueEvents()).isEqualTo(100 + accepted);

            pages(PLENTY);
            List<Kind> resent = kinds(ledger.acceptance().accept(events(project, 1_000, 4_200)));
            assertThat(resent.stream().filter(Kind.ACCEPTED::equals)).hasSize((int) (3_200 - accepted));
            assertThat(RawRows.counted(ledger)).isEqualTo(ledger.status());
        }
    }

    @Test
    void settlement_on_a_full_disk_keeps_the_events_or_settles_them() {
        try (Ledger ledger = Samples.open(dir, this::limitPages)) {
            ProjectId project = ledger.projects().create("shop").project().id();
            accept(ledger, project, 0, 2_000);
            List<QueuedEvent> queued = queued(ledger);
            fill(ledger);

            try {
                ledger.queue().settle(queued);
            } catch (ProblemException e) {
                assertThat(e.problem()).isEqualTo(Problem.LEDGER_UNAVAILABLE);
            }
            assertThat(ledger.status().receipts() + ledger.status().queueEvents())
                    .isEqualTo(2_000);

            pages(PLENTY);
            accept(ledger, project, 2_000, 2_001);
            ledger.queue().settle(queued);
            assertThat(ledger.status().receipts()).isEqualTo(2_000);
            assertThat(RawRows.counted(ledger)).isEqualTo(ledger.status());
        }
    }

    private static void accept(Ledger ledger, ProjectId project, long from, long to) {
        assertThat(kinds(ledger.acceptance().accept(events(project, from, to)))).containsOnly(Kind.ACCEPTED);
    }

    /** From the next transaction on, the file has a few pages to grow. */
    private void fill(Ledger ledger) {
        long pages = ledger.writer()
                .solo(
                        1,
                        transaction -> transaction
                                .jdbc()
                                .sql("pragma page_count")
                                .query(Long.class)
                                .single())
                .orThrow();
        pages(pages + 5);
    }

    private void pages(long max) {
        pagesMax = max;
        changed = true;
    }

    /** The limit is the connection's: each new one is told again. */
    private void limitPages(WriteStep step, Connection connection) throws SQLException {
        if (step == WriteStep.CONNECTED || (step == WriteStep.BEGIN && changed)) {
            changed = false;
            try (Statement statement = connection.createStatement();
                    ResultSet row = statement.executeQuery("pragma max_page_count = " + pagesMax)) {
                row.next();
            }
        }
    }
}
