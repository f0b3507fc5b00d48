package dev.porcupine.history;

import dev.porcupine.history.HttpOutcome.Broken;
import dev.porcupine.history.HttpOutcome.Complete;
import dev.porcupine.history.HttpOutcome.Refused;
import dev.porcupine.schema.EventIdentity;
import dev.porcupine.schema.Ticker;
import java.net.http.HttpRequest.BodyPublishers;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.Set;

/**
 * One probe: one query, one complete envelope, from a table that is still the verified one; or a failure (P22, P27).
 */
final class ClickHouseProbe implements ProbeDesk.Prober {

    private final ClickHouseHttp http;
    private final ClickHouseTable table;
    private final SourceCheck check;
    private final ProbeMetrics metrics;
    private final Ticker ticker;

    ClickHouseProbe(
            ClickHouseHttp http, ClickHouseTable table, SourceCheck check, ProbeMetrics metrics, Ticker ticker) {
        this.http = http;
        this.table = table;
        this.check = check;
        this.metrics = metrics;
        this.ticker = ticker;
    }

    @Override
    public ProbeResult probe(VerifiedSource source, Set<EventIdentity> identities, Duration deadline) {
        long start = ticker.nanos();
        ProbeResult result = ask(source, identities, deadline, start);
        metrics.probed(result, identities.size(), Duration.ofNanos(ticker.nanos() - start));
        return result;
    }

    private ProbeResult ask(VerifiedSource source, Set<EventIdentity> identities, Duration deadline, long start) {
        if (deadline.isNegative() || deadline.isZero()) {
            return new ProbeResult.Failed(ProbeFailure.DEADLINE, "no time was left for a probe");
        }
        HttpOutcome outcome = http.exchange(new ClickHouseRequest(
                ProbeStatement.SETTINGS,
                BodyPublishers.ofString(ProbeStatement.sql(table.qualified(), identities)),
                deadline,
                ProbeStatement.RESPONSE_BYTES_MAX));
        return switch (outcome) {
            case Complete complete -> judge(source, identities, complete.body(), deadline, start);
            case Refused refused ->
                new ProbeResult.Failed(
                        failureOf(refused.code()),
                        "ClickHouse refused the probe with error " + refused.code() + " " + refused.name());
            case Broken broken ->
                new ProbeResult.Failed(failureOf(broken.reason()), broken.reason() + ": " + broken.detail());
        };
    }

    private ProbeResult judge(
            VerifiedSource source, Set<EventIdentity> identities, ByteBuffer body, Duration deadline, long start) {
        ProbeEnvelope.Answer answer;
        try {
            byte[] bytes = new byte[body.remaining()];
            body.get(bytes);
            answer = ProbeEnvelope.read(bytes, identities);
        } catch (ProbeEnvelope.IncompleteException e) {
            return new ProbeResult.Failed(
                    ProbeFailure.INCOMPLETE, "the answer is not one complete envelope: " + e.getMessage());
        }
        Duration left = deadline.minusNanos(ticker.nanos() - start);
        if (left.isNegative() || left.isZero()) {
            return new ProbeResult.Failed(ProbeFailure.DEADLINE, "no time was left to ask which table answered");
        }
        String doubt = check.doubt(source, left);
        if (doubt != null) {
            return new ProbeResult.Failed(ProbeFailure.SOURCE_CHANGED, "the probe ended, but " + doubt);
        }
        metrics.cost(answer.cost());
        return new ProbeResult.Complete(answer.known());
    }

    private static ProbeFailure failureOf(HttpOutcome.Reason reason) {
        return switch (reason) {
            case UNREACHABLE, CUT, ABANDONED -> ProbeFailure.OUTAGE;
            case DEADLINE -> ProbeFailure.DEADLINE;
            case TOO_LARGE -> ProbeFailure.LIMIT;
            case NOT_CLICKHOUSE -> ProbeFailure.INCOMPLETE;
        };
    }

    private static ProbeFailure failureOf(int code) {
        return switch (code) {
            // TIMEOUT_EXCEEDED, TOO_SLOW
            case 159, 160 -> ProbeFailure.DEADLINE;
            // TOO_MANY_ROWS, CANNOT_ALLOCATE_MEMORY, SET_SIZE_LIMIT_EXCEEDED, MEMORY_LIMIT_EXCEEDED, TOO_MANY_BYTES,
            // TOO_MANY_ROWS_OR_BYTES
            case 158, 173, 191, 241, 307, 396 -> ProbeFailure.LIMIT;
            // UNKNOWN_TABLE, UNKNOWN_DATABASE, INDEX_NOT_USED
            case 60, 81, 277 -> ProbeFailure.SOURCE_CHANGED;
            default -> ProbeFailure.OUTAGE;
        };
    }
}
