package dev.porcupine.app;

import org.springframework.boot.diagnostics.AbstractFailureAnalyzer;
import org.springframework.boot.diagnostics.FailureAnalysis;
import org.springframework.core.Ordered;
import org.springframework.core.annotation.Order;

/** Before Spring's own analyzers, which would describe the binding instead of the setting. */
@Order(Ordered.HIGHEST_PRECEDENCE)
final class SettingFailureAnalyzer extends AbstractFailureAnalyzer<SettingException> {

    @Override
    protected FailureAnalysis analyze(Throwable rootFailure, SettingException cause) {
        return new FailureAnalysis(cause.getMessage(), cause.action(), cause);
    }
}
