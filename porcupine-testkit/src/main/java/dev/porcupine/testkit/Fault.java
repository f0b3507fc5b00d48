package dev.porcupine.testkit;

import java.time.Duration;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * What a {@link FaultProxy} does to one exchange: how much of the request upstream gets to see, which answer is made of
 * it, and how the client gets that answer.
 *
 * @param delay before anything reaches upstream
 * @param requestBytes of head and body that reach upstream; fewer than the request has means that upstream sees it cut
 * @param rewrite makes the client's answer; gets upstream's, or null where upstream gave none
 */
public record Fault(
        Duration delay, int requestBytes, @Nullable UnaryOperator<@Nullable WireAnswer> rewrite, Delivery delivery) {

    private static final int WHOLE_REQUEST = Integer.MAX_VALUE;

    /** How the client gets its answer. */
    public sealed interface Delivery {

        record Whole() implements Delivery {}

        /** The first bytes of head and body, then an orderly close. */
        record Truncated(int bytes) implements Delivery {}

        record Dripped(int bytesEach, Duration pause) implements Delivery {}

        /** A connection reset (RST) without a byte. */
        record Reset() implements Delivery {}

        /** Nothing, on an open connection, until the client gives up or the proxy closes. */
        record Hang() implements Delivery {}
    }

    public Fault {
        if (delay.isNegative() || requestBytes < 0) {
            throw new IllegalArgumentException(
                    "delay " + delay + " and request bytes " + requestBytes + " are 0 or more");
        }
    }

    static final Fault NONE = reached(new Delivery.Whole());

    private static Fault reached(Delivery delivery) {
        return new Fault(Duration.ZERO, WHOLE_REQUEST, null, delivery);
    }

    private static Fault unreached(Delivery delivery) {
        return new Fault(Duration.ZERO, 0, null, delivery);
    }

    /** Upstream sees nothing, the client waits. */
    public static Fault hang() {
        return unreached(new Delivery.Hang());
    }

    /** Upstream does its work, the client waits for the answer. */
    public static Fault hangAfterUpstream() {
        return reached(new Delivery.Hang());
    }

    /** The connection breaks before upstream sees anything. */
    public static Fault reset() {
        return unreached(new Delivery.Reset());
    }

    /** The connection breaks while the request is under way: upstream sees that many bytes and then the end. */
    public static Fault cutRequest(int bytes) {
        return new Fault(Duration.ZERO, bytes, null, new Delivery.Reset());
    }

    /** Upstream has done its work and answered whole; the client gets a reset and can't know. */
    public static Fault cutAfterUpstream() {
        return reached(new Delivery.Reset());
    }

    public static Fault truncateAnswer(int bytes) {
        return reached(new Delivery.Truncated(bytes));
    }

    public static Fault dripAnswer(int bytesEach, Duration pause) {
        return reached(new Delivery.Dripped(bytesEach, pause));
    }

    public static Fault delay(Duration delay) {
        return new Fault(delay, WHOLE_REQUEST, null, new Delivery.Whole());
    }

    /** Upstream sees nothing, the client gets this. */
    public static Fault answer(WireAnswer scripted) {
        return new Fault(Duration.ZERO, 0, ignored -> scripted, new Delivery.Whole());
    }

    /** Upstream does its work, the client gets this. */
    public static Fault answerAfterUpstream(WireAnswer scripted) {
        return new Fault(Duration.ZERO, WHOLE_REQUEST, ignored -> scripted, new Delivery.Whole());
    }

    /** Upstream does its work, the client gets what the test makes of the answer. */
    public static Fault rewrite(UnaryOperator<WireAnswer> change) {
        return new Fault(
                Duration.ZERO,
                WHOLE_REQUEST,
                upstream -> upstream == null ? null : change.apply(upstream),
                new Delivery.Whole());
    }

    /** The same with another delivery, such as a scripted answer that drips. */
    public Fault delivered(Delivery other) {
        return new Fault(delay, requestBytes, rewrite, other);
    }

    public Fault delayed(Duration first) {
        return new Fault(first, requestBytes, rewrite, delivery);
    }
}
