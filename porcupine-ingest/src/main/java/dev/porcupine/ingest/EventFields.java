package dev.porcupine.ingest;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/**
 * Where the fields that Porcupine acts on stand in one event. Reused from event to event, so that reading one makes no garbage.
 */
final class EventFields {

    static final int EVENT = 0;
    static final int UUID = 1;
    static final int DISTINCT_ID = 2;
    static final int DOLLAR_DISTINCT_ID = 3;
    static final int TOKEN = 4;
    static final int DOLLAR_TOKEN = 5;
    static final int API_KEY = 6;
    static final int PROPERTIES = 7;
    static final int TIMESTAMP = 8;
    static final int OFFSET = 9;
    static final int SET = 10;
    static final int SET_ONCE = 11;
    static final int SENT_AT = 12;
    static final int BATCH = 13;

    /** From here on fields of the properties. */
    static final int IN_PROPERTIES = 14;

    static final int PROPERTY_TOKEN = 14;
    static final int PROPERTY_DISTINCT_ID = 15;
    static final int PROPERTY_IGNORE_SENT_AT = 16;
    static final int PROPERTY_SET = 17;
    static final int PROPERTY_SET_ONCE = 18;
    static final int PROPERTY_RAW_TIMESTAMP = 19;

    private static final int FIELDS = 20;
    private static final int NONE = -1;
    private static final byte[][] NAMES = {
        ascii("event"),
        ascii("uuid"),
        ascii("distinct_id"),
        ascii("$distinct_id"),
        ascii("token"),
        ascii("$token"),
        ascii("api_key"),
        ascii("properties"),
        ascii("timestamp"),
        ascii("offset"),
        ascii("$set"),
        ascii("$set_once"),
        ascii("sent_at"),
        ascii("batch"),
        ascii("token"),
        ascii("distinct_id"),
        ascii("$ignore_sent_at"),
        ascii("$set"),
        ascii("$set_once"),
        ascii("$raw_timestamp"),
    };

    private final int[] from = new int[FIELDS];
    private final int[] to = new int[FIELDS];
    private final byte[] kind = new byte[FIELDS];
    private final boolean[] escaped = new boolean[FIELDS];
    private int seen;
    private boolean repeated;
    private boolean propertiesEmpty;

    void clear() {
        seen = 0;
        repeated = false;
        propertiesEmpty = true;
    }

    /** Reads the object that begins here, and its properties. */
    void read(JsonScanner json) {
        clear();
        json.peek();
        json.enter();
        boolean first = true;
        while (json.nextName(first)) {
            member(json, fieldNamed(json, 0, IN_PROPERTIES));
            first = false;
        }
    }

    /** Which field the name read last is; NONE for one that means nothing here. */
    static int fieldNamed(JsonScanner json, int firstField, int endField) {
        byte[] text = json.text();
        int from = json.from() + 1;
        int to = json.to() - 1;
        if (json.escaped()) {
            text = JsonText.unescape(text, json.from(), json.to());
            from = 0;
            to = text.length;
        }
        for (int field = firstField; field < endField; field++) {
            byte[] name = NAMES[field];
            if (name.length == to - from
                    && name[0] == text[from]
                    && Arrays.equals(text, from, to, name, 0, name.length)) {
                return field;
            }
        }
        return NONE;
    }

    /** Reads the value of a member of the event itself. */
    void member(JsonScanner json, int field) {
        if (field == NONE) {
            json.value(1);
            return;
        }
        repeated |= has(field);
        if (field == PROPERTIES && json.peek() == JsonScanner.OBJECT) {
            properties(json);
        } else {
            put(field, json, json.value(1));
        }
    }

    private void properties(JsonScanner json) {
        int start = json.position();
        json.enter();
        propertiesEmpty = true;
        while (json.nextName(propertiesEmpty)) {
            propertiesEmpty = false;
            int field = fieldNamed(json, IN_PROPERTIES, FIELDS);
            byte valueKind = json.value(2);
            if (field != NONE) {
                put(field, json, valueKind); // of equal names in the properties the last counts, as at PostHog
            }
        }
        seen |= 1 << PROPERTIES;
        from[PROPERTIES] = start;
        to[PROPERTIES] = json.position();
        kind[PROPERTIES] = JsonScanner.OBJECT;
    }

    private void put(int field, JsonScanner json, byte valueKind) {
        seen |= 1 << field;
        from[field] = json.from();
        to[field] = json.to();
        kind[field] = valueKind;
        escaped[field] = valueKind == JsonScanner.STRING && json.escaped();
    }

    boolean has(int field) {
        return (seen & 1 << field) != 0;
    }

    /** Whether the event has any field that means something. */
    boolean hasAny() {
        return seen != 0;
    }

    /** Whether the field is there and not null. */
    boolean hasValue(int field) {
        return has(field) && kind[field] != JsonScanner.NULL;
    }

    boolean is(int field, byte wanted) {
        return has(field) && kind[field] == wanted;
    }

    /** Whether a field of the event itself appears twice: which one is meant? */
    boolean repeated() {
        return repeated;
    }

    boolean propertiesEmpty() {
        return propertiesEmpty;
    }

    int from(int field) {
        return from[field];
    }

    int to(int field) {
        return to[field];
    }

    boolean escaped(int field) {
        return escaped[field];
    }

    /** What a string field says. */
    String string(byte[] text, int field) {
        return JsonText.decode(text, from[field], to[field], escaped[field]);
    }

    private static byte[] ascii(String name) {
        return name.getBytes(StandardCharsets.US_ASCII);
    }
}
