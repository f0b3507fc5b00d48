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
     * @throws SettingException for every limit but 0: ignoring it would let the ledger grow where the operator counts on it not to
     */
    void requireSupported() {
        if (receipts > 0) {
            throw new SettingException(
                    NAME + " is " + receipts + ", but this release keeps every receipt in SQLite and evicts none.",
                    "Remove the setting or set it to 0. The finite ledger comes with a later release.");
        }
    }

    @Override
    public String toString() {
        return receipts == 0 ? "none" : Long.toString(receipts);
    }
}
