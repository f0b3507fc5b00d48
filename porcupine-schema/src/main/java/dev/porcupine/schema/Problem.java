package dev.porcupine.schema;

/**
 * Every refusal that a client can meet, once: its stable code, its HTTP status and whether the same request may succeed later. The
 * codes are an interface; renaming one breaks clients.
 *
 * <p>429 and 409 never appear on capture, nor do 410 and 412: several SDKs throw the batch away on them.
 */
public enum Problem {
    BODY_UNREADABLE("body_unreadable", 400, Retry.NEVER, "The request body can't be read as events"),
    BATCH_EMPTY("batch_empty", 400, Retry.NEVER, "The request holds no events"),
    NO_VALID_EVENT("no_valid_event", 400, Retry.NEVER, "No event of the request is valid"),
    PARAMETER_INVALID("parameter_invalid", 400, Retry.NEVER, "A parameter is invalid"),
    TOKEN_MISSING("token_missing", 401, Retry.NEVER, "The request names no project token"),
    TOKEN_INVALID("token_invalid", 401, Retry.NEVER, "The project token is not valid"),
    ADMIN_TOKEN_INVALID("admin_token_invalid", 401, Retry.NEVER, "The admin token is missing or wrong"),
    PROJECT_NOT_FOUND("project_not_found", 404, Retry.NEVER, "There is no such project"),
    EVENT_NOT_FOUND("event_not_found", 404, Retry.NEVER, "There is no such event"),
    QUARANTINE_ENTRY_NOT_FOUND("quarantine_entry_not_found", 404, Retry.NEVER, "There is no such quarantined event"),
    TOKEN_NOT_FOUND("token_not_found", 404, Retry.NEVER, "There is no such token"),
    NOT_FOUND("not_found", 404, Retry.NEVER, "There is nothing at this address"),
    EVENT_DELETED("event_deleted", 410, Retry.NEVER, "The event was deleted"),
    REVISION_MISMATCH(
            "revision_mismatch", 412, Retry.NEVER, "The event is at another revision than the request asks for"),
    MUTATION_CONFLICT("mutation_conflict", 409, Retry.LATER, "Others change the event all the time"),
    MUTATIONS_PENDING("mutations_pending", 503, Retry.LATER, "Too many mutations wait for history"),
    METHOD_NOT_ALLOWED("method_not_allowed", 405, Retry.NEVER, "This address does not take that method"),
    BODY_TOO_SLOW("body_too_slow", 408, Retry.LATER, "The request body arrived too slowly"),
    BODY_TOO_LARGE("body_too_large", 413, Retry.NEVER, "The request body is too large"),
    MEDIA_TYPE_UNSUPPORTED("media_type_unsupported", 415, Retry.NEVER, "The encoding of the body is not supported"),
    INTERNAL("internal", 500, Retry.LATER, "Something failed inside Porcupine"),
    OVERLOADED("overloaded", 503, Retry.LATER, "Too much is going on at once"),
    QUEUE_FULL("queue_full", 503, Retry.LATER, "The delivery queue is full"),
    LEDGER_UNAVAILABLE("ledger_unavailable", 503, Retry.LATER, "The ledger can't store anything now"),
    HISTORY_UNAVAILABLE("history_unavailable", 503, Retry.LATER, "History can't answer now"),
    SOURCE_CHANGED("source_changed", 503, Retry.LATER, "History is not the one that the ledger trusts"),
    LOOKUP_OVERLOADED("lookup_overloaded", 503, Retry.LATER, "Too many lookups in history at once"),
    LOOKUP_DEADLINE("lookup_deadline", 503, Retry.LATER, "History did not answer a lookup in time"),
    LOOKUP_LIMIT("lookup_limit", 503, Retry.LATER, "A lookup in history went over a limit"),
    LOOKUP_INCOMPLETE("lookup_incomplete", 503, Retry.LATER, "History answered a lookup in part"),
    PROOF_EXPIRED("proof_expired", 503, Retry.LATER, "The proof that the events are new came too late"),
    LEDGER_OVER_LIMIT("ledger_over_limit", 503, Retry.LATER, "The ledger holds more receipts than its limit"),
    LEDGER_FORKED("ledger_forked", 503, Retry.LATER, "The ledger is stale, or not the only one"),
    QUERY_LIMIT("query_limit", 503, Retry.LATER, "The query went over a limit"),
    SHUTTING_DOWN("shutting_down", 503, Retry.LATER, "The service is stopping");

    private final String code;
    private final int status;
    private final Retry retry;
    private final String title;

    Problem(String code, int status, Retry retry, String title) {
        this.code = code;
        this.status = status;
        this.retry = retry;
        this.title = title;
    }

    public String code() {
        return code;
    }

    /** The HTTP status. */
    public int status() {
        return status;
    }

    /** Whether the same request may succeed later; such answers carry {@code Retry-After}. */
    public boolean retryable() {
        return retry == Retry.LATER;
    }

    public String title() {
        return title;
    }

    private enum Retry {
        LATER,
        NEVER
    }
}
