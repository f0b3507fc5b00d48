package dev.porcupine.ingest;

import java.nio.charset.StandardCharsets;

/**
 * The times that clients write, as microseconds since the epoch. Forms: RFC 3339 and its relaxations (a space for the T, no zone, which
 * is UTC, a zone without minutes, only a date), RFC 2822, slashed dates, and epoch numbers.
 */
final class TimestampText {

    /** The text is no time. */
    static final long UNREADABLE = Long.MIN_VALUE;

    /** The text is a time before the year 0 or after the year 9999. */
    static final long OUT_OF_BOUNDS = Long.MIN_VALUE + 1;

    private static final int LENGTH_MAX = 64;
    private static final long MICROS = 1_000_000;

    /** Epoch numbers from here on are milliseconds: read as seconds they would be after the year 5138. */
    private static final double MILLIS_FROM = 1e11;

    private static final long YEAR_10000_SECONDS = 253_402_300_800L;
    private static final long YEAR_0_SECONDS = -62_167_219_200L;
    private static final String MONTHS = "janfebmaraprmayjunjulaugsepoctnovdec";

    private final byte[] text;
    private final int end;
    private int at;

    private TimestampText(byte[] text, int from, int to) {
        this.text = text;
        this.at = from;
        this.end = to;
    }

    /** Reads a string's content. */
    static long parse(byte[] text, int from, int to) {
        int first = from;
        int last = to;
        while (first < last && Slice.isSpace(text[first])) {
            first++;
        }
        while (first < last && Slice.isSpace(text[last - 1])) {
            last--;
        }
        if (first == last || last - first > LENGTH_MAX) {
            return UNREADABLE;
        }
        long epoch = epochDigits(text, first, last);
        if (epoch != UNREADABLE) {
            return epoch;
        }
        return new TimestampText(text, first, last).read();
    }

    /** Reads a JSON number: seconds or milliseconds since the epoch, by its size. */
    static long parseNumber(byte[] text, int from, int to) {
        if (to - from > LENGTH_MAX) {
            return OUT_OF_BOUNDS; // only ever a number of absurd size or precision
        }
        double value = Double.parseDouble(new String(text, from, to - from, StandardCharsets.US_ASCII));
        double seconds = Math.abs(value) < MILLIS_FROM ? value : value / 1000;
        if (!(seconds >= YEAR_0_SECONDS && seconds < YEAR_10000_SECONDS)) {
            return OUT_OF_BOUNDS;
        }
        long whole = (long) Math.floor(seconds);
        return whole * MICROS + Math.round((seconds - whole) * MICROS);
    }

    /** Ten digits are seconds and thirteen milliseconds; every other count is no epoch. */
    private static long epochDigits(byte[] text, int from, int to) {
        int length = to - from;
        if (length != 10 && length != 13) {
            return UNREADABLE;
        }
        long value = 0;
        for (int i = from; i < to; i++) {
            int digit = text[i] - '0';
            if (digit < 0 || digit > 9) {
                return UNREADABLE;
            }
            value = value * 10 + digit;
        }
        return length == 10 ? value * MICROS : value * 1000;
    }

    private long read() {
        int sign = 1;
        if (text[at] == '+' || text[at] == '-') {
            sign = text[at] == '-' ? -1 : 1;
            at++;
        }
        int digits = countDigits();
        if (digits == 0) {
            return sign == 1 && at < end && isLetter(text[at]) ? rfc2822() : UNREADABLE;
        }
        int separator = at + digits < end ? text[at + digits] : 0;
        if (digits >= 4 && digits <= 9 && separator == '-') {
            long year = sign * (long) number(digits);
            return isoDate(year);
        }
        if (digits == 4 && separator == '/') {
            int year = number(4);
            return take('/') ? slashedMonth(year) : UNREADABLE;
        }
        if (digits <= 2 && separator == '/') {
            return monthFirst(digits);
        }
        return digits <= 2 && separator == ' ' ? rfc2822() : UNREADABLE;
    }

    private long isoDate(long year) {
        at++;
        int month = exactly(2);
        if (month < 0 || !take('-')) {
            return UNREADABLE;
        }
        int day = exactly(2);
        return day < 0 ? UNREADABLE : timeOfDay(year, month, day, true);
    }

    private long slashedMonth(int year) {
        int month = upTo(2);
        if (month < 0 || !take('/')) {
            return UNREADABLE;
        }
        int day = upTo(2);
        return day < 0 ? UNREADABLE : timeOfDay(year, month, day, false);
    }

    private long monthFirst(int digits) {
        int month = number(digits);
        at++;
        int day = upTo(2);
        if (day < 0 || !take('/')) {
            return UNREADABLE;
        }
        int year = exactly(4);
        return year < 0 ? UNREADABLE : timeOfDay(year, month, day, false);
    }

