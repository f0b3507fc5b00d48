package dev.porcupine.app;

import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;

/**
 * Sends batches as a good SDK does: it repeats a batch until it is answered with 200, whatever happened to the tries before, now and
 * then in other pieces, and sends some once more although they were acknowledged.
 */
final class ResendingClient implements Runnable {

    private static final long PAUSE_NANOS = 20_000_000;
    private static final int BATCH_MAX = 60;

    private final ServiceClient service;
    private final String token;
    private final Random random;
    private final Set<UUID> acknowledged = ConcurrentHashMap.newKeySet();
    private volatile boolean enough;
    private final AtomicLong accepted = new AtomicLong();

    ResendingClient(ServiceClient service, String token, long seed) {
        this.service = service;
        this.token = token;
        this.random = new Random(seed);
    }

    @Override
    public void run() {
        List<UUID> before = List.of();
        while (!enough) {
            List<UUID> batch = new ArrayList<>();
            int size = 1 + random.nextInt(BATCH_MAX);
            for (int i = 0; i < size; i++) {
                batch.add(new UUID(random.nextLong(), random.nextLong()));
            }
            if (random.nextInt(4) == 0) {
                batch.addAll(before);
            }
            sendUntilAcknowledged(batch);
            before = batch;
        }
    }

    void stop() {
        enough = true;
    }

    Set<UUID> acknowledged() {
        return acknowledged;
    }

    /** Events that the answers called accepted; fewer than acknowledged where an answer was lost. */
    long accepted() {
        return accepted.get();
    }

    private void sendUntilAcknowledged(List<UUID> batch) {
        while (!sendOnce(batch)) {
            LockSupport.parkNanos(PAUSE_NANOS);
            if (batch.size() > 1 && random.nextInt(3) == 0) {
                int cut = 1 + random.nextInt(batch.size() - 1);
                sendUntilAcknowledged(batch.subList(0, cut));
                sendUntilAcknowledged(batch.subList(cut, batch.size()));
                return;
            }
        }
    }

    private boolean sendOnce(List<UUID> batch) {
        ServiceClient.Answer answer;
        try {
            answer = service.capture(token, batch);
        } catch (UncheckedIOException unanswered) {
            return false;
        }
        if (answer.status() == 503) {
            return false;
        }
        if (answer.status() != 200) {
            throw new AssertionError("a good batch was answered with " + answer);
        }
        long distinct = new HashSet<>(batch).size();
        long newOnes = answer.json().get("accepted").asLong();
        if (newOnes > distinct) {
            throw new AssertionError(newOnes + " accepted of " + distinct + " distinct events: " + answer);
        }
        accepted.addAndGet(newOnes);
        acknowledged.addAll(batch);
        return true;
    }
}
