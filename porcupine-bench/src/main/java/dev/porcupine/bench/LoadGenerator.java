package dev.porcupine.bench;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.locks.LockSupport;

/**
 * Sends events of new UUIDs for a while and says what came of it.
 *
 * <p>At a given rate a request's latency counts from the moment when it was due, not from when its connection got round to it: a
 * service that stalls must not look fast because the generator stalled with it.
 */
public final class LoadGenerator {

    private static final long RECONNECT_NANOS = 100_000_000;

    private final LoadPlan plan;
    private final LoadReport report = new LoadReport();

    private LoadGenerator(LoadPlan plan) {
        this.plan = plan;
    }

    public static void main(String[] arguments) throws InterruptedException {
        LoadPlan plan;
        try {
            plan = LoadPlan.parse(arguments);
        } catch (IllegalArgumentException e) {
            System.err.println(e.getMessage());
            System.exit(2);
            return;
        }
        System.out.println(new LoadGenerator(plan).run());
    }

    private String run() throws InterruptedException {
        long start = System.nanoTime();
        long end = start + plan.duration().toNanos();
        List<Thread> threads = new ArrayList<>();
        for (int i = 0; i < plan.connections(); i++) {
            int index = i;
            long firstDue = start + plan.intervalNanos() * index / plan.connections();
            threads.add(Thread.ofPlatform().name("load-" + index).start(() -> send(start + index, firstDue, end)));
        }
        for (Thread thread : threads) {
            thread.join();
        }
        return report.text((System.nanoTime() - start) / 1e9);
    }

    private void send(long seed, long firstDue, long end) {
        RequestTemplate template = new RequestTemplate(plan, seed);
        long due = firstDue;
        while (System.nanoTime() < end) {
            try (LoadConnection connection = connect()) {
                while (!connection.closing() && System.nanoTime() < end) {
                    due = plan.intervalNanos() == 0 ? System.nanoTime() : waitUntil(due);
                    byte[] request = template.next(System.currentTimeMillis());
                    int status = connection.exchange(request).status();
                    report.answered(status, plan.batchSize(), (System.nanoTime() - due) / 1000);
                    due += plan.intervalNanos();
                }
            } catch (IOException e) {
                report.failed(e.getClass().getSimpleName());
                LockSupport.parkNanos(RECONNECT_NANOS);
            }
        }
    }

    private LoadConnection connect() throws IOException {
        int port = plan.url().getPort() > 0 ? plan.url().getPort() : 80;
        return new LoadConnection(plan.url().getHost(), port);
    }

    private static long waitUntil(long due) {
        for (long left = due - System.nanoTime(); left > 0; left = due - System.nanoTime()) {
            LockSupport.parkNanos(left);
        }
        return due;
    }
}
