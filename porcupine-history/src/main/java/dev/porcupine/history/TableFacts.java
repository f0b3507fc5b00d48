package dev.porcupine.history;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * What {@code system.tables} says about the events table, in the server's own normal form.
 *
 * @param engineFull engine, keys, TTL and settings
 * @param createQuery all of it, columns included
 */
record TableFacts(
        String uuid, String engine, String engineFull, String createQuery, String sortingKey, String partitionKey) {

    /** Without the keys and settings that follow. */
    String engineShort() {
        int end = engineFull.indexOf(' ');
        return end < 0 ? engineFull : engineFull.substring(0, end);
    }

    /**
     * What follows the keys that Porcupine's own table has, so that each piece of the definition is either known or refused; null where
     * the definition doesn't even begin as it should.
     */
    @Nullable String afterKeys() {
        String head = "ReplacingMergeTree(revision)" + (partitionKey.isEmpty() ? "" : " PARTITION BY " + partitionKey);
        for (String keys : List.of(
                " ORDER BY (project_id, uuid)", " PRIMARY KEY (project_id, uuid) ORDER BY (project_id, uuid)")) {
            if (engineFull.startsWith(head + keys)) {
                return engineFull.substring(head.length() + keys.length());
            }
        }
        return null;
    }

    /** The table's own settings, texts without their quotes. */
    Map<String, String> settings() {
        List<String> words = SqlWords.of(engineFull);
        Map<String, String> settings = new HashMap<>();
        for (int at = words.lastIndexOf("SETTINGS") + 1; at > 0 && at + 2 < words.size(); at += 4) {
            if (!words.get(at + 1).equals("=")) {
                break;
            }
            settings.put(words.get(at), unquoted(words.get(at + 2)));
        }
        return settings;
    }

    private static String unquoted(String word) {
        return word.startsWith("'") ? word.substring(1, word.length() - 1) : word;
    }
}
