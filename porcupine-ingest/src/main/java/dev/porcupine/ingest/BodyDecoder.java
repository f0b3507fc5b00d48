package dev.porcupine.ingest;

import dev.porcupine.schema.Problem;
import dev.porcupine.schema.ProblemException;
import org.jspecify.annotations.Nullable;

/**
 * From the bytes of a request to JSON text, in the order in which PostHog's server undoes encodings, because clients rely on it: most
 * say nothing about what they send. All layers together stay within one {@link LayerBudget}.
 */
final class BodyDecoder {

    private BodyDecoder() {}

    /**
     * @param body as received; changed in place where a form is repaired
     * @return strict UTF-8, not empty; not yet known to be JSON
     */
    static Slice decode(
            Slice body,
            CaptureQuery query,
            @Nullable String contentType,
            @Nullable String contentEncoding,
            LayerBudget budget) {
        Compression hint = query.compression();
        Slice text;
        if (query.data() != null) {
            text = formValue(query.data(), budget);
        } else if (isForm(body, contentType)) {
            Slice data = FormFields.find(body, "data");
            if (data == null) {
                throw new ProblemException(Problem.BODY_UNREADABLE, "the form has no field \"data\"");
            }
            if (hint == Compression.NONE) {
                hint = Compression.ofName(FormFields.text(body, "compression"));
            }
            text = formValue(data, budget);
        } else {
            text = body;
        }
        if (hint == Compression.NONE) {
            hint = Compression.ofName(contentEncoding);
        }
        text = undo(text, hint, budget);
        if (text.isEmpty()) {
            throw new ProblemException(Problem.BATCH_EMPTY, "the request has no body");
        }
        if (!Utf8.isValid(text)) {
            throw new ProblemException(
                    Problem.BODY_UNREADABLE, "the body is not UTF-8, or begins with a byte order mark");
        }
        return text;
    }

    /** curl calls every body a form unless told otherwise, so a body that begins as JSON is JSON. */
    private static boolean isForm(Slice body, @Nullable String contentType) {
        if (body.looksLikeJson() || Gunzip.hasMagic(body)) {
            return false;
        }
        return FormFields.looksLikeForm(body)
                || (FormFields.isForm(contentType) && !body.isEmpty() && !Base64Text.looksLike(body.trimmed()));
    }

    private static Slice formValue(Slice field, LayerBudget budget) {
        Slice text = FormFields.decoded(field, budget);
        if (!text.looksLikeJson() && indexOf(text, (byte) '%') >= 0) {
            text = FormFields.decoded(
                    text, budget); // encoded twice: neither JSON's first byte nor Base64 has a percent sign
        }
        Base64Text.restorePlus(text);
        return text;
    }

    private static Slice undo(Slice body, Compression hint, LayerBudget budget) {
        Slice text = Gunzip.hasMagic(body) ? body : body.trimmed();
        boolean base64 = Base64Text.looksLike(text);
        if (base64) {
            text = Base64Text.decode(text, hint == Compression.LZ_STRING, budget);
        }
        if (Gunzip.hasMagic(text)) {
            text = Gunzip.inflate(text, budget);
        } else if (hint == Compression.LZ_STRING && base64 && !text.looksLikeJson()) {
            text = LzString.decompress(text, budget);
        } else if (hint == Compression.GZIP || hint == Compression.LZ_STRING) {
            requireJson(text);
        }
        return Base64Text.looksLike(text) ? Base64Text.decode(text, false, budget) : text;
    }

    /** Proxies decompress and leave the header as it was, so a hint that is wrong is borne with where JSON stands there plainly. */
    private static void requireJson(Slice text) {
        if (!text.isEmpty() && !text.looksLikeJson() && !Base64Text.looksLike(text)) {
            throw new ProblemException(
                    Problem.BODY_UNREADABLE, "the body is neither compressed, as the request says, nor JSON");
        }
    }

    private static int indexOf(Slice text, byte wanted) {
        for (int i = text.from(); i < text.to(); i++) {
            if (text.bytes()[i] == wanted) {
                return i;
            }
        }
        return -1;
    }
}
