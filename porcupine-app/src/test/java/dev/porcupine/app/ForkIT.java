package dev.porcupine.app;

import static org.assertj.core.api.Assertions.assertThat;

import dev.porcupine.testkit.SharedClickHouse;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The packaged service on yesterday's ledger, and a second one on the same table. */
class ForkIT {

    @TempDir
    Path folder;

    @Test
    void stale_ledger_and_second_ledger_accept_nothing_and_the_healthy_one_is_never_accused() throws IOException {
        String[] settings = settings();
        Path data = folder.resolve("data");
        Path stale = folder.resolve("stale");
        UUID early = UUID.randomUUID();
        UUID later = UUID.randomUUID();
        String token;
        try (PackagedService service = PackagedService.start(data, settings)) {
            token = service.token();
            assertAccepted(service, token, early);
            assertThat(service.client().settledCount(1)).isOne();
            assertThat(service.stop()).isIn(0, 143);
            Files.createDirectory(stale);
            for (String file : List.of("ledger.db", AdminToken.FILE_NAME)) {
                Files.copy(data.resolve(file), stale.resolve(file));
            }

            service.restart();
            assertAccepted(service, token, later);
            assertThat(service.client().settledCount(1)).isEqualTo(2);
            service.kill();
            service.restart();
            assertThat(service.client().status().at("/source/findings").toString())
                    .isEqualTo("[]");
            assertAccepted(service, token, UUID.randomUUID());
        }
        try (PackagedService copy = PackagedService.start(stale, settings)) {
            assertCloses(copy, token, later, "ledger_stale");
            ServiceClient.Answer known = copy.client().capture(token, List.of(early));
            assertThat(known.status()).isEqualTo(200);
            assertThat(known.json().get("duplicates").asLong()).isOne();
        }
        try (PackagedService other = PackagedService.start(folder.resolve("other"), settings)) {
            assertCloses(other, other.token(), UUID.randomUUID(), "history_shared");
        }
    }

    private static void assertAccepted(PackagedService service, String token, UUID uuid) {
        ServiceClient.Answer answer = service.client().capture(token, List.of(uuid));
        assertThat(answer.status()).as("%s", answer).isEqualTo(200);
        assertThat(answer.json().get("accepted").asLong()).isOne();
    }

    /** From the first request on: the look came before the web server. */
    private static void assertCloses(PackagedService service, String token, UUID uuid, String finding) {
        ServiceClient.Answer refused = service.client().capture(token, List.of(uuid));
        assertThat(refused.status()).as("%s", refused).isEqualTo(503);
        assertThat(refused.retryAfter()).isNotEmpty();
        assertThat(refused.body()).contains("ledger_forked", finding);
        var status = service.client().status();
        assertThat(status.at("/receipts/complete").asBoolean()).isTrue();
        assertThat(status.at("/admission/open").asBoolean()).isFalse();
        assertThat(status.at("/admission/reasons").toString()).contains("ledger_forked: " + finding);
        assertThat(status.at("/source/findings").toString()).contains(finding);
        assertThat(status.at("/queue/events").asLong()).isZero();
        assertThat(service.client().get("/actuator/health/admission").body()).contains(finding);
        assertThat(service.client().get("/actuator/health/readiness").status()).isEqualTo(200);
        assertThat(service.client().metric("porcupine_admission_open", "")).isZero();
        assertThat(service.output()).contains(finding);
    }

    private static String[] settings() {
        List<String> settings =
                new ArrayList<>(HistoryKind.clickHouse(SharedClickHouse.endpoint(), SharedClickHouse.freshDatabase()));
        settings.add("--porcupine.hot-receipt-limit=1000");
        return settings.toArray(String[]::new);
    }
}
