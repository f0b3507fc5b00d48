package dev.porcupine.ledger;

import java.nio.file.Path;

/** A process that opens a ledger and says what came of it. */
final class LedgerOpener {

    private LedgerOpener() {}

    public static void main(String[] args) throws Exception {
        try (Ledger ledger = Samples.open(Path.of(args[0]))) {
            System.out.println("opened");
            if (args.length > 1) {
                // until the parent closes the pipe or kills
                int ignored = System.in.read();
                System.out.println(ignored + " " + ledger.status());
            }
        } catch (LedgerStartException e) {
            System.out.println("refused: " + e.getMessage());
        }
    }
}
