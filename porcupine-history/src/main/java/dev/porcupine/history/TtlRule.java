package dev.porcupine.history;

import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * The only TTL is the deployment's own, which moves parts to its cold volume (P43). Compared with what the server makes of that TTL;
 * only the time may differ. Whatever else is called a TTL is refused, also one that deletes nothing.
 */
final class TtlRule implements SourceRule {

    private static final Pattern SECONDS = Pattern.compile("toIntervalSecond\\(\\d+\\)");

    private final String name;

    TtlRule(String name) {
        this.name = name;
    }

    @Override
    public List<Finding> findings(SourceFacts facts) {
        List<Finding> findings = new ArrayList<>();
        TableFacts table = facts.table();
        String rest = table.afterKeys();
        if (rest != null && rest.startsWith(" TTL ") && !own(rest, facts.ownTtl())) {
            findings.add(FindingCode.SOURCE_UNRECOGNISED_TTL.finding("wanted "
                    + (facts.ownTtl() == null ? "no TTL" : "the TTL " + facts.ownTtl() + " and no other") + " on "
                    + name
                    + ", found" + rest + ". Run: ALTER TABLE " + name
                    + (facts.ownTtl() == null
                            ? " REMOVE TTL, or configure the cold storage that it is for"
                            : " MODIFY TTL " + facts.ownTtl())));
        }
        if (SqlWords.count(table.createQuery(), "TTL") > SqlWords.count(table.engineFull(), "TTL")) {
            findings.add(FindingCode.SOURCE_COLUMN_TTL.finding("wanted no column of " + name
                    + " to have a TTL, found one or more; remove each by ALTER TABLE " + name
                    + " MODIFY COLUMN <column> REMOVE TTL"));
        }
        return findings;
    }

    private static boolean own(String rest, @Nullable String ownTtl) {
        if (ownTtl == null) {
            return false;
        }
        Matcher seconds = SECONDS.matcher(ownTtl);
        if (!seconds.find()) {
            return false;
        }
        String pattern = " TTL " + Pattern.quote(ownTtl.substring(0, seconds.start())) + SECONDS.pattern()
                + Pattern.quote(ownTtl.substring(seconds.end())) + "( SETTINGS .*)?";
        return rest.matches("(?s)" + pattern);
    }
}
