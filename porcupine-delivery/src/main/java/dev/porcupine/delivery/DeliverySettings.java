package dev.porcupine.delivery;

import java.time.Duration;

/**
 * The bounds of delivery.
 *
 * @param rowsMax events in one insert: few large inserts keep ClickHouse's parts few
 * @param bytesMax payload bytes in one insert; what one pass holds in memory
 * @param linger pause after a pass that left less than a full batch, so that the next batch can fill
 * @param backoffFirst pause after the first failed pass
 * @param backoffMax the longest pause
 * @param drainMax how long a stopping process goes on delivering; less than Spring's timeout per shutdown phase (30 s)
 */
public record DeliverySettings(
        int rowsMax, long bytesMax, Duration linger, Duration backoffFirst, Duration backoffMax, Duration drainMax) {

    public DeliverySettings {
        if (rowsMax < 1 || bytesMax < 1) {
            throw new IllegalArgumentException(
                    "a batch holds at least one row and one byte, got " + rowsMax + " rows and " + bytesMax + " bytes");
        }
        if (!backoffFirst.isPositive() || backoffMax.compareTo(backoffFirst) < 0) {
            throw new IllegalArgumentException("backoff goes from a positive duration up to a longer one, got "
                    + backoffFirst + " to " + backoffMax);
        }
    }

    public static DeliverySettings defaults() {
        return new DeliverySettings(
                10_000,
                16L << 20,
                Duration.ofMillis(400),
                Duration.ofMillis(200),
                Duration.ofSeconds(30),
                Duration.ofSeconds(20));
    }

    DeliverySettings withRowsMax(int rows) {
        return new DeliverySettings(rows, bytesMax, linger, backoffFirst, backoffMax, drainMax);
    }

    DeliverySettings withDrainMax(Duration drain) {
        return new DeliverySettings(rowsMax, bytesMax, linger, backoffFirst, backoffMax, drain);
    }
}
