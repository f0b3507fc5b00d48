/** Vocabulary that every module shares: identities, events and problems. No I/O, no framework. */
@NullMarked
package dev.porcupine.schema;

import org.jspecify.annotations.NullMarked;
