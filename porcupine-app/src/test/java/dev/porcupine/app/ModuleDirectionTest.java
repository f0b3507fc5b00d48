package dev.porcupine.app;

import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAnyPackage;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideOutsideOfPackages;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;

import com.tngtech.archunit.base.DescribedPredicate;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.junit.AnalyzeClasses;
import com.tngtech.archunit.junit.ArchTest;
import com.tngtech.archunit.lang.ArchRule;

/** Who may know whom: app, then the activities, then ledger and history, then schema. */
@AnalyzeClasses(packages = "dev.porcupine", importOptions = ImportOption.DoNotIncludeTests.class)
class ModuleDirectionTest {

    @ArchTest
    static final ArchRule schema_knows_no_other_module = knowsOnly("schema");

    @ArchTest
    static final ArchRule ledger_knows_only_schema = knowsOnly("ledger", "schema");

    @ArchTest
    static final ArchRule history_knows_only_schema = knowsOnly("history", "schema");

    @ArchTest
    static final ArchRule ingest_knows_only_the_stores = knowsOnly("ingest", "ledger", "history", "schema");

    @ArchTest
    static final ArchRule delivery_knows_only_the_stores = knowsOnly("delivery", "ledger", "history", "schema");

    @ArchTest
    static final ArchRule reconcile_knows_only_the_stores = knowsOnly("reconcile", "ledger", "history", "schema");

    @ArchTest
    static final ArchRule query_knows_only_the_stores = knowsOnly("query", "ledger", "history", "schema");

    @ArchTest
    static final ArchRule the_cores_are_free_of_spring_boot_and_the_web = noClasses()
            .that(resideInAnyPackage("dev.porcupine.schema", "dev.porcupine.ledger", "dev.porcupine.history"))
            .should()
            .dependOnClassesThat(
                    resideInAnyPackage("org.springframework.boot..", "org.springframework.web..", "jakarta.servlet.."));

    @ArchTest
    static final ArchRule schema_does_no_sql = noClasses()
            .that()
            .resideInAPackage("dev.porcupine.schema")
            .should()
            .dependOnClassesThat(resideInAnyPackage("java.sql..", "org.springframework..", "org.sqlite.."));

    @ArchTest
    static final ArchRule sqlite_is_the_stores_own = noClasses()
            .that(resideInAnyPackage("dev.porcupine..")
                    .and(resideOutsideOfPackages("dev.porcupine.ledger", "dev.porcupine.history")))
            .should()
            .dependOnClassesThat(resideInAnyPackage("java.sql..", "org.sqlite.."));

    @ArchTest
    static final ArchRule one_flat_package_a_module = classes()
            .should()
            .resideInAnyPackage(
                    "dev.porcupine.schema",
                    "dev.porcupine.ledger",
                    "dev.porcupine.history",
                    "dev.porcupine.ingest",
                    "dev.porcupine.delivery",
                    "dev.porcupine.query",
                    "dev.porcupine.reconcile",
                    "dev.porcupine.app",
                    "dev.porcupine.testkit");

    @ArchTest
    static final ArchRule the_testkit_is_for_tests = noClasses()
            .that()
            .resideOutsideOfPackage("dev.porcupine.testkit")
            .should()
            .dependOnClassesThat()
            .resideInAPackage("dev.porcupine.testkit");

    private static ArchRule knowsOnly(String module, String... others) {
        String own = "dev.porcupine." + module;
        DescribedPredicate<JavaClass> foreign = resideInAnyPackage("dev.porcupine..")
                .and(resideOutsideOfPackages(own))
                .and(resideOutsideOfPackages(java.util.Arrays.stream(others)
                        .map(other -> "dev.porcupine." + other)
                        .toArray(String[]::new)));
        return noClasses().that().resideInAPackage(own).should().dependOnClassesThat(foreign);
    }
}
