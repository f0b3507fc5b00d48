package dev.porcupine.ledger;

import java.sql.Connection;
import java.sql.SQLException;

/** Hears of every step of the writer, on the writer's thread. The seam for deterministic crashes, failures and races. */
@FunctionalInterface
interface WriteSteps {

    WriteSteps NONE = (step, connection) -> {};

    void at(WriteStep step, Connection connection) throws SQLException;
}
