package dev.porcupine.bench;

import java.nio.charset.StandardCharsets;
import java.util.HexFormat;
import java.util.SplittableRandom;

/** One request's bytes, built once; each use only writes new UUIDs into them, so that the generator costs little beside the service. */
final class RequestTemplate {

    private static final String UUID_PLACE = "00000000-0000-7000-8000-000000000000";
    private static final HexFormat HEX = HexFormat.of();

    private final byte[] bytes;
    private final int[] places;
    private final SplittableRandom random;

    RequestTemplate(LoadPlan plan, long seed) {
        this.random = new SplittableRandom(seed);
        StringBuilder events = new StringBuilder();
        for (int i = 0; i < plan.batchSize(); i++) {
            events.append(i == 0 ? "" : ",").append(event(i));
        }
        String body = "{\"api_key\":\"" + plan.token() + "\",\"batch\":[" + events + "]}";
        String head = "POST /batch/ HTTP/1.1\r\nHost: " + plan.url().getAuthority()
                + "\r\nContent-Type: application/json\r\nContent-Length: " + body.length() + "\r\n\r\n";
        String request = head + body;
        this.bytes = request.getBytes(StandardCharsets.US_ASCII);
        this.places = new int[plan.batchSize()];
        int from = 0;
        for (int i = 0; i < places.length; i++) {
            places[i] = request.indexOf(UUID_PLACE, from);
            from = places[i] + UUID_PLACE.length();
        }
    }

    /** The request with new UUIDs; the same array every time. */
    byte[] next(long nowMillis) {
        for (int place : places) {
            writeUuid(place, nowMillis);
        }
        return bytes;
    }

    /** A UUIDv7, as most SDKs send. */
    private void writeUuid(int place, long nowMillis) {
        long first = nowMillis << 16 | 0x7000 | random.nextInt(0x1000);
        long second = (random.nextLong() & 0x3FFF_FFFF_FFFF_FFFFL) | 0x8000_0000_0000_0000L;
        String digits = HEX.toHexDigits(first) + HEX.toHexDigits(second);
        int at = place;
        for (int i = 0; i < digits.length(); i++) {
            if (i == 8 || i == 12 || i == 16 || i == 20) {
                at++;
            }
            bytes[at++] = (byte) digits.charAt(i);
        }
    }

    /** About 600 bytes, the size of an SDK's ordinary event. */
    private static String event(int index) {
        return "{\"event\":\"order placed\",\"distinct_id\":\"user-" + index % 97
                + "\",\"uuid\":\"" + UUID_PLACE
                + "\",\"timestamp\":\"2026-06-01T12:00:00.000Z\",\"properties\":{"
                + "\"$lib\":\"posthog-node\",\"$lib_version\":\"5.70.0\",\"$geoip_disable\":true,"
                + "\"$current_url\":\"https://shop.example/checkout/confirmation?step=3\",\"$browser\":\"Firefox\","
                + "\"$os\":\"Linux\",\"$screen_height\":1080,\"$screen_width\":1920,\"currency\":\"EUR\",\"price\":129.90,"
                + "\"items\":[{\"sku\":\"A-1001\",\"quantity\":2},{\"sku\":\"B-2002\",\"quantity\":1}],"
                + "\"plan\":\"enterprise\",\"campaign\":\"spring-2026\",\"note\":\"paid by invoice within thirty days\"}}";
    }
}
