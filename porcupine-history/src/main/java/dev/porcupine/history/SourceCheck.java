package dev.porcupine.history;

import dev.porcupine.history.HttpOutcome.Complete;
import dev.porcupine.schema.LedgerLineage;
import java.net.http.HttpRequest.BodyPublishers;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Asks, after an insert or a probe, whether the name still leads to the verified table, and whether that is still as it was verified. A
 * result counts only then: a table that was exchanged in between took the rows of, or answered for, somebody else, and a new policy may
 * have hidden rows.
 */
final class SourceCheck {

    private static final int RESPONSE_BYTES_MAX = 64 * 1024;

    private final ClickHouseHttp http;
    private final String question;
    private final OwnRemovals removals;

    SourceCheck(ClickHouseHttp http, ClickHouseTable table, @Nullable LedgerLineage ledger, OwnRemovals removals) {
        this.http = http;
        this.question = SourceStamp.sql(table, ledger) + "format RowBinary";
        this.removals = removals;
    }

    /** Why the name may lead to another table than the verified one, or null. */
    @Nullable String doubt(VerifiedSource source, Duration deadline) {
        HttpOutcome outcome = http.exchange(new ClickHouseRequest(
                ReadSettings.METADATA, BodyPublishers.ofString(question), deadline, RESPONSE_BYTES_MAX));
        try {
            if (outcome instanceof Complete complete
                    && RowBinary.rows(complete.body(), RowBinary::text).stream()
                            .map(line -> SourceStamp.of(line, removals))
                            .toList()
                            .equals(List.of(source.stamp()))) {
                return null;
            }
        } catch (RowBinary.IncompleteException e) {
            return "the question which table answered was itself answered in part";
        }
        return outcome instanceof Complete
                ? "the table is no longer the verified one with UUID " + source.tableUuid()
                        + ", or its definition, its row policies or its mutations have changed since, or another process has used it"
                : "which table answered can't be told: " + outcome;
    }
}
