package dev.porcupine.history;

import java.util.List;
import java.util.function.LongPredicate;

/**
 * Tells the deletions that Porcupine itself asks for from all others: a whole project, by its number, and a project that the ledger was told
 * to remove. The same statement for a project that lives, or anything more or less than it, is somebody else's.
 */
final class OwnRemovals {

    /** Of a ledger that removes nothing. */
    static final OwnRemovals NONE = new OwnRemovals(number -> false);

    private static final int DIGITS_MAX = 18;

    private final LongPredicate removed;

    /**
     * @param removed whether the ledger removes the project of this number, or has; asked again and again
     */
    OwnRemovals(LongPredicate removed) {
        this.removed = removed;
    }

    /**
     * @param command a mutation as {@code system.mutations} gives it, in the server's normal form
     */
    boolean own(String command) {
        List<String> words = words(command);
        return words.size() == 5
                && words.subList(0, 4).equals(List.of("DELETE", "WHERE", "project_id", "="))
                && number(words.getLast())
                && removed.test(Long.parseLong(words.getLast()));
    }

    /** Whether the command is the deletion of just this project. */
    static boolean removes(String command, long project) {
        return new OwnRemovals(number -> number == project).own(command);
    }

    /** The server puts commands, and sometimes conditions, into brackets. */
    private static List<String> words(String command) {
        return SqlWords.of(command).stream()
                .filter(word -> !word.equals("(") && !word.equals(")"))
                .toList();
    }

    private static boolean number(String word) {
        return word.length() <= DIGITS_MAX && word.chars().allMatch(c -> c >= '0' && c <= '9');
    }
}
