package dev.porcupine.ingest;

import dev.porcupine.schema.EventUuid;
import org.jspecify.annotations.Nullable;

/**
 * A valid event as read, before its project and the time of its request are known: both may stand behind it in the body.
 *
 * @param uuid null when the client sent none
 */
record EventDraft(
        String name, String distinctId, @Nullable EventUuid uuid, ClientTime time, PropertiesDraft properties) {}
