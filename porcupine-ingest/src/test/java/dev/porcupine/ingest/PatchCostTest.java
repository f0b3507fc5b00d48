package dev.porcupine.ingest;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.sun.management.ThreadMXBean;
import dev.porcupine.schema.Event;
import dev.porcupine.schema.EventIdentity;
import dev.porcupine.schema.EventText;
import dev.porcupine.schema.EventUuid;
import dev.porcupine.schema.Problem;
import dev.porcupine.schema.ProblemException;
import dev.porcupine.schema.ProjectId;
import java.lang.management.ManagementFactory;
import java.nio.charset.StandardCharsets;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** What one patch is charged beside its body, against what it takes. */
class PatchCostTest {

    private static final CaptureLimits LIMITS = CaptureLimits.forHeap(512L << 20);
    private static final int LARGE = 900_000;

    /** Texts that take the most memory for their length, each in its way. */
    enum Shape {
        MANY_NAMES("", "1"),
        NAMES_BEYOND_LATIN_1("\u5b57", "1"),
        LONG_TEXTS("", '"' + "x".repeat(LARGE / 2) + '"'),
        LONG_TEXTS_BEYOND_LATIN_1("", "\"\u5b57" + "x".repeat(LARGE / 2) + '"');

        private final String prefix;
        private final String value;

        Shape(String prefix, String value) {
            this.prefix = prefix;
            this.value = value;
        }

        String object(int bytes) {
            StringBuilder text = new StringBuilder(2 * bytes).append('{');
            for (int n = 0; text.length() < bytes; n++) {
                text.append(n == 0 ? "\"" : ",\"")
                        .append(prefix)
                        .append(Integer.toString(n, 36))
                        .append("\":")
                        .append(value);
            }
            return text.append('}').toString();
        }
    }

    @ParameterizedTest
    @EnumSource
    void no_more_is_allocated_than_was_charged(Shape shape) {
        Event base = event(shape.object(LARGE));
        EventPatch patch = patch(shape.object(LARGE));
        long texts = patch.length() + base.properties().length;

        assertThat(allocated(() -> patch.applyTo(base)))
                .as("by the merge")
                .isLessThanOrEqualTo(texts * PatchCost.MERGING);
        Event next = patch.applyTo(base);
        assertThat(allocated(() -> EventText.of(next).getBytes(StandardCharsets.UTF_8))
                        + base.properties().length
                        + next.properties().length)
                .as("of two events and an answer")
                .isLessThanOrEqualTo(texts * PatchCost.AFTERWARDS);
    }

    /** Members of an event may repeat their name, and then be as short as can be. */
    @Test
    void the_shortest_members_are_paid_for() {
        Event base = event("{" + "\"\":1,".repeat(LARGE / 5) + "\"\":1}");
        EventPatch patch = patch("{\"a\":1}");
        assertThat(allocated(() -> patch.applyTo(base)))
                .isLessThanOrEqualTo((long) base.properties().length * PatchCost.MERGING);
    }

    @Test
    void a_merge_is_refused_while_others_hold_what_it_needs() {
        Event base = event("{\"a\":1}");
        EventPatch patch = patch("{\"b\":2}");
        long texts = texts(base, patch);
        BodyBudget budget = new BodyBudget(texts * (PatchCost.MERGING + PatchCost.AFTERWARDS));
        BodyBudget.Charge first = budget.open();
        assertThat(new PatchCost(first).apply(patch, base).properties())
                .asString()
                .isEqualTo("{\"a\":1,\"b\":2}");
        assertThat(budget.bytesInUse()).as("until the answer").isEqualTo(texts * PatchCost.AFTERWARDS);
        try (BodyBudget.Charge second = budget.open();
                BodyBudget.Charge third = budget.open()) {
            new PatchCost(second).apply(patch, base);
            assertThatThrownBy(() -> new PatchCost(third).apply(patch, base))
                    .isInstanceOfSatisfying(
                            ProblemException.class, e -> assertThat(e.problem()).isEqualTo(Problem.OVERLOADED));
            first.close();
            new PatchCost(third).apply(patch, base);
        }
        assertThat(budget.bytesInUse()).isZero();
    }

    @Test
    void a_patch_that_is_applied_again_pays_once() {
        Event base = event("{\"a\":1}");
        EventPatch patch = patch("{\"b\":2}");
        BodyBudget budget = new BodyBudget(texts(base, patch) * PatchCost.MERGING);
        try (BodyBudget.Charge charge = budget.open()) {
            PatchCost cost = new PatchCost(charge);
            for (int attempt = 0; attempt < MutationDoor.ATTEMPTS_MAX; attempt++) {
                cost.apply(patch, base);
                assertThat(budget.bytesInUse()).isEqualTo(texts(base, patch) * PatchCost.AFTERWARDS);
            }
        }
        assertThat(budget.bytesInUse()).isZero();
    }

    @Test
    void a_patch_that_needs_more_than_there_is_has_it_alone() {
        BodyBudget budget = new BodyBudget(10);
        try (BodyBudget.Charge other = budget.open();
                BodyBudget.Charge charge = budget.open()) {
            PatchCost cost = new PatchCost(charge);
            other.take(1);
            assertThatThrownBy(() -> cost.apply(patch("{\"b\":2}"), event("{}")))
                    .isInstanceOfSatisfying(
                            ProblemException.class, e -> assertThat(e.problem()).isEqualTo(Problem.OVERLOADED));
            other.give(1);
            cost.apply(patch("{\"b\":2}"), event("{}"));
            assertThat(budget.bytesInUse()).isEqualTo(10);
        }
        assertThat(budget.bytesInUse()).isZero();
    }

    private static long texts(Event base, EventPatch patch) {
        return patch.length()
                + base.properties().length
                + base.name().length()
                + base.distinctId().length();
    }

    /** The second time, when what is only made once is there. */
    private static long allocated(Supplier<Object> work) {
        ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
        var _ = work.get();
        long before = threads.getCurrentThreadAllocatedBytes();
        var _ = work.get();
        return threads.getCurrentThreadAllocatedBytes() - before;
    }

    private static Event event(String properties) {
        return Event.original(
                new EventIdentity(
                        new ProjectId(1),
                        EventUuid.parse("0190b3f0-0000-7000-8000-000000000001").orElseThrow()),
                "e",
                "u",
                1,
                1,
                properties.getBytes(StandardCharsets.UTF_8));
    }

    private static EventPatch patch(String properties) {
        byte[] body = ("{\"properties\":" + properties + "}").getBytes(StandardCharsets.UTF_8);
        return EventPatch.read(Slice.of(body), 0, unbounded());
    }

    /** The merged event may be larger than one may be: it is the patch that is measured. */
    private static CaptureLimits unbounded() {
        return new CaptureLimits(
                LIMITS.wireBytesMax(),
                LIMITS.decodedBytesMax(),
                8 << 20,
                LIMITS.nestingMax(),
                LIMITS.batchEventsMax(),
                LIMITS.inFlightBytesMax(),
                LIMITS.bodyDeadline());
    }
}
