package dev.porcupine.history;

import java.util.Locale;

/**
 * Every reason not to trust the source, once. The codes are an interface: alerts and {@code docs/reference/findings.md} name them, and a
 * test holds that page equal to this list.
 */
public enum FindingCode {
    NOT_VERIFIED_YET(Weight.REFUSES),
    HISTORY_CLOSED(Weight.REFUSES),
    CLICKHOUSE_UNREACHABLE(Weight.REFUSES),
    CLICKHOUSE_LOGIN_REFUSED(Weight.REFUSES),
    CLICKHOUSE_ACCESS_DENIED(Weight.REFUSES),
    CLICKHOUSE_REFUSED(Weight.REFUSES),
    CLICKHOUSE_TOO_OLD(Weight.REFUSES),
    SOURCE_UNAUTHORISED(Weight.REFUSES),
    LEDGER_STALE(Weight.CLOSES),
    HISTORY_SHARED(Weight.CLOSES),
    LEDGER_UNREADABLE(Weight.REFUSES),
    SOURCE_TABLE_MISSING(Weight.REFUSES),
    SOURCE_CHANGED(Weight.REFUSES),
    SOURCE_TABLE_REPLACED(Weight.REFUSES),
    SOURCE_WITHOUT_UUID(Weight.REFUSES),
    SOURCE_WRONG_DATABASE_ENGINE(Weight.REFUSES),
    SOURCE_WRONG_ENGINE(Weight.REFUSES),
    SOURCE_WRONG_SORTING_KEY(Weight.REFUSES),
    SOURCE_WRONG_PARTITION_KEY(Weight.REFUSES),
    SOURCE_WRONG_CLAUSE(Weight.REFUSES),
    SOURCE_WRONG_COLUMN(Weight.REFUSES),
    SOURCE_WRONG_MARKS(Weight.REFUSES),
    SOURCE_CLEANUP_ENABLED(Weight.REFUSES),
    SOURCE_UNRECOGNISED_TTL(Weight.REFUSES),
    SOURCE_COLUMN_TTL(Weight.REFUSES),
    SOURCE_INDEX_MISSING(Weight.REFUSES),
    SOURCE_HAS_PROJECTION(Weight.REFUSES),
    SOURCE_ROWS_REMOVED(Weight.REFUSES),
    SOURCE_RESTRICTIVE_POLICY(Weight.REFUSES),
    SOURCE_POLICY_WITHOUT_EXEMPTION(Weight.REFUSES),
    SOURCE_METADATA_FILTERED(Weight.REFUSES),
    SOURCE_FOREIGN_FILE(Weight.REFUSES),
    SOURCE_NEWER_FILE(Weight.REFUSES),
    SOURCE_UNREADABLE(Weight.REFUSES),
    SOURCE_NOT_DURABLE(Weight.WARNS),
    SOURCE_RANGE_INDEX_MISSING(Weight.WARNS),
    SOURCE_COLD_STORAGE_DIFFERS(Weight.WARNS);

    private final Weight weight;

    FindingCode(Weight weight) {
        this.weight = weight;
    }

    /** As it appears in answers, logs and documents. */
    public String code() {
        return name().toLowerCase(Locale.ROOT);
    }

    /** Whether the source is only worth a warning, not a closed door. */
    public boolean warns() {
        return weight == Weight.WARNS;
    }

    /** Whether it proves that this ledger must accept nothing, also where its own record is complete. */
    static boolean closes(Finding finding) {
        for (FindingCode code : values()) {
            if (code.code().equals(finding.code())) {
                return code.weight == Weight.CLOSES;
            }
        }
        return false;
    }

    /**
     * @param detail what was wanted, what was found, what to do; no password
     */
    public Finding finding(String detail) {
        return new Finding(code(), detail);
    }

    private enum Weight {
        CLOSES,
        REFUSES,
        WARNS
    }
}
