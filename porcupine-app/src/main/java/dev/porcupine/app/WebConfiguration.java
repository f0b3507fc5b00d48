package dev.porcupine.app;

import dev.porcupine.ingest.CaptureLimits;
import org.springframework.boot.web.servlet.FilterRegistrationBean;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

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
}
