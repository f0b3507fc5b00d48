/** What tests need around Porcupine: a real ClickHouse, a proxy that breaks connections on cue, clocks moved by hand. */
@NullMarked
package dev.porcupine.testkit;

import org.jspecify.annotations.NullMarked;
