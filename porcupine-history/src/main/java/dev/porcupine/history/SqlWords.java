package dev.porcupine.history;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/**
 * Cuts a statement that ClickHouse has formatted into words, so that a rule never takes the inside of a name or a text for a keyword.
 * Quoted pieces come whole, with their quotes.
 */
final class SqlWords {

    private SqlWords() {}

    static List<String> of(String sql) {
        List<String> words = new ArrayList<>();
        int at = 0;
        while (at < sql.length()) {
            char c = sql.charAt(at);
            int end = at + 1;
            if (c == '\'' || c == '`' || c == '"') {
                end = quoteEnd(sql, at);
            } else if (wordy(c)) {
                while (end < sql.length() && wordy(sql.charAt(end))) {
                    end++;
                }
            }
            if (!Character.isWhitespace(c)) {
                words.add(sql.substring(at, end));
            }
            at = end;
        }
        return words;
    }

    /** How often the bare word occurs, in any case of letters. */
    static long count(String sql, String word) {
        return of(sql).stream()
                .filter(each -> each.toUpperCase(Locale.ROOT).equals(word))
                .count();
    }

    private static boolean wordy(char c) {
        return Character.isLetterOrDigit(c) || c == '_' || c == '.' || c == '-';
    }

    private static int quoteEnd(String sql, int start) {
        char quote = sql.charAt(start);
        int at = start + 1;
        while (at < sql.length()) {
            if (sql.charAt(at) == '\\') {
                at += 2;
            } else if (sql.charAt(at) == quote) {
                // A doubled quote goes on as a second quoted piece, which changes nothing for what is searched.
                return at + 1;
            } else {
                at++;
            }
        }
        return sql.length();
    }
}
