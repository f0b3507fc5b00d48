# Packages what `mvn package` built; the layers that change least come first.
FROM eclipse-temurin:25-jre AS layers
WORKDIR /layers
COPY porcupine-app/target/porcupine.jar porcupine.jar
RUN java -Djarmode=tools -jar porcupine.jar extract --layers --launcher --destination extracted

FROM eclipse-temurin:25-jre
RUN useradd --system --uid 10001 --no-create-home porcupine \
    && install -d -o porcupine -g porcupine -m 0700 /data
WORKDIR /app
COPY --from=layers /layers/extracted/dependencies/ ./
COPY --from=layers /layers/extracted/spring-boot-loader/ ./
COPY --from=layers /layers/extracted/snapshot-dependencies/ ./
COPY --from=layers /layers/extracted/application/ ./
USER 10001
ENV PORCUPINE_DATA_DIR=/data
VOLUME /data
EXPOSE 8080
# SQLite's native library unpacks into /tmp: a read-only root file system needs a writable one there.
ENTRYPOINT ["java", "-XX:MaxRAMPercentage=60", "-XX:+ExitOnOutOfMemoryError", "--enable-native-access=ALL-UNNAMED", "org.springframework.boot.loader.launch.JarLauncher"]
