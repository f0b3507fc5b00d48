/** The authoritative history: complete answers, or none. */
@NullMarked
package dev.porcupine.history;

import org.jspecify.annotations.NullMarked;
