package dev.porcupine.app;

import static org.assertj.core.api.Assertions.assertThat;

import dev.porcupine.testkit.Fault;
import dev.porcupine.testkit.FaultProxy;
import dev.porcupine.testkit.WireAnswer;
import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Answers that get lost between the service and real SDKs. */
class FaultyNetworkIT {

    private static final WireAnswer UNAVAILABLE =
            WireAnswer.of(503, "application/problem+json", "{}").withHeader("Retry-After", "1");

    @TempDir
    Path folder;

    @Test
    void a_connection_cut_after_commit_makes_posthog_node_resend_and_stores_nothing_twice() {
        AtomicLong requests = new AtomicLong();
        try (PackagedService service = PackagedService.start(folder.resolve("data"));
                FaultProxy network = proxy(service)
                        .always(Fault.cutAfterUpstream(), request -> requests.incrementAndGet() % 3 == 1)) {
            NodeClient.run("posthog-node.mjs", network.url().toString(), service.token(), 2_000, "cut");
            assertThat(network.faults()).isGreaterThanOrEqualTo(7);
            assertExactly(service, 2_000);
            assertThat(service.client().metric("porcupine_capture_events", "duplicate"))
                    .as("resent events seen")
                    .isPositive();
        }
    }

    @Test
    void a_window_of_503_before_and_after_commit_loses_and_repeats_nothing_of_posthog_node() {
        try (PackagedService service = PackagedService.start(folder.resolve("data"));
                FaultProxy network = proxy(service)
                        .next(4, Fault.answer(UNAVAILABLE))
                        .next(4, Fault.answerAfterUpstream(UNAVAILABLE))) {
            NodeClient.run("posthog-node.mjs", network.url().toString(), service.token(), 2_000, "window");
            assertThat(network.faults()).isEqualTo(8);
            assertExactly(service, 2_000);
        }
    }

    @Test
    void posthog_server_survives_a_cut_after_commit_and_a_window_of_503() {
        try (PackagedService service = PackagedService.start(folder.resolve("data"));
                FaultProxy network = proxy(service)
                        .next(1, Fault.cutAfterUpstream())
                        .next(1, Fault.answer(UNAVAILABLE))
                        .next(1, Fault.answerAfterUpstream(UNAVAILABLE))) {
            try (PosthogServerClient posthog =
                    new PosthogServerClient(network.url().toString(), service.token())) {
                posthog.capture(500);
                Awaitility.await("500 events through a broken network")
                        .atMost(Duration.ofMinutes(2))
                        .untilAsserted(() -> assertExactly(service, 500));
            }
            assertThat(network.faults()).isEqualTo(3);
        }
    }

    @Test
    void a_request_cut_in_mid_body_stores_nothing_of_it() {
        try (PackagedService service = PackagedService.start(folder.resolve("data"));
                FaultProxy network = proxy(service).next(5, Fault.cutRequest(700))) {
            NodeClient.run("posthog-node.mjs", network.url().toString(), service.token(), 1_000, "body");
            assertThat(network.faults()).isEqualTo(5);
            assertExactly(service, 1_000);
        }
    }

    private static FaultProxy proxy(PackagedService service) {
        return FaultProxy.before(URI.create(service.client().base()));
    }

    private static void assertExactly(PackagedService service, int events) {
        assertThat(service.client().settledCount(1)).isEqualTo(events);
        assertThat(service.client().uuids(1)).hasSize(events);
    }
}
