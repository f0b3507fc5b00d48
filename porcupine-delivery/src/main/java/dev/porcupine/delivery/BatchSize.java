package dev.porcupine.delivery;

/**
 * How much one insert takes. Halves with each insert that got no clear answer, doubles with each pass that went well: a batch that
 * is too large for a proxy's body limit, the server's memory or the deadline would otherwise be retried for ever, and a store that
 * has just come back is not met with the largest batch first.
 */
final class BatchSize {

    /** 1/256 of the full size: 39 rows and 64 KiB by default, small enough for any sane limit. */
    private static final int HALVINGS_MAX = 8;

    private final int rowsMax;
    private final long bytesMax;
    private int halvings;

    BatchSize(int rowsMax, long bytesMax) {
        this.rowsMax = rowsMax;
        this.bytesMax = bytesMax;
    }

    int rows() {
        return Math.max(1, rowsMax >> halvings);
    }

    long bytes() {
        return Math.max(1, bytesMax >> halvings);
    }

    void shrink() {
        halvings = Math.min(HALVINGS_MAX, halvings + 1);
    }

    void grow() {
        halvings = Math.max(0, halvings - 1);
    }
}
