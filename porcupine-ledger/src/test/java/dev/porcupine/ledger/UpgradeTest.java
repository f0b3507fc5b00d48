package dev.porcupine.ledger;

import static dev.porcupine.ledger.Samples.event;
import static dev.porcupine.ledger.Samples.events;
import static dev.porcupine.ledger.Samples.kinds;
import static dev.porcupine.ledger.Samples.queued;
import static dev.porcupine.ledger.Samples.times;
import static org.assertj.core.api.Assertions.assertThat;

import dev.porcupine.ledger.Verdict.Kind;
import dev.porcupine.schema.ProjectId;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A ledger of the first release in this one. */
class UpgradeTest {

    private static final int KNOWN = LedgerV1.RECEIPTS + LedgerV1.QUEUED;

    private static final List<String> OLD_ROWS = List.of(
            "select id, name, created_at from projects order by id",
            "select id, project_id, hex(secret_hash), hint, created_at, revoked_at from project_tokens order by id",
            "select seq, project_id, hex(uuid), revision, is_deleted, name, distinct_id, timestamp_us, received_at, bytes,"
                    + " hex(properties) from event_queue order by seq",
            "select project_id, hex(uuid), received_at from event_receipts order by 1, 2",
            "select project_id, hex(uuid), revision, is_deleted, received_at from mutation_heads order by 1, 2");

    @TempDir
    private Path dir;

    @BeforeEach
    void copyTheFixture() throws Exception {
        try (InputStream fixture = UpgradeTest.class.getResourceAsStream("/ledger-v1.db")) {
            assertThat(fixture).isNotNull();
            Files.write(dir.resolve(LedgerFile.FILE_NAME), fixture.readAllBytes());
        }
    }

    @Test
    void an_old_ledger_opens_and_every_row_stays_as_it_was() {
        List<List<String>> before =
                OLD_ROWS.stream().map(sql -> RawRows.query(dir, sql)).toList();
        assertThat(before.get(3)).hasSize(LedgerV1.PROJECTS * LedgerV1.RECEIPTS);

        Samples.open(dir).close();

        assertThat(OLD_ROWS.stream().map(sql -> RawRows.query(dir, sql)).toList())
                .isEqualTo(before);
        assertThat(RawRows.query(dir, "pragma integrity_check")).containsExactly("ok");
    }

    @Test
    void what_was_known_is_known_and_the_counters_begin_with_what_is_there() {
        try (Ledger ledger = Samples.open(dir)) {
            for (int p = 1; p <= LedgerV1.PROJECTS; p++) {
                ProjectId project = new ProjectId(p);
                List<Kind> expected = new ArrayList<>(times(LedgerV1.RECEIPTS, Kind.KNOWN_BY_RECEIPT));
                expected.addAll(times(LedgerV1.QUEUED, Kind.KNOWN_IN_QUEUE));
                assertThat(kinds(Samples.accept(ledger, events(project, 0, KNOWN))))
                        .isEqualTo(expected);
                assertThat(kinds(Samples.accept(ledger, events(project, 1_000, 1_001))))
                        .containsExactly(Kind.KNOWN_BY_HEAD);
                assertThat(ledger.projects().byToken(LedgerV1.SECRETS.get(p - 1)))
                        .contains(project);
            }
            LedgerStatus status = ledger.status();
            assertThat(status.receipts()).isEqualTo(LedgerV1.PROJECTS * LedgerV1.RECEIPTS);
            assertThat(status.unprovenReceipts()).isEqualTo(status.receipts());
            assertThat(status.queueEvents()).isEqualTo(LedgerV1.PROJECTS * LedgerV1.QUEUED);
            assertThat(status.heads()).isEqualTo(LedgerV1.PROJECTS);
            assertThat(status.complete()).isTrue();
            assertThat(status.evictedReceipts()).isZero();
            assertThat(RawRows.counted(ledger)).isEqualTo(status);
        }
    }

    @Test
    void old_receipts_claim_no_provenance_and_no_conflict() {
        try (Ledger ledger = Samples.open(dir)) {
            AcceptResult result =
                    Samples.accept(ledger, List.of(event(new ProjectId(1), 0, "other name", "other person")));
            assertThat(result)
                    .isEqualTo(new AcceptResult.Committed(List.of(new Verdict(Kind.KNOWN_BY_RECEIPT, false))));
        }
        assertThat(RawRows.query(dir, "select distinct provenance, settled_seq, content_tag from event_receipts"))
                .containsExactly("null|null|null");
        assertThat(RawRows.query(dir, "select distinct protocol from event_queue"))
                .containsExactly("null");
    }

    @Test
    void old_queue_rows_are_delivered_and_settled_like_new_ones() {
        try (Ledger ledger = Samples.open(dir)) {
            kinds(Samples.accept(ledger, events(new ProjectId(1), KNOWN, KNOWN + 1)));
            assertThat(queued(ledger)).hasSize(LedgerV1.PROJECTS * LedgerV1.QUEUED + 1);

            ledger.queue().settle(queued(ledger), Samples.SOURCE);

            assertThat(ledger.status().queueEvents()).isZero();
            assertThat(ledger.status().queueBytes()).isZero();
            assertThat(ledger.status().receipts()).isEqualTo(LedgerV1.PROJECTS * KNOWN + 1);
            assertThat(kinds(Samples.accept(ledger, events(new ProjectId(2), 0, KNOWN))))
                    .isEqualTo(times(KNOWN, Kind.KNOWN_BY_RECEIPT));
        }
    }

    @Test
    void every_insert_of_this_release_carries_the_protocol_marker() {
        try (Ledger ledger = Samples.open(dir)) {
            ledger.queue().settle(queued(ledger), Samples.SOURCE);
            kinds(Samples.accept(ledger, events(new ProjectId(1), 500, 502)));
            ledger.queue().quarantine(queued(ledger).subList(0, 1), "bad");
            ledger.quarantine()
                    .retry(
                            new ProjectId(1),
                            ledger.quarantine()
                                    .list(new ProjectId(1), 0, 1)
                                    .getFirst()
                                    .seq());
        }
        assertThat(RawRows.query(dir, "select count(*), min(protocol), max(protocol) from event_queue"))
                .containsExactly("2|2|2");
    }

    @Test
    void the_eviction_index_holds_nothing_while_nothing_is_proven() {
        Samples.open(dir).close();
        // a partial index is only used by a query that implies its condition
        assertThat(
                        RawRows.query(
                                dir,
                                "explain query plan select settled_seq from event_receipts where provenance is not null order by settled_seq"))
                .anySatisfy(plan -> assertThat(plan).contains("event_receipts_eviction"));
        assertThat(RawRows.query(dir, "select count(*) from event_receipts where provenance is not null"))
                .containsExactly("0");
    }
}
