package dev.porcupine.app;

import com.posthog.server.PostHog;
import com.posthog.server.PostHogCaptureOptions;
import com.posthog.server.PostHogConfig;
import com.posthog.server.PostHogInterface;

/** PostHog's Java SDK for servers, unchanged. */
final class PosthogServerClient implements AutoCloseable {

    private static final int QUEUE_MAX = 10_000;

    private final PostHogInterface posthog;

    PosthogServerClient(String host, String token) {
        posthog = PostHog.with(PostHogConfig.builder(token)
                .host(host)
                .flushAt(100)
                .maxBatchSize(100)
                .maxQueueSize(QUEUE_MAX)
                .flushIntervalSeconds(1)
                .preloadFeatureFlags(false)
                .build());
    }

    /** Sends in the background. */
    void capture(int count) {
        for (int i = 0; i < count; i++) {
            posthog.capture(
                    "user-" + i % 7,
                    "invoice sent",
                    PostHogCaptureOptions.builder().property("index", i).build());
        }
        posthog.flush();
    }

    @Override
    public void close() {
        posthog.close();
    }
}
