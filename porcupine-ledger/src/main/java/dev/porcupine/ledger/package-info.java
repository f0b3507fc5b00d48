/** The SQLite ledger: the only place where acceptance is decided. */
@NullMarked
package dev.porcupine.ledger;

import org.jspecify.annotations.NullMarked;
