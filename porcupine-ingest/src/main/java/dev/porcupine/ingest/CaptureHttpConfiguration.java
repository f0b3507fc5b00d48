package dev.porcupine.ingest;

import dev.porcupine.schema.Problem;
import io.micrometer.core.instrument.MeterRegistry;
import jakarta.servlet.DispatcherType;
import jakarta.servlet.http.HttpServletResponse;
import java.time.InstantSource;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.springframework.boot.availability.ApplicationAvailability;
import org.springframework.boot.availability.ReadinessState;
import org.springframework.boot.web.servlet.FilterRegistrationBean;
import org.springframework.boot.web.servlet.ServletRegistrationBean;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.Ordered;

/** What is open to SDKs: capture, the endpoints that SDKs call beside it, health. */
@Configuration(proxyBeanMethods = false)
class CaptureHttpConfiguration {

    /** Outside everything else, so that also what others refuse carries the headers. */
    private static final int CORS_ORDER = Ordered.HIGHEST_PRECEDENCE + 10;

    private static final Set<String> READ = Set.of("GET", "HEAD");
    private static final Set<String> ANY =
            Set.of("GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "TRACE", "CONNECT", "PROPFIND");

    @Bean
    BodyBudget captureBodyBudget(CaptureLimits limits) {
        return new BodyBudget(limits.inFlightBytesMax());
    }

    @Bean
    CaptureRecord captureRecord(MeterRegistry registry, BodyBudget budget) {
        return new CaptureRecord(new CaptureMetrics(registry, budget));
    }

    @Bean
    Capture capture(
            TokenLookup tokens, EventDoor door, CaptureLimits limits, InstantSource clock, CaptureRecord record) {
        return new Capture(tokens, door, limits, clock, record);
    }

    @Bean
    FilterRegistrationBean<CaptureCorsFilter> captureCorsFilter() {
        FilterRegistrationBean<CaptureCorsFilter> registration = new FilterRegistrationBean<>(new CaptureCorsFilter());
        registration.setOrder(CORS_ORDER);
        // Not on the way to an error page, where the path is another: the headers are there by then.
        registration.setDispatcherTypes(EnumSet.of(DispatcherType.REQUEST, DispatcherType.INCLUDE));
        registration.setAsyncSupported(true);
        return registration;
    }

    @Bean
    ServletRegistrationBean<PublicServlet> captureServlet(
            Capture capture, CaptureRecord record, BodyBudget budget, CaptureLimits limits) {
        CaptureEndpoint endpoint = new CaptureEndpoint(capture, record.metrics(), limits, false);
        return servlet(
                "capture",
                new PublicServlet(endpoint, budget, limits),
                "/batch",
                "/e",
                "/i/v0/e",
                "/i/v0/ai/batch",
                "/capture",
                "/track");
    }

    @Bean
    ServletRegistrationBean<PublicServlet> engageServlet(
            Capture capture, CaptureRecord record, BodyBudget budget, CaptureLimits limits) {
        CaptureEndpoint endpoint = new CaptureEndpoint(capture, record.metrics(), limits, true);
        return servlet("engage", new PublicServlet(endpoint, budget, limits), "/engage");
    }

    @Bean
    ServletRegistrationBean<PublicServlet> remoteConfigServlet(
            TokenLookup tokens, BodyBudget budget, CaptureLimits limits) {
        return prefixServlet("remoteConfig", feature(tokens, budget, limits, FeatureEndpoint.CONFIG), "/array/*");
    }

    @Bean
    ServletRegistrationBean<PublicServlet> flagsServlet(TokenLookup tokens, BodyBudget budget, CaptureLimits limits) {
        return servlet("flags", feature(tokens, budget, limits, FeatureEndpoint.FLAGS), "/flags", "/decide");
    }

    @Bean
    ServletRegistrationBean<PublicServlet> surveysServlet(TokenLookup tokens, BodyBudget budget, CaptureLimits limits) {
        return servlet("surveys", feature(tokens, budget, limits, FeatureEndpoint.SURVEYS), "/api/surveys");
    }

    @Bean
    ServletRegistrationBean<PublicServlet> webExperimentsServlet(
            TokenLookup tokens, BodyBudget budget, CaptureLimits limits) {
        return servlet(
                "webExperiments",
                feature(tokens, budget, limits, FeatureEndpoint.WEB_EXPERIMENTS),
                "/api/web_experiments");
    }

    @Bean
    ServletRegistrationBean<PublicServlet> productToursServlet(
            TokenLookup tokens, BodyBudget budget, CaptureLimits limits) {
        return servlet(
                "productTours", feature(tokens, budget, limits, FeatureEndpoint.PRODUCT_TOURS), "/api/product_tours");
    }

    @Bean
    ServletRegistrationBean<PublicServlet> earlyAccessServlet(
            TokenLookup tokens, BodyBudget budget, CaptureLimits limits) {
        return servlet(
                "earlyAccessFeatures",
                feature(tokens, budget, limits, FeatureEndpoint.EARLY_ACCESS_FEATURES),
                "/api/early_access_features");
    }

    /** What SDKs may call and Porcupine does not have: session replay, other protocols, scripts. */
    @Bean
    ServletRegistrationBean<PublicServlet> absentServlet(BodyBudget budget, CaptureLimits limits) {
        HttpAnswer absent = HttpAnswer.problem(Problem.NOT_FOUND, "Porcupine does not offer this");
        return prefixServlet(
                "absent",
                new PublicServlet(new FixedEndpoint(ANY, () -> absent), budget, limits),
                "/s/*",
                "/i/*",
                "/static/*");
    }

    @Bean
    ServletRegistrationBean<PublicServlet> rootServlet(BodyBudget budget, CaptureLimits limits) {
        return prefixServlet(
                "root", fixed(() -> HttpAnswer.text(HttpServletResponse.SC_OK, "porcupine\n"), budget, limits), "");
    }

    @Bean
    ServletRegistrationBean<PublicServlet> livenessServlet(BodyBudget budget, CaptureLimits limits) {
        return servlet(
                "captureLiveness",
                fixed(() -> HttpAnswer.text(HttpServletResponse.SC_OK, "ok\n"), budget, limits),
                "/_liveness");
    }

    @Bean
    ServletRegistrationBean<PublicServlet> readinessServlet(
            ApplicationAvailability availability, BodyBudget budget, CaptureLimits limits) {
        Supplier<HttpAnswer> answer = () -> availability.getReadinessState() == ReadinessState.ACCEPTING_TRAFFIC
                ? HttpAnswer.text(HttpServletResponse.SC_OK, "ok\n")
                : HttpAnswer.text(HttpServletResponse.SC_SERVICE_UNAVAILABLE, "not accepting traffic\n");
        return servlet("captureReadiness", fixed(answer, budget, limits), "/_readiness");
    }

    private static PublicServlet feature(TokenLookup tokens, BodyBudget budget, CaptureLimits limits, String answer) {
        return new PublicServlet(new FeatureEndpoint(tokens, limits, answer), budget, limits);
    }

    private static PublicServlet fixed(Supplier<HttpAnswer> answer, BodyBudget budget, CaptureLimits limits) {
        return new PublicServlet(new FixedEndpoint(READ, answer), budget, limits);
    }

    /** With and without a slash at the end of each path: SDKs differ. */
    private static ServletRegistrationBean<PublicServlet> servlet(String name, PublicServlet servlet, String... paths) {
        List<String> both =
                Stream.of(paths).flatMap(path -> Stream.of(path, path + "/")).toList();
        return prefixServlet(name, servlet, both.toArray(String[]::new));
    }

    private static ServletRegistrationBean<PublicServlet> prefixServlet(
            String name, PublicServlet servlet, String... patterns) {
        ServletRegistrationBean<PublicServlet> registration = new ServletRegistrationBean<>(servlet, patterns);
        registration.setName(name);
        registration.setAsyncSupported(true);
        registration.setLoadOnStartup(1);
        return registration;
    }
}
