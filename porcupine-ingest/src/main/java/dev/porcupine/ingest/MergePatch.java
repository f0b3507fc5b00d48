package dev.porcupine.ingest;

import dev.porcupine.schema.Problem;
import dev.porcupine.schema.ProblemException;
import java.io.ByteArrayOutputStream;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Merges one JSON object into another (RFC 7396) without reading more of either than names: what the patch does not touch keeps its text, its
 * order and even its repetitions. A touched member stays where it stood last; new ones follow in the patch's order.
 *
 * <p>Recursion ends at the nesting limit that both texts were read with.
 */
final class MergePatch {

    private static final byte[] EMPTY = {'{', '}'};

    private final int nestingMax;

    MergePatch(int nestingMax) {
        this.nestingMax = nestingMax;
    }

    /**
     * @param whole from the name's first quote to the value's end
     * @param valueFrom where the value begins
     */
    private record Member(String name, Slice whole, int valueFrom, byte kind) {

        Slice value() {
            return new Slice(whole.bytes(), valueFrom, whole.to());
        }

        void writeName(ByteArrayOutputStream out) {
            out.write(whole.bytes(), whole.from(), valueFrom - whole.from());
        }
    }

    /**
     * @param target a JSON object, as stored
     * @param patch a JSON object that {@link JsonScanner} has passed
     * @throws ProblemException when an object of the patch names a member twice: which one is meant?
     */
    byte[] merge(byte[] target, Slice patch) {
        ByteArrayOutputStream out = new ByteArrayOutputStream(target.length + patch.length());
        merge(Slice.of(target), patch, out);
        return out.toByteArray();
    }

    private void merge(Slice target, Slice patch, ByteArrayOutputStream out) {
        Map<String, Member> changes = changes(patch);
        List<Member> members = members(target);
        Map<String, Integer> last = new HashMap<>();
        for (int i = 0; i < members.size(); i++) {
            last.put(members.get(i).name(), i);
        }
        Separator separator = new Separator(out);
        for (int i = 0; i < members.size(); i++) {
            Member member = members.get(i);
            Member change = changes.get(member.name());
            if (change == null) {
                separator.next();
                write(member.whole(), out);
            } else if (last.getOrDefault(member.name(), i) == i && change.kind() != JsonScanner.NULL) {
                separator.next();
                member.writeName(out);
                value(member, change, out);
            }
        }
        for (Member change : changes.values()) {
            if (!last.containsKey(change.name()) && change.kind() != JsonScanner.NULL) {
                separator.next();
                change.writeName(out);
                fresh(change, out);
            }
        }
        separator.end();
    }

    private void value(Member member, Member change, ByteArrayOutputStream out) {
        if (change.kind() == JsonScanner.OBJECT && member.kind() == JsonScanner.OBJECT) {
            merge(member.value(), change.value(), out);
        } else {
            fresh(change, out);
        }
    }

    /** A value where none stood, or no object: an object's nulls remove what isn't there. */
    private void fresh(Member change, ByteArrayOutputStream out) {
        if (change.kind() == JsonScanner.OBJECT) {
            merge(Slice.of(EMPTY), change.value(), out);
        } else {
            write(change.value(), out);
        }
    }

    private static void write(Slice text, ByteArrayOutputStream out) {
        out.write(text.bytes(), text.from(), text.length());
    }

    private Map<String, Member> changes(Slice patch) {
        Map<String, Member> changes = new LinkedHashMap<>();
        for (Member member : members(patch)) {
            if (changes.put(member.name(), member) != null) {
                throw new ProblemException(
                        Problem.PARAMETER_INVALID,
                        "the patch names " + Rejection.cut(member.name()) + " twice in one object");
            }
        }
        return changes;
    }

    private List<Member> members(Slice object) {
        List<Member> members = new ArrayList<>();
        JsonScanner json = new JsonScanner(object, nestingMax);
        json.peek();
        json.enter();
        boolean first = true;
        while (json.nextName(first)) {
            first = false;
            int from = json.from();
            String name = JsonText.decode(json.text(), json.from(), json.to(), json.escaped());
            byte kind = json.value(0);
            members.add(new Member(name, new Slice(json.text(), from, json.to()), json.from(), kind));
        }
        return members;
    }

    /** Braces and commas of one object. */
    private static final class Separator {

        private final ByteArrayOutputStream out;
        private boolean any;

        Separator(ByteArrayOutputStream out) {
            this.out = out;
            out.write('{');
        }

        void next() {
            if (any) {
                out.write(',');
            }
            any = true;
        }

        void end() {
            out.write('}');
        }
    }
}
