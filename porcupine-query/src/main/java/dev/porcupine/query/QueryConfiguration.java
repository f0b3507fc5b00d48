package dev.porcupine.query;

import dev.porcupine.history.History;
import dev.porcupine.schema.Ticker;
import io.micrometer.core.instrument.MeterRegistry;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/**
 * The HTTP reads of history. Needs a {@link History}, a {@link ProjectDirectory} and a {@link MeterRegistry}; takes
 * {@link QuerySettings} where there are any.
 */
@Configuration(proxyBeanMethods = false)
public class QueryConfiguration {

    @Bean
    EventReadController eventReadController(
            History history,
            ProjectDirectory projects,
            MeterRegistry registry,
            ObjectProvider<QuerySettings> settings) {
        QuerySettings bounds = settings.getIfAvailable(QuerySettings::defaults);
        QuerySlots slots = new QuerySlots(bounds.slots(), bounds.slotWaitMax(), registry);
        EventPages pages = new EventPages(history, bounds.pageBytesMax(), Ticker.system());
        return new EventReadController(history, pages, projects, slots);
    }
}
