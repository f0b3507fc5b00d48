package dev.porcupine.app;

import dev.porcupine.history.Finding;
import dev.porcupine.history.FindingCode;
import dev.porcupine.history.SourceTrust;
import dev.porcupine.ledger.SourcePin;
import dev.porcupine.schema.SourceIdentity;
import java.util.Optional;

/** Says which sound source is nevertheless the wrong one: another than the ledger's pin names (P39). */
final class PinRule implements SourceTrust {

    private final SourcePin pin;

    PinRule(SourcePin pin) {
        this.pin = pin;
    }

    @Override
    public Optional<Finding> objection(SourceIdentity source) {
        return pin.pinned().filter(pinned -> !pinned.equals(source)).map(pinned -> objection(pinned, source));
    }

    private static Finding objection(SourceIdentity pinned, SourceIdentity source) {
        if (!pinned.fingerprint().equals(source.fingerprint())) {
            return FindingCode.SOURCE_CHANGED.finding(
                    "wanted the history to which this ledger is pinned, found another address, database or user"
                            + " configured (the password may differ). Configure what was configured before");
        }
        return FindingCode.SOURCE_TABLE_REPLACED.finding("wanted the table with UUID " + pinned.tableUuid()
                + ", found one with " + source.tableUuid()
                + " under its name. Was it made anew, exchanged or restored? Put the first one back");
    }
}
