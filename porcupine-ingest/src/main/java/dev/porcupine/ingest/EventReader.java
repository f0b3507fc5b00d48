package dev.porcupine.ingest;

import dev.porcupine.schema.EventUuid;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Makes a draft of the fields of one event, or says why it can't be taken. */
final class EventReader {

    /** Clients time each other's page loads with it; PostHog has no use for it either. */
    private static final String PERFORMANCE_EVENT = "$performance_event";

    private static final String IDENTIFY = "$identify";

    /** A century: more is no clock that is off, and must not overflow. */
    private static final long OFFSET_MILLIS_MAX = 100L * 366 * 24 * 3600 * 1000;

    private final byte[] text;
    private final boolean engage;
    private RejectReason reason = RejectReason.NOT_AN_OBJECT;

    /** @param engage whether an event without a name sets a person's properties, as on Mixpanel's path */
    EventReader(byte[] text, boolean engage) {
        this.text = text;
        this.engage = engage;
    }

    /** Why the last draft is null. */
    RejectReason reason() {
        return reason;
    }

    boolean isFiltered(EventDraft draft) {
        return draft.name().equals(PERFORMANCE_EVENT);
    }

    /** Null when the event can't be taken: see {@link #reason}. */
    @Nullable EventDraft draft(EventFields fields) {
        if (fields.repeated()) {
            return reject(RejectReason.FIELD_REPEATED);
        }
        String name = name(fields);
        if (name == null) {
            return null;
        }
        String distinctId = DistinctId.of(text, fields);
        if (distinctId.isEmpty()) {
            return reject(RejectReason.DISTINCT_ID_MISSING);
        }
        EventUuid uuid = null;
        if (fields.hasValue(EventFields.UUID)) {
            if (!fields.is(EventFields.UUID, JsonScanner.STRING)) {
                return reject(RejectReason.UUID_INVALID);
            }
            String spelling = fields.string(text, EventFields.UUID);
            if (!spelling.isEmpty()) {
                Optional<EventUuid> parsed = EventUuid.parse(spelling);
                if (parsed.isEmpty()) {
                    return reject(RejectReason.UUID_INVALID);
                }
                uuid = parsed.get();
            }
        }
        ClientTime time = time(fields);
        if (time == null) {
            return null;
        }
        PropertiesDraft properties = properties(fields);
        return properties == null ? null : new EventDraft(name, distinctId, uuid, time, properties);
    }

    private @Nullable String name(EventFields fields) {
        if (!fields.hasValue(EventFields.EVENT)) {
            if (engage) {
                return IDENTIFY;
            }
            reject(RejectReason.NAME_MISSING);
            return null;
        }
        if (!fields.is(EventFields.EVENT, JsonScanner.STRING)) {
            reject(RejectReason.NAME_INVALID);
            return null;
        }
        String name = fields.string(text, EventFields.EVENT);
        if (name.isEmpty()) {
            reject(RejectReason.NAME_MISSING);
            return null;
        }
        return name;
    }

    private @Nullable ClientTime time(EventFields fields) {
        long offset = 0;
        boolean hasOffset = fields.hasValue(EventFields.OFFSET);
        if (hasOffset) {
            offset = offsetMillis(fields);
            if (offset == Long.MIN_VALUE) {
                reject(RejectReason.OFFSET_INVALID);
                return null;
            }
        }
        long written = TimestampText.UNREADABLE;
        int from = 0;
        int to = 0;
        boolean numeric = fields.is(EventFields.TIMESTAMP, JsonScanner.NUMBER);
        if (fields.hasValue(EventFields.TIMESTAMP)) {
            from = fields.from(EventFields.TIMESTAMP);
            to = fields.to(EventFields.TIMESTAMP);
            if (numeric) {
                written = TimestampText.parseNumber(text, from, to);
            } else if (fields.is(EventFields.TIMESTAMP, JsonScanner.STRING)) {
                written = timestamp(fields, EventFields.TIMESTAMP);
            } else {
                reject(RejectReason.TIMESTAMP_INVALID);
                return null;
            }
        }
        boolean corrects = !fields.is(EventFields.PROPERTY_IGNORE_SENT_AT, JsonScanner.TRUE);
        return new ClientTime(written, from, to, numeric, hasOffset, offset, corrects);
    }

    /** Reads a time written as a string, {@link TimestampText#UNREADABLE} when it is none. */
    long timestamp(EventFields fields, int field) {
        if (!fields.is(field, JsonScanner.STRING)) {
            return TimestampText.UNREADABLE;
        }
        if (fields.escaped(field)) {
            byte[] plain = JsonText.unescape(text, fields.from(field), fields.to(field));
            return TimestampText.parse(plain, 0, plain.length);
        }
        return TimestampText.parse(text, fields.from(field) + 1, fields.to(field) - 1);
    }

    /** Long.MIN_VALUE for anything but a whole number of a size that a clock can be off by. */
    private long offsetMillis(EventFields fields) {
        if (!fields.is(EventFields.OFFSET, JsonScanner.NUMBER)) {
            return Long.MIN_VALUE;
        }
        int at = fields.from(EventFields.OFFSET);
        boolean negative = text[at] == '-';
        if (negative) {
            at++;
        }
        long millis = 0;
        for (; at < fields.to(EventFields.OFFSET); at++) {
            int digit = text[at] - '0';
            if (digit < 0 || digit > 9 || millis > OFFSET_MILLIS_MAX) {
                return Long.MIN_VALUE;
            }
            millis = millis * 10 + digit;
        }
        if (millis > OFFSET_MILLIS_MAX) {
            return Long.MIN_VALUE;
        }
        return negative ? -millis : millis;
    }

    private @Nullable PropertiesDraft properties(EventFields fields) {
        boolean object = fields.is(EventFields.PROPERTIES, JsonScanner.OBJECT);
        if (fields.hasValue(EventFields.PROPERTIES) && !object) {
            reject(RejectReason.PROPERTIES_INVALID);
            return null;
        }
        if (isWrongSet(fields, EventFields.SET) || isWrongSet(fields, EventFields.SET_ONCE)) {
            reject(RejectReason.SET_INVALID);
            return null;
        }
        boolean set = fields.hasValue(EventFields.SET) && !fields.has(EventFields.PROPERTY_SET);
        boolean setOnce = fields.hasValue(EventFields.SET_ONCE) && !fields.has(EventFields.PROPERTY_SET_ONCE);
        return new PropertiesDraft(
                object ? fields.from(EventFields.PROPERTIES) : 0,
                object ? fields.to(EventFields.PROPERTIES) : 0,
                fields.propertiesEmpty(),
                set ? fields.from(EventFields.SET) : 0,
                set ? fields.to(EventFields.SET) : 0,
                setOnce ? fields.from(EventFields.SET_ONCE) : 0,
                setOnce ? fields.to(EventFields.SET_ONCE) : 0,
                !fields.has(EventFields.PROPERTY_RAW_TIMESTAMP));
    }

    private static boolean isWrongSet(EventFields fields, int field) {
        return fields.hasValue(field) && !fields.is(field, JsonScanner.OBJECT);
    }

    private @Nullable EventDraft reject(RejectReason why) {
        reason = why;
        return null;
    }
}
