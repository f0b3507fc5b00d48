package dev.porcupine.ledger;

import dev.porcupine.schema.Ticker;
import java.time.Duration;

/**
 * What tests change and operators don't.
 *
 * @param boundedTablesBudget time for the start-up check of everything but receipts
 * @param ticker by which leases live and a retry of the quarantine ends
 * @param receiptsBudget time for the start-up check of the receipts
 */
record LedgerTuning(
        WriterLimits limits, WriteSteps steps, Duration boundedTablesBudget, Duration receiptsBudget, Ticker ticker) {

    static final LedgerTuning DEFAULT = new LedgerTuning(
            WriterLimits.DEFAULT, WriteSteps.NONE, Duration.ofSeconds(5), Duration.ofSeconds(3), Ticker.system());
}
