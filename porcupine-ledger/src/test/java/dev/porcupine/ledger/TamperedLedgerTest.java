package dev.porcupine.ledger;

import static dev.porcupine.ledger.Samples.events;
import static dev.porcupine.ledger.Samples.queued;
import static org.assertj.core.api.Assertions.assertThat;

import dev.porcupine.schema.EventUuid;
import dev.porcupine.schema.ProjectId;
import dev.porcupine.schema.SourceIdentity;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.util.UUID;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What people can do to the file. */
class TamperedLedgerTest {

    private static final SourceIdentity OTHER = new SourceIdentity(new UUID(9, 9), "other");

    @TempDir
    private Path dir;

    /** P50: a copied file can't be rebound merely by editing its metadata. P12: eligible is provenance in the pinned source. */
    @Test
    void an_edited_pin_is_not_trusted_and_its_receipts_are_not_evicted() throws Exception {
        try (Ledger ledger = Ledger.open(finite(1_000), Samples.CLOCK, Samples.tuning(WriteSteps.NONE))) {
            ProjectId project = ledger.projects().create("shop").project().id();
            Samples.accept(ledger, events(project, 0, 100));
            ledger.queue().settle(queued(ledger), Samples.SOURCE);
        }
        try (Connection edit = DriverManager.getConnection("jdbc:sqlite:" + dir.resolve("ledger.db"));
                PreparedStatement update =
                        edit.prepareStatement("update source_pin set table_uuid = ?, fingerprint = 'other'")) {
            update.setBytes(1, EventUuid.of(OTHER.tableUuid()).toBytes());
            update.executeUpdate();
        }
        try (Ledger ledger = Ledger.open(finite(10), Samples.CLOCK, Samples.tuning(WriteSteps.NONE))) {
            int evicted = ledger.eviction().evict();

            assertThat(evicted)
                    .as(
                            "receipts proven by %s evicted under the pin %s",
                            Samples.SOURCE, ledger.pin().pinned())
                    .isZero();
        } catch (LedgerStartException refused) {
            assertThat(refused).hasMessageContaining("pin");
        }
    }

    /** A ledger that lost its content is not a first start: everything would be new again (P1, P3). */
    @Test
    void an_emptied_ledger_file_is_not_quietly_begun_anew() throws IOException {
        try (Ledger ledger = Samples.open(dir)) {
            ProjectId project = ledger.projects().create("shop").project().id();
            Samples.accept(ledger, events(project, 0, 3));
        }
        Files.write(dir.resolve("ledger.db"), new byte[0]);

        try (Ledger ledger = Samples.open(dir)) {
            assertThat(ledger.projects().list())
                    .as(
                            "an empty ledger was made over the lost one, complete = %s",
                            ledger.status().complete())
                    .isNotEmpty();
        } catch (LedgerStartException refused) {
            assertThat(refused).isNotNull();
        }
    }

    /** The rows of such a project stay; nobody can write to it or see it. */
    @Test
    void a_removal_that_was_ended_by_hand_leaves_the_project_fenced() throws Exception {
        CreatedProject created;
        try (Ledger ledger = Samples.open(dir)) {
            created = ledger.projects().create("shop");
            Samples.accept(ledger, events(created.project().id(), 0, 3));
            ledger.removals().begin(created.project().id());
        }
        try (Connection edit = DriverManager.getConnection("jdbc:sqlite:" + dir.resolve("ledger.db"));
                PreparedStatement update = edit.prepareStatement("update project_removals set stage = 'done'")) {
            update.executeUpdate();
        }
        try (Ledger ledger = Samples.open(dir)) {
            assertThat(ledger.removals().pending()).isEmpty();
            assertThat(ledger.projects().byToken(created.token().secret())).isEmpty();
            assertThat(Samples.accept(ledger, events(created.project().id(), 3, 4)))
                    .isInstanceOf(AcceptResult.Refused.class);
        }
    }

    private LedgerSettings finite(long limit) {
        return new LedgerSettings(dir, 1_000_000, 1L << 30, limit);
    }
}
