package dev.porcupine.ledger;

import static org.assertj.core.api.Assertions.assertThat;

import dev.porcupine.schema.LedgerLineage;
import dev.porcupine.schema.ProjectId;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Who a ledger says that it is, and how far each of its processes can have come. */
class EpochsTest {

    @TempDir
    private Path dir;

    @Test
    void ledger_keeps_its_name_and_each_process_has_its_own() {
        UUID name;
        UUID first;
        try (Ledger ledger = Samples.open(dir)) {
            name = ledger.lineage().ledger();
            first = ledger.lineage().epoch();
        }
        try (Ledger ledger = Samples.open(dir)) {
            assertThat(ledger.lineage().ledger()).isEqualTo(name);
            assertThat(ledger.lineage().epoch()).isNotEqualTo(first);
            assertThat(ledger.lineage().acceptedByEpoch())
                    .containsOnlyKeys(first, ledger.lineage().epoch());
        }
        try (Ledger other = Samples.open(dir.resolve("other"))) {
            assertThat(other.lineage().ledger()).isNotEqualTo(name);
        }
    }

    @Test
    void process_ends_where_the_next_one_begins() {
        UUID first;
        UUID second;
        try (Ledger ledger = Samples.open(dir)) {
            first = ledger.lineage().epoch();
            accept(ledger, 5);
        }
        try (Ledger ledger = Samples.open(dir)) {
            second = ledger.lineage().epoch();
            assertThat(ledger.lineage().acceptedByEpoch()).isEqualTo(Map.of(first, 5L, second, 5L));
            accept(ledger, 3);
            assertThat(ledger.lineage().acceptedByEpoch()).isEqualTo(Map.of(first, 5L, second, 8L));
        }
        try (Ledger ledger = Samples.open(dir)) {
            assertThat(ledger.lineage().acceptedByEpoch())
                    .isEqualTo(Map.of(first, 5L, second, 8L, ledger.lineage().epoch(), 8L));
        }
    }

    @Test
    void empty_queue_says_how_far_it_once_came() {
        try (Ledger ledger = Samples.open(dir)) {
            assertThat(ledger.mark().acceptedSeq()).isZero();
            accept(ledger, 4);
            ledger.queue().settle(ledger.queue().oldest(10, Long.MAX_VALUE), Samples.SOURCE);
            assertThat(ledger.status().queueEvents()).isZero();
            assertThat(ledger.mark().acceptedSeq()).isEqualTo(4);
        }
        try (Ledger ledger = Samples.open(dir)) {
            assertThat(ledger.mark().acceptedSeq()).isEqualTo(4);
        }
    }

    @Test
    void event_retried_from_quarantine_counts_anew() {
        try (Ledger ledger = Samples.open(dir)) {
            ProjectId project = accept(ledger, 2);
            ledger.queue().quarantine(ledger.queue().oldest(1, Long.MAX_VALUE), "refused");
            long entry = ledger.quarantine().list(project, 0, 10).getFirst().seq();
            assertThat(ledger.quarantine().retry(project, entry)).isTrue();
            assertThat(ledger.mark().acceptedSeq()).isEqualTo(3);
            assertThat(ledger.queue().oldest(10, Long.MAX_VALUE).getLast().seq())
                    .isEqualTo(3);
        }
    }

    @Test
    void mark_covers_whatever_was_read_from_the_queue_before_it() {
        try (Ledger ledger = Samples.open(dir)) {
            accept(ledger, 3);
            List<QueuedEvent> batch = ledger.queue().oldest(2, Long.MAX_VALUE);
            assertThat(ledger.mark().acceptedSeq())
                    .isGreaterThan(batch.getLast().seq());
        }
    }

    /** What makes the name of a copy worth anything: the copy says the same and has not heard of what came later. */
    @Test
    void copy_knows_nothing_of_later_processes() throws Exception {
        Path copy = dir.resolve("copy");
        UUID name;
        try (Ledger ledger = Samples.open(dir)) {
            name = ledger.lineage().ledger();
            accept(ledger, 5);
        }
        Files.createDirectories(copy);
        Files.copy(dir.resolve(LedgerFile.FILE_NAME), copy.resolve(LedgerFile.FILE_NAME));
        UUID later;
        try (Ledger ledger = Samples.open(dir)) {
            later = ledger.lineage().epoch();
        }
        try (Ledger ledger = Samples.open(copy)) {
            LedgerLineage lineage = ledger.lineage();
            assertThat(lineage.ledger()).isEqualTo(name);
            assertThat(lineage.acceptedByEpoch()).doesNotContainKey(later);
        }
    }

    private static ProjectId accept(Ledger ledger, int count) {
        ProjectId project = ledger.projects().create("p").project().id();
        Samples.accept(ledger, Samples.events(project, 0, count));
        return project;
    }
}
