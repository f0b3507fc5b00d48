package dev.porcupine.app;

import org.springframework.boot.web.servlet.FilterRegistrationBean;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import tools.jackson.databind.json.JsonMapper;

/** What all HTTP shares: the admin token's gate and the shape of refusals. */
@Configuration(proxyBeanMethods = false)
class WebConfiguration {

    @Bean
    ProblemWriter problemWriter(JsonMapper json) {
        return new ProblemWriter(json);
    }

    @Bean
    FilterRegistrationBean<AdminTokenFilter> adminTokenFilter(AdminToken token, ProblemWriter problems) {
        FilterRegistrationBean<AdminTokenFilter> registration =
                new FilterRegistrationBean<>(new AdminTokenFilter(token, problems));
        registration.addUrlPatterns(AdminTokenFilter.URL_PATTERN);
        return registration;
    }
}
