package dev.porcupine.bench;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.util.HashSet;
import java.util.Set;
import java.util.UUID;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

class RequestTemplateTest {

    private static final Pattern UUID_TEXT = Pattern.compile("\"uuid\":\"([0-9a-f-]{36})\"");
    private static final long NOW = 1_780_000_000_000L;

    private final LoadPlan plan = LoadPlan.parse("--token=phc_x", "--batch=100");

    @Test
    void every_event_of_every_request_has_a_uuid_v7_of_its_own() {
        RequestTemplate template = new RequestTemplate(plan, 1);
        Set<UUID> seen = new HashSet<>();
        for (int request = 0; request < 3; request++) {
            Matcher uuids = UUID_TEXT.matcher(text(template.next(NOW)));
            while (uuids.find()) {
                UUID uuid = UUID.fromString(uuids.group(1));
                assertThat(uuid.version()).isEqualTo(7);
                assertThat(uuid.variant()).isEqualTo(2);
                assertThat(uuid.getMostSignificantBits() >>> 16).isEqualTo(NOW);
                assertThat(seen.add(uuid)).isTrue();
            }
        }
        assertThat(seen).hasSize(300);
    }

    @Test
    void content_length_is_the_bodys() {
        String request = text(new RequestTemplate(plan, 1).next(NOW));
        Matcher length = Pattern.compile("Content-Length: (\\d+)").matcher(request);
        assertThat(length.find()).isTrue();
        int bodyStart = request.indexOf("\r\n\r\n") + 4;
        assertThat(request.length() - bodyStart).isEqualTo(Integer.parseInt(length.group(1)));
    }

    private static String text(byte[] request) {
        return new String(request, StandardCharsets.US_ASCII);
    }
}
