package dev.porcupine.app;

import java.lang.reflect.RecordComponent;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Predicate;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.boot.context.event.ApplicationContextInitializedEvent;
import org.springframework.boot.context.properties.bind.DataObjectPropertyName;
import org.springframework.context.ApplicationListener;
import org.springframework.core.env.ConfigurableEnvironment;
import org.springframework.core.env.EnumerablePropertySource;
import org.springframework.core.env.StandardEnvironment;

/** Warns of settings that look like Porcupine's and are none: a typing error must not silently leave a default in force. */
final class UnknownSettings implements ApplicationListener<ApplicationContextInitializedEvent> {

    private static final Logger log = LoggerFactory.getLogger(UnknownSettings.class);
    private static final String PREFIX = "porcupine.";
    private static final String VARIABLE_PREFIX = "PORCUPINE_";

    /** What Kubernetes puts into every pod beside a service named porcupine. */
    private static final Pattern SERVICE_LINK = Pattern.compile("PORCUPINE_(SERVICE_(HOST|PORT.*)|PORT(_.*)?)");

    @Override
    public void onApplicationEvent(ApplicationContextInitializedEvent event) {
        ConfigurableEnvironment environment = event.getApplicationContext().getEnvironment();
        for (String variable : unknownVariables(environment.getSystemEnvironment())) {
            log.warn("Environment variable {} is not a setting of Porcupine and has no effect", variable);
        }
        for (String property : unknownProperties(environment)) {
            log.warn("Property {} is not a setting of Porcupine and has no effect", property);
        }
    }

    /** Names of all settings, in the form in which they are documented. */
    static Set<String> known() {
        Set<String> names = new TreeSet<>();
        collect(PREFIX, PorcupineProperties.class, names);
        return names;
    }

    static Set<String> unknownVariables(Map<String, ?> environment) {
        Set<String> known = known().stream()
                .flatMap(name -> Stream.of(variable(name, ""), variable(name, "_")))
                .collect(Collectors.toSet());
        return environment.keySet().stream()
                .filter(name -> name.startsWith(VARIABLE_PREFIX))
                .filter(Predicate.not(known::contains))
                .filter(name -> !SERVICE_LINK.matcher(name).matches())
                .collect(Collectors.toCollection(TreeSet::new));
    }

    private static Set<String> unknownProperties(ConfigurableEnvironment environment) {
        Set<String> known = known();
        return environment.getPropertySources().stream()
                .filter(source -> !source.getName().equals(StandardEnvironment.SYSTEM_ENVIRONMENT_PROPERTY_SOURCE_NAME))
                .filter(EnumerablePropertySource.class::isInstance)
                .flatMap(source -> Stream.of(((EnumerablePropertySource<?>) source).getPropertyNames()))
                .filter(name -> name.startsWith(PREFIX))
                .filter(name -> !known.contains(DataObjectPropertyName.toDashedForm(name)))
                .collect(Collectors.toCollection(TreeSet::new));
    }

    private static void collect(String prefix, Class<?> type, Set<String> names) {
        for (RecordComponent component : type.getRecordComponents()) {
            String name = prefix + DataObjectPropertyName.toDashedForm(component.getName());
            if (component.getType().isRecord()
                    && component.getType().getEnclosingClass() == PorcupineProperties.class) {
                collect(name + ".", component.getType(), names);
            } else {
                names.add(name);
            }
        }
    }

    /** Spring reads a dash as nothing or as an underscore. */
    private static String variable(String name, String dash) {
        return name.toUpperCase(Locale.ROOT).replace("-", dash).replace('.', '_');
    }
}
