package dev.porcupine.ingest;

import dev.porcupine.ledger.AcceptResult;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.SynchronousQueue;
import java.util.concurrent.TimeUnit;

/** Runs batches on threads of their own, one at a time, in a given order of their steps. */
final class Interleavings {

    private static final long PATIENCE_SECONDS = 20;

    private Interleavings() {}

    /** A batch that tells of its steps. */
    interface Actor {
        AcceptResult run(ProofSteps steps);
    }

    /** All orders in which two actors can take so many turns each; 0 and 1 name whose turn it is. */
    static List<List<Integer>> of(int turnsOfFirst, int turnsOfSecond) {
        List<List<Integer>> all = new ArrayList<>();
        grow(new ArrayList<>(), turnsOfFirst, turnsOfSecond, all);
        return all;
    }

    private static void grow(List<Integer> head, int first, int second, List<List<Integer>> all) {
        if (first == 0 && second == 0) {
            all.add(List.copyOf(head));
            return;
        }
        if (first > 0) {
            head.add(0);
            grow(head, first - 1, second, all);
            head.removeLast();
        }
        if (second > 0) {
            head.add(1);
            grow(head, first, second - 1, all);
            head.removeLast();
        }
    }

    /** A turn takes its actor to its next step, or to its end; what is left after the order runs out one after the other. */
    static List<AcceptResult> run(List<Integer> order, List<Actor> actors) {
        List<Turns> turns = actors.stream().map(Turns::new).toList();
        for (int who : order) {
            turns.get(who).take();
        }
        return turns.stream().map(Turns::finish).toList();
    }

    /** One actor and the baton that it needs for each turn. */
    static final class Turns {

        private static final Object BATON = new Object();

        private final SynchronousQueue<Object> go = new SynchronousQueue<>();
        private final SynchronousQueue<Object> back = new SynchronousQueue<>();
        private final CompletableFuture<AcceptResult> result = new CompletableFuture<>();

        Turns(Actor actor) {
            Thread.ofPlatform().daemon().start(() -> {
                try {
                    receive(go);
                    result.complete(actor.run(step -> {
                        send(back);
                        receive(go);
                    }));
                } catch (Throwable t) {
                    result.completeExceptionally(t);
                }
                send(back);
            });
        }

        boolean done() {
            return result.isDone();
        }

        void take() {
            if (!done()) {
                send(go);
                receive(back);
            }
        }

        AcceptResult finish() {
            while (!done()) {
                take();
            }
            return result.join();
        }

        private static void send(SynchronousQueue<Object> to) {
            try {
                if (!to.offer(BATON, PATIENCE_SECONDS, TimeUnit.SECONDS)) {
                    throw new AssertionError("nobody took the baton");
                }
            } catch (InterruptedException e) {
                throw new AssertionError(e);
            }
        }

        private static void receive(SynchronousQueue<Object> from) {
            try {
                if (from.poll(PATIENCE_SECONDS, TimeUnit.SECONDS) == null) {
                    throw new AssertionError("nobody handed the baton over");
                }
            } catch (InterruptedException e) {
                throw new AssertionError(e);
            }
        }
    }
}
