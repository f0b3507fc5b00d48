/** One Boot process: configuration, wiring, schedules, Actuator. Only this module knows all the others. */
@NullMarked
package dev.porcupine.app;

import org.jspecify.annotations.NullMarked;
