package dev.porcupine.ingest;

import java.nio.charset.StandardCharsets;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;

/**
 * The query parameters of a capture request that mean something. Unknown ones, and ones that can't be read, are ignored.
 *
 * @param data a payload in place of a body, still percent-encoded
 * @param sentAtMicros when the client says it sent the request
 * @param beacon old browsers' beacon, answered without a body
 */
record CaptureQuery(@Nullable Slice data, Compression compression, OptionalLong sentAtMicros, boolean beacon) {

    /** A client that sends seconds gets no skew correction, as at PostHog: read as milliseconds they are long ago. */
    private static final long SENT_AT_MILLIS_MIN = 1_609_459_200_000L; // 2021-01-01

    private static final long SENT_AT_MILLIS_MAX = 253_402_300_799_000L; // 9999-12-31

    static CaptureQuery parse(@Nullable String query) {
        if (query == null || query.isEmpty()) {
            return new CaptureQuery(null, Compression.NONE, OptionalLong.empty(), false);
        }
        Slice text = Slice.of(query.getBytes(StandardCharsets.ISO_8859_1));
        Slice data = FormFields.find(text, "data");
        String sentAt = FormFields.text(text, "_");
        return new CaptureQuery(
                data == null || data.isEmpty() ? null : data,
                Compression.ofName(FormFields.text(text, "compression")),
                sentAtMicros(sentAt != null ? sentAt : FormFields.text(text, "sent_at")),
                "1".equals(FormFields.text(text, "beacon")));
    }

    private static OptionalLong sentAtMicros(@Nullable String text) {
        if (text == null || text.isEmpty() || text.length() > 15) {
            return OptionalLong.empty();
        }
        long millis = 0;
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            if (c < '0' || c > '9') {
                return OptionalLong.empty();
            }
            millis = millis * 10 + (c - '0');
        }
        return millis < SENT_AT_MILLIS_MIN || millis > SENT_AT_MILLIS_MAX
                ? OptionalLong.empty()
                : OptionalLong.of(millis * 1000);
    }
}
