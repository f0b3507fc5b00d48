package dev.porcupine.app;

/** A setting that can't be used: start-up stops. The message says what was found; {@link #action} what to do. Never holds a secret. */
final class SettingException extends RuntimeException {

    private static final long serialVersionUID = 1;

    private final String action;

    SettingException(String message, String action) {
        super(message);
        this.action = action;
    }

    String action() {
        return action;
    }
}
