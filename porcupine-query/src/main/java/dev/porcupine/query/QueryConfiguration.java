package dev.porcupine.query;

import dev.porcupine.history.History;
import dev.porcupine.ledger.Ledger;
import dev.porcupine.schema.Ticker;
import io.micrometer.core.instrument.MeterRegistry;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/**
 * The HTTP reads of history and of what the ledger lays over it. Needs a {@link History}, a {@link Ledger}, a {@link ProjectDirectory} and a {@link MeterRegistry}; takes
 * {@link QuerySettings} where there are any.
 */
@Configuration(proxyBeanMethods = false)
public class QueryConfiguration {

    @Bean
    EventReadController eventReadController(
            History history,
            Ledger ledger,
            ProjectDirectory projects,
            MeterRegistry registry,
            ObjectProvider<QuerySettings> settings) {
        QuerySettings bounds = settings.getIfAvailable(QuerySettings::defaults);
        QuerySlots slots = new QuerySlots(bounds.slots(), bounds.slotWaitMax(), registry);
        EventPages pages = new EventPages(history, ledger.pendingRevisions(), bounds.pageBytesMax(), Ticker.system());
        NewestEvents newest = new NewestEvents(ledger.mutations(), history);
        return new EventReadController(history, ledger.pendingRevisions(), pages, newest, projects, slots);
    }
}
