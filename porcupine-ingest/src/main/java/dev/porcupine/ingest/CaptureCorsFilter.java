package dev.porcupine.ingest;

import jakarta.servlet.DispatcherType;
import jakarta.servlet.FilterChain;
import jakarta.servlet.ServletException;
import jakarta.servlet.http.HttpFilter;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;

/**
 * Lets browsers of any site send events and read the answers. The headers are on every answer, errors and 404s included: without them
 * a browser shows its page no status at all, and posthog-js resends what was refused for good.
 *
 * <p>The admin interface and the Actuator are left out: no web page has business there.
 */
final class CaptureCorsFilter extends HttpFilter {

    private static final long serialVersionUID = 1;
    private static final int MIRRORED_CHARS_MAX = 1000;
    private static final String PREFLIGHT_SECONDS = "86400";

    @Override
    protected void doFilter(HttpServletRequest request, HttpServletResponse response, FilterChain chain)
            throws IOException, ServletException {
        if (request.getDispatcherType() == DispatcherType.INCLUDE) {
            return; // Tomcat appends an error page where a body broke off, although the answer is sent and closed
        }
        if (isPrivate(request)) {
            chain.doFilter(request, response);
            return;
        }
        String origin = request.getHeader("Origin");
        response.setHeader("Vary", "Origin");
        if (origin != null && origin.length() <= MIRRORED_CHARS_MAX) {
            response.setHeader("Access-Control-Allow-Origin", origin);
            response.setHeader("Access-Control-Allow-Credentials", "true");
            response.setHeader("Access-Control-Expose-Headers", "Retry-After");
        }
        if (request.getMethod().equals("OPTIONS")) {
            preflight(request, response);
        } else {
            chain.doFilter(request, response);
        }
    }

    private static void preflight(HttpServletRequest request, HttpServletResponse response) throws IOException {
        response.setHeader("Vary", "Origin, Access-Control-Request-Headers");
        if (request.getHeader("Origin") != null) {
            String headers = request.getHeader("Access-Control-Request-Headers");
            if (headers != null && headers.length() <= MIRRORED_CHARS_MAX) {
                response.setHeader("Access-Control-Allow-Headers", headers);
            }
            response.setHeader("Access-Control-Allow-Methods", "GET, POST, OPTIONS");
            response.setHeader("Access-Control-Max-Age", PREFLIGHT_SECONDS);
        }
        HttpAnswer.json("{\"status\":\"Ok\"}").write(response, false);
    }

    private static boolean isPrivate(HttpServletRequest request) {
        String pathInfo = request.getPathInfo();
        String path = request.getServletPath() + (pathInfo == null ? "" : pathInfo);
        return isBelow(path, "/api/v1") || isBelow(path, "/actuator");
    }

    private static boolean isBelow(String path, String root) {
        return path.startsWith(root) && (path.length() == root.length() || path.charAt(root.length()) == '/');
    }
}
