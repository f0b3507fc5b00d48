package dev.porcupine.ledger;

import java.time.Duration;

/**
 * Bounds of the writer.
 *
 * @param waitingTasksMax tasks that may wait in one lane; more are refused as overload
 * @param waitingBytesMax payload bytes that may wait in one lane, so that a burst of large batches can't fill the heap; one task
 *     always may
 * @param groupTasksMax capture batches in one transaction
 * @param groupRowsMax events in one transaction, which bounds how long the others wait; one batch always may
 * @param captureWait how long a capture waits for its answer; below the seven seconds in which a client must get one
 * @param soloWait how long settlement and administration wait
 * @param walBytesMax size of the write-ahead log at which the writer truncates it
 * @param checkpointWait how long a truncation waits for readers
 * @param reconnectPause least time between two attempts to open a lost connection
 */
record WriterLimits(
        int waitingTasksMax,
        long waitingBytesMax,
        int groupTasksMax,
        int groupRowsMax,
        Duration captureWait,
        Duration soloWait,
        long walBytesMax,
        Duration checkpointWait,
        Duration reconnectPause) {

    static final WriterLimits DEFAULT = new WriterLimits(
            2_048,
            64L << 20,
            256,
            1_000,
            Duration.ofSeconds(5),
            Duration.ofSeconds(30),
            64L << 20,
            Duration.ofMillis(100),
            Duration.ofMillis(200));
}
