package dev.porcupine.app;

import dev.porcupine.ingest.CaptureLimits;
import org.springframework.boot.jackson.autoconfigure.JsonMapperBuilderCustomizer;
import org.springframework.boot.tomcat.servlet.TomcatServletWebServerFactory;
import org.springframework.boot.web.server.WebServerFactoryCustomizer;
import org.springframework.boot.web.servlet.FilterRegistrationBean;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import tools.jackson.databind.cfg.CoercionAction;
import tools.jackson.databind.cfg.CoercionInputShape;
import tools.jackson.databind.type.LogicalType;

/** What all HTTP shares: the admin token's gate and the shape of refusals. */
@Configuration(proxyBeanMethods = false)
class WebConfiguration {

    @Bean
    CaptureLimits captureLimits(PorcupineProperties properties) {
        return properties.capture().limits(Runtime.getRuntime().maxMemory());
    }

    @Bean
    FilterRegistrationBean<AdminTokenFilter> adminTokenFilter(AdminToken token) {
        FilterRegistrationBean<AdminTokenFilter> registration =
                new FilterRegistrationBean<>(new AdminTokenFilter(token));
        registration.addUrlPatterns(AdminTokenFilter.URL_PATTERN);
        return registration;
    }

    /** The container's last resort, for what never reaches a servlet. */
    @Bean
    WebServerFactoryCustomizer<TomcatServletWebServerFactory> problemsInsteadOfPages() {
        return tomcat -> tomcat.addContextCustomizers(
                context -> context.getParent().getPipeline().addValve(new ProblemReportValve()));
    }

    /** A number where a text belongs is a mistake of the caller, not a text. */
    @Bean
    JsonMapperBuilderCustomizer textsAreTexts() {
        return json -> json.withCoercionConfig(
                LogicalType.Textual,
                texts -> texts.setCoercion(CoercionInputShape.Integer, CoercionAction.Fail)
                        .setCoercion(CoercionInputShape.Float, CoercionAction.Fail)
                        .setCoercion(CoercionInputShape.Boolean, CoercionAction.Fail));
    }
}
