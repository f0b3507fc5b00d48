package dev.porcupine.app;

import dev.porcupine.schema.Problem;
import jakarta.servlet.FilterChain;
import jakarta.servlet.ServletException;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import org.jspecify.annotations.Nullable;
import org.springframework.http.HttpHeaders;
import org.springframework.web.filter.OncePerRequestFilter;

/** Lets a request to the admin API through only with the admin token. */
final class AdminTokenFilter extends OncePerRequestFilter {

    /** Mapped by the container, whose view of the path is decoded and normalised: no other spelling leads around it. */
    static final String URL_PATTERN = "/api/v1/*";

    private static final String SCHEME = "Bearer ";

    private final AdminToken token;

    AdminTokenFilter(AdminToken token) {
        this.token = token;
    }

    @Override
    protected void doFilterInternal(HttpServletRequest request, HttpServletResponse response, FilterChain chain)
            throws ServletException, IOException {
        if (token.matches(bearer(request.getHeader(HttpHeaders.AUTHORIZATION)))) {
            chain.doFilter(request, response);
            return;
        }
        response.setHeader(HttpHeaders.WWW_AUTHENTICATE, "Bearer");
        ProblemAnswer.write(
                response,
                Problem.ADMIN_TOKEN_INVALID,
                "Send 'Authorization: Bearer <admin token>'; the service logs at its start where the token is.");
    }

    /** Empty, which no token is, unless the header has the right scheme. */
    private static String bearer(@Nullable String header) {
        if (header == null || !header.regionMatches(true, 0, SCHEME, 0, SCHEME.length())) {
            return "";
        }
        return header.substring(SCHEME.length()).strip();
    }
}
