package dev.porcupine.app;

/**
 * How many receipts stay in SQLite; 0 keeps all of them (P4, P5). A type of its own, so that the text is read strictly: Spring's
 * number conversion also takes {@code 0x10} and reads an empty value as unset.
 *
 * @param receipts 0 or more
 */
public record HotReceiptLimit(long receipts) {

    private static final String NAME = "porcupine.hot-receipt-limit";
    private static final int DIGITS_MAX = 18;

    /** Spring's conversion calls this by its name. */
    public static HotReceiptLimit valueOf(String text) {
        String trimmed = text.strip();
        boolean digits = !trimmed.isEmpty() && trimmed.chars().allMatch(c -> c >= '0' && c <= '9');
        if (!digits || trimmed.length() > DIGITS_MAX) {
            throw new SettingException(
                    NAME + " is '" + text + "', which is not an integer of 0 or more.",
                    "Set it to 0 to keep every receipt in SQLite, or to a positive number of receipts.");
        }
        return new HotReceiptLimit(Long.parseLong(trimmed));
    }

    /**
     * @throws SettingException for a limit without ClickHouse (P6): an evicted receipt must be remembered by a history that proves it
     */
    void requireHistory(boolean clickHouse) {
        if (receipts > 0 && !clickHouse) {
            throw new SettingException(
                    NAME + " is " + receipts + ", but porcupine.clickhouse.url is not set. A finite ledger forgets"
                            + " delivered receipts and asks ClickHouse for them; the embedded history can't take its place.",
                    "Set porcupine.clickhouse.url, or set the limit to 0 to keep every receipt in SQLite.");
        }
    }

    @Override
    public String toString() {
        return receipts == 0 ? "none" : Long.toString(receipts);
    }
}
