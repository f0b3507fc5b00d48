package dev.porcupine.ingest;

import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** What the client says it did to a body. A hint: PostHog's own clients often say nothing, or the wrong thing. */
enum Compression {
    NONE,
    GZIP,
    LZ_STRING,
    BASE64;

    static Compression ofName(@Nullable String name) {
        return switch (name == null ? "" : name.strip().toLowerCase(Locale.ROOT)) {
            case "gzip", "gzip-js", "x-gzip" -> GZIP;
            case "lz64", "lz-string" -> LZ_STRING;
            case "base64", "b64" -> BASE64;
            default -> NONE;
        };
    }

    /** Content codings that can be read; the others (br, deflate, zstd) need an answer of their own. */
    static boolean isReadable(@Nullable String contentEncoding) {
        return switch (contentEncoding == null ? "" : contentEncoding.strip().toLowerCase(Locale.ROOT)) {
            case "", "identity", "gzip", "x-gzip" -> true;
            default -> false;
        };
    }
}
