package dev.porcupine.ingest;

import dev.porcupine.schema.Problem;

/** What a capture request is told. */
sealed interface CaptureAnswer {

    /**
     * Every valid event is on disk, now or since before.
     *
     * @param accepted stored by this request
     * @param duplicates known already, or twice in this request
     * @param rejected invalid, and not stored
     */
    record Stored(int accepted, int duplicates, int rejected) implements CaptureAnswer {

        String json() {
            return "{\"status\":\"Ok\",\"accepted\":" + accepted + ",\"duplicates\":" + duplicates + ",\"rejected\":"
                    + rejected + "}";
        }
    }

    /**
     * @param detail for the client, without payload
     */
    record Refused(Problem problem, String detail) implements CaptureAnswer {}
}
