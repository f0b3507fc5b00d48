package dev.porcupine.query;

import java.time.Duration;

/**
 * The bounds of interactive reads.
 *
 * @param slots reads at once; each may hold a page of {@code pageBytesMax} until its client has taken it
 * @param slotWaitMax how long a read waits for a slot before it is refused
 * @param pageBytesMax payload bytes after which a page ends early and hands out a cursor
 */
public record QuerySettings(int slots, Duration slotWaitMax, long pageBytesMax) {

    public QuerySettings {
        if (slots < 1 || slotWaitMax.isNegative() || pageBytesMax < 1) {
            throw new IllegalArgumentException("reads need at least one slot, a wait of 0 or more and one byte, got "
                    + slots + " slots, " + slotWaitMax + " and " + pageBytesMax + " bytes");
        }
    }

    public static QuerySettings defaults() {
        return new QuerySettings(4, Duration.ofSeconds(1), 16L << 20);
    }
}
