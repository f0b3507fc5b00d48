package dev.porcupine.ingest;

import java.util.Locale;

/** Why one event was not taken while its siblings were. The codes are an interface: operators read them. */
enum RejectReason {
    NOT_AN_OBJECT,
    TOO_LARGE,
    TOO_DEEP,
    FIELD_REPEATED,
    NAME_MISSING,
    NAME_INVALID,
    DISTINCT_ID_MISSING,
    UUID_INVALID,
    TIMESTAMP_INVALID,
    OFFSET_INVALID,
    PROPERTIES_INVALID,
    SET_INVALID;

    String code() {
        return name().toLowerCase(Locale.ROOT);
    }
}
