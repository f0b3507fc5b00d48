package dev.porcupine.ledger;

/** The ledger can't be opened. The message says what was found; {@link #action} what an operator can do. */
public final class LedgerStartException extends RuntimeException {

    private static final long serialVersionUID = 1;

    private final String action;

    public LedgerStartException(String message, String action, Throwable cause) {
        super(message, cause);
        this.action = action;
    }

    public String action() {
        return action;
    }
}
