package dev.porcupine.app;

import dev.porcupine.ledger.LedgerStartException;
import org.springframework.boot.diagnostics.AbstractFailureAnalyzer;
import org.springframework.boot.diagnostics.FailureAnalysis;
import org.springframework.core.Ordered;
import org.springframework.core.annotation.Order;

/** Before Spring's own analyzers, which would describe the bean instead of the data directory. */
@Order(Ordered.HIGHEST_PRECEDENCE)
final class LedgerStartFailureAnalyzer extends AbstractFailureAnalyzer<LedgerStartException> {

    @Override
    protected FailureAnalysis analyze(Throwable rootFailure, LedgerStartException cause) {
        return new FailureAnalysis(cause.getMessage(), cause.action(), cause);
    }
}
