package dev.porcupine.app;

import dev.porcupine.history.Finding;
import dev.porcupine.history.SourceWatch;
import dev.porcupine.ledger.Ledger;
import dev.porcupine.ledger.LedgerStatus;
import dev.porcupine.reconcile.Convergence;
import java.util.List;
import java.util.UUID;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.actuate.endpoint.OperationResponseBody;
import org.springframework.boot.actuate.endpoint.annotation.Endpoint;
import org.springframework.boot.actuate.endpoint.annotation.ReadOperation;

/** {@code GET /actuator/porcupine}: the state that an operator asks for first. Reads memory only, so that it answers in any state. */
@Endpoint(id = "porcupine")
final class PorcupineEndpoint {

    private final Ledger ledger;
    private final SourceWatch source;
    private final Supplier<Convergence> convergence;

    PorcupineEndpoint(Ledger ledger, SourceWatch source, Supplier<Convergence> convergence) {
        this.ledger = ledger;
        this.source = source;
        this.convergence = convergence;
    }

    @ReadOperation
    Report report() {
        LedgerStatus status = ledger.status();
        SourceState state = SourceState.of(source.current());
        Convergence now = convergence.get();
        return new Report(
                AdmissionReport.of(ledger, source),
                new Receipts(
                        status.receipts(),
                        status.receiptLimit(),
                        status.unprovenReceipts(),
                        status.evictedReceipts(),
                        status.complete()),
                new Queue(
                        status.queueEvents(),
                        status.queueBytes(),
                        status.queueEventsMax(),
                        status.queueBytesMax(),
                        status.quarantined()),
                status.heads(),
                status.leases(),
                new Source(
                        source.kind(),
                        ledger.pin().pinned().isPresent(),
                        state.tableUuid(),
                        state.verified(),
                        state.findings(),
                        state.warnings()),
                now.word(),
                ConvergenceDetail.of(now));
    }

    /** An interface: fields are added, never renamed or removed. */
    record Report(
            AdmissionReport admission,
            Receipts receipts,
            Queue queue,
            long heads,
            long leases,
            Source source,
            String convergence,
            ConvergenceDetail convergenceDetail)
            implements OperationResponseBody {}

    record Receipts(long hot, long limit, long unproven, long evicted, boolean complete) {}

    record Queue(long events, long bytes, long maxEvents, long maxBytes, long quarantined) {}

    record Source(
            String kind,
            boolean pinned,
            @Nullable UUID tableUuid,
            boolean verified,
            List<Finding> findings,
            List<Finding> warnings) {}
}
