package dev.porcupine.ledger;

import dev.porcupine.schema.Event;
import dev.porcupine.schema.ProjectId;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.TreeSet;

/**
 * A process under load, to be killed: clients that send overlapping batches, a delivery that settles and quarantines, an operator who
 * retries. It prints what each client was told, and only after it was told. Arguments: data directory, seed, first event number.
 */
final class LoadedChild {

    private static final int CLIENTS = 6;
    private static final int WINDOW = 400;

    private LoadedChild() {}

    public static void main(String[] args) {
        Ledger ledger = Samples.open(Path.of(args[0]));
        long seed = Long.parseLong(args[1]);
        long first = Long.parseLong(args[2]);
        ProjectId project = ledger.projects().list().getFirst().id();
        for (int client = 0; client < CLIENTS; client++) {
            Random random = new Random(seed + client);
            Thread.ofPlatform().start(() -> send(ledger, project, random, first));
        }
        Random random = new Random(seed - 1);
        Thread.ofPlatform().start(() -> deliver(ledger, project, random));
    }

    private static void send(Ledger ledger, ProjectId project, Random random, long first) {
        for (long round = 0; ; round++) {
            // a window that moves on, so that clients overlap and there are always new events
            TreeSet<Long> numbers = new TreeSet<>();
            int size = 1 + random.nextInt(60);
            while (numbers.size() < size) {
                numbers.add(first + round * 10 + random.nextInt(WINDOW));
            }
            List<Long> sent = new ArrayList<>(numbers);
            List<Event> batch =
                    sent.stream().map(n -> Samples.event(project, n)).toList();
            if (Samples.accept(ledger, batch) instanceof AcceptResult.Committed committed) {
                StringBuilder told = new StringBuilder();
                for (int i = 0; i < sent.size(); i++) {
                    boolean isNew = committed.verdicts().get(i).kind() == Verdict.Kind.ACCEPTED;
                    told.append(isNew ? "+" : "=").append(sent.get(i)).append(' ');
                }
                System.out.println(told);
            }
        }
    }

    private static void deliver(Ledger ledger, ProjectId project, Random random) {
        while (true) {
            List<QueuedEvent> oldest = ledger.queue().oldest(1 + random.nextInt(400), Long.MAX_VALUE);
            if (random.nextInt(4) == 0) {
                ledger.queue().quarantine(oldest.subList(0, oldest.size() / 10), "bad");
            }
            ledger.queue().settle(oldest, Samples.SOURCE);
            if (random.nextInt(4) == 0) {
                for (QuarantinedEvent entry : ledger.quarantine().list(project, 0, 20)) {
                    ledger.quarantine().retry(project, entry.seq());
                }
            }
        }
    }
}
