package dev.porcupine.history;

import java.net.http.HttpRequest.BodyPublisher;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * One exchange: everything that decides its meaning is in here, nothing is left to the operator's profile.
 *
 * @param parameters settings, query parameters and, for an insert, the query itself
 * @param body the query, or an insert's rows
 * @param deadline from the call to the last byte of the answer
 * @param responseBytesMax the answer's cap
 */
record ClickHouseRequest(Map<String, String> parameters, BodyPublisher body, Duration deadline, int responseBytesMax) {

    ClickHouseRequest {
        parameters = Map.copyOf(parameters);
    }

    /** This request with further parameters. */
    ClickHouseRequest with(Map<String, String> more) {
        Map<String, String> all = new LinkedHashMap<>(parameters);
        all.putAll(more);
        return new ClickHouseRequest(all, body, deadline, responseBytesMax);
    }
}