    private long rfc2822() {
        if (isLetter(text[at])) {
            at += 3;
            if (!take(',')) {
                return UNREADABLE;
            }
            skipSpaces();
        }
        int day = upTo(2);
        skipSpaces();
        int month = monthName();
        skipSpaces();
        int year = exactly(4);
        if (day < 0 || month < 0 || year < 0 || at == end) {
            return UNREADABLE;
        }
        return timeOfDay(year, month, day, false);
    }

    /** Reads an optional time of day with an optional zone, to the end of the text. */
    private long timeOfDay(long year, int month, int day, boolean iso) {
        if (month < 1 || month > 12 || day < 1 || day > daysOf(year, month)) {
            return UNREADABLE;
        }
        long seconds = 0;
        long micros = 0;
        if (at < end) {
            boolean separated = text[at] == ' ' || (iso && (text[at] | 0x20) == 't');
            at++;
            skipSpaces();
            int hour = separated ? exactly(2) : -1;
            int minute = take(':') ? exactly(2) : -1;
            int second = take(':') ? exactly(2) : 0;
            if (hour < 0 || hour > 23 || minute < 0 || minute > 59 || second < 0 || second > 60) {
                return UNREADABLE;
            }
            micros = take('.') || take(',') ? fraction() : 0;
            long offset = zoneSeconds();
            if (micros < 0 || offset == UNREADABLE || at != end) {
                return UNREADABLE;
            }
            seconds = hour * 3600L + minute * 60L + second - offset;
        }
        if (year < 0 || year > 9999) {
            return OUT_OF_BOUNDS;
        }
        return (epochDay(year, month, day) * 86_400 + seconds) * MICROS + micros;
    }

    /** Digits past the sixth are below what is stored. */
    private long fraction() {
        int digits = countDigits();
        if (digits == 0) {
            return -1;
        }
        long micros = 0;
        for (int i = 0; i < 6; i++) {
            micros = micros * 10 + (i < digits ? text[at + i] - '0' : 0);
        }
        at += digits;
        return micros;
    }

    private long zoneSeconds() {
        skipSpaces();
        if (at == end) {
            return 0;
        }
        if (end - at == 1 && (text[at] | 0x20) == 'z') {
            at++;
            return 0;
        }
        if ((end - at == 3 && (word("utc") || word("gmt"))) || (end - at == 2 && word("ut"))) {
            at = end;
            return 0;
        }
        int sign = text[at] == '+' ? 1 : text[at] == '-' ? -1 : 0;
        at++;
        int digits = countDigits();
        int hours = sign != 0 && (digits == 2 || digits == 4) ? number(2) : -1;
        if (hours < 0 || hours > 23) {
            return UNREADABLE;
        }
        int minutes = 0;
        if (at < end) {
            take(':');
            minutes = exactly(2);
        }
        return minutes < 0 || minutes > 59 ? UNREADABLE : sign * (hours * 3600L + minutes * 60L);
    }

    private int monthName() {
        if (end - at < 3) {
            return -1;
        }
        for (int month = 0; month < 12; month++) {
            if (word(MONTHS.substring(3 * month, 3 * month + 3))) {
                at += 3;
                return month + 1;
            }
        }
        return -1;
    }

    private boolean word(String lowerCase) {
        for (int i = 0; i < lowerCase.length(); i++) {
            if ((text[at + i] | 0x20) != lowerCase.charAt(i)) {
                return false;
            }
        }
        return true;
    }

    private int countDigits() {
        int i = at;
        while (i < end && text[i] >= '0' && text[i] <= '9') {
            i++;
        }
        return i - at;
    }

    private int exactly(int digits) {
        return countDigits() == digits ? number(digits) : -1;
    }

    private int upTo(int digitsMax) {
        int digits = countDigits();
        return digits >= 1 && digits <= digitsMax ? number(digits) : -1;
    }

    private int number(int digits) {
        int value = 0;
        for (int i = 0; i < digits; i++) {
            value = value * 10 + (text[at + i] - '0');
        }
        at += digits;
        return value;
    }

    private boolean take(char wanted) {
        if (at < end && text[at] == wanted) {
            at++;
            return true;
        }
        return false;
    }

    private void skipSpaces() {
        while (at < end && text[at] == ' ') {
            at++;
        }
    }

    private static boolean isLetter(byte b) {
        int letter = b | 0x20;
        return letter >= 'a' && letter <= 'z';
    }

    private static int daysOf(long year, int month) {
        return switch (month) {
            case 2 -> year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) ? 29 : 28;
            case 4, 6, 9, 11 -> 30;
            default -> 31;
        };
    }

    /** Days from 1970-01-01 in the proleptic Gregorian calendar, for years from 0 on. */
    private static long epochDay(long year, int month, int day) {
        long shifted = month <= 2 ? year - 1 : year;
        long era = Math.floorDiv(shifted, 400);
        long yearOfEra = shifted - era * 400;
        long dayOfYear = (153L * (month + (month > 2 ? -3 : 9)) + 2) / 5 + day - 1;
        return era * 146_097 + yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear - 719_468;
    }
}
