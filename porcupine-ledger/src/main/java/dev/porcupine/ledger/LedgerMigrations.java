package dev.porcupine.ledger;

import java.util.Arrays;
import java.util.List;
import java.util.concurrent.TimeUnit;
import javax.sql.DataSource;
import org.flywaydb.core.Flyway;
import org.flywaydb.core.api.FlywayException;
import org.flywaydb.core.api.MigrationInfo;
import org.flywaydb.core.api.MigrationState;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Brings a ledger's schema to this release's version; never back, and never over a newer one. */
final class LedgerMigrations {

    private static final Logger log = LoggerFactory.getLogger(LedgerMigrations.class);

    private static final String LOCATION = "classpath:db/migration/ledger";

    private LedgerMigrations() {}

    /** @throws LedgerStartException when the ledger was written by a newer release, or its schema isn't what migrations made */
    static void migrate(LedgerFile file) {
        migrate(file, "latest");
    }

    /** @param target the version to stop at; tests make old ledgers with it */
    static void migrate(LedgerFile file, String target) {
        Flyway flyway = flyway(file.writingDataSource(), target);
        try {
            MigrationInfo[] all = flyway.info().all();
            refuseNewer(file, all);
            List<String> pending = Arrays.stream(flyway.info().pending())
                    .map(migration -> migration.getVersion() + " (" + migration.getDescription() + ")")
                    .toList();
            if (pending.isEmpty()) {
                flyway.validate();
                return;
            }
            boolean empty = flyway.info().applied().length == 0;
            if (!empty) {
                log.info(
                        "Migrating the ledger {} to schema version {}; rows are kept as they are, a large ledger takes seconds",
                        file.path(),
                        String.join(", ", pending));
            }
            long start = System.nanoTime();
            flyway.migrate();
            log.info(
                    "{} the ledger {} with schema version {} in {} ms",
                    empty ? "Created" : "Migrated",
                    file.path(),
                    String.join(", ", pending),
                    TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - start));
        } catch (FlywayException e) {
            throw SqliteErrors.isDamage(e)
                    ? LedgerStartException.damaged(file.path(), String.valueOf(e.getMessage()), e)
                    : failed(file, e);
        }
    }

    private static void refuseNewer(LedgerFile file, MigrationInfo[] all) {
        for (MigrationInfo migration : all) {
            if (migration.getState() == MigrationState.FUTURE_SUCCESS
                    || migration.getState() == MigrationState.FUTURE_FAILED) {
                throw new LedgerStartException(
                        "The ledger " + file.path() + " has schema version " + migration.getVersion()
                                + ", which this release does not know: a newer release wrote it.",
                        "Start the newer release again. This one could accept events twice that the newer one has accepted.",
                        null);
            }
        }
    }

    private static Flyway flyway(DataSource dataSource, String target) {
        return Flyway.configure(LedgerMigrations.class.getClassLoader())
                .dataSource(dataSource)
                .locations(LOCATION)
                .target(target)
                // by default a schema newer than the binary is only warned about
                .ignoreMigrationPatterns(new String[0])
                .cleanDisabled(true)
                .load();
    }

    private static LedgerStartException failed(LedgerFile file, FlywayException cause) {
        return new LedgerStartException(
                "The schema of the ledger " + file.path() + " can't be brought to this release's version: "
                        + cause.getMessage(),
                "If the disk is full, make space and start again: nothing was changed. Otherwise the schema was changed by"
                        + " hand; restore the newest backup of the data directory.",
                cause);
    }
}
