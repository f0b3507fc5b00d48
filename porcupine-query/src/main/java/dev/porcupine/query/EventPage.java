package dev.porcupine.query;

import dev.porcupine.history.EventQuery.Position;
import dev.porcupine.schema.Event;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * @param next where the next page starts, or null when this one reached the end
 */
record EventPage(List<Event> events, @Nullable Position next) {}
