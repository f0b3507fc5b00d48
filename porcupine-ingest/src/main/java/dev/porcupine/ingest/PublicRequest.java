package dev.porcupine.ingest;

import jakarta.servlet.http.HttpServletRequest;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** A request to a public endpoint, its body read whole. */
final class PublicRequest {

    private final String method;
    private final String path;
    private final @Nullable String query;
    private final @Nullable String contentType;
    private final @Nullable String contentEncoding;
    private final Supplier<Slice> body;

    PublicRequest(
            String method,
            String path,
            @Nullable String query,
            @Nullable String contentType,
            @Nullable String contentEncoding,
            Supplier<Slice> body) {
        this.method = method;
        this.path = path;
        this.query = query;
        this.contentType = contentType;
        this.contentEncoding = contentEncoding;
        this.body = body;
    }

    static PublicRequest of(HttpServletRequest request, Supplier<Slice> body) {
        String pathInfo = request.getPathInfo();
        return new PublicRequest(
                request.getMethod(),
                request.getServletPath() + (pathInfo == null ? "" : pathInfo),
                request.getQueryString(),
                request.getContentType(),
                request.getHeader("Content-Encoding"),
                body);
    }

    String method() {
        return method;
    }

    String path() {
        return path;
    }

    @Nullable String query() {
        return query;
    }

    @Nullable String contentType() {
        return contentType;
    }

    @Nullable String contentEncoding() {
        return contentEncoding;
    }

    /** The body, once: it must not stay in memory beside what was made of it. */
    Slice takeBody() {
        return body.get();
    }
}
