package dev.porcupine.testkit;

import com.github.dockerjava.api.DockerClient;
import com.github.dockerjava.api.model.ExposedPort;
import com.github.dockerjava.api.model.PortBinding;
import com.github.dockerjava.api.model.Ports;
import java.time.Duration;
import java.util.Objects;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.testcontainers.DockerClientFactory;
import org.testcontainers.containers.GenericContainer;
import org.testcontainers.images.builder.Transferable;

/** ClickHouse's own image, where a Docker engine on this machine answers. One container; its data live inside it. */
final class ContainerBody implements ServerBody {

    private static final int HTTP_PORT = 8123;
    private static final Duration STOP_WITHIN = Duration.ofSeconds(30);
    private static final int LOG_TAIL_CHARS = 4_000;
    private static final Pattern MAJOR_MINOR = Pattern.compile("^(\\d+\\.\\d+)\\.");

    private final GenericContainer<?> container;
    private final int port;
    private boolean created;
    private boolean suspended;

    private ContainerBody(ClickHouseOptions options) {
        if (options.folder() != null) {
            throw new IllegalStateException(
                    "a server with a folder of its own needs the installed engine: run bin/install-test-engine");
        }
        port = options.port() == 0 ? FreePort.pick() : options.port();
        container = new GenericContainer<>("clickhouse/clickhouse-server:" + imageTag())
                // The image would write a user file over ours.
                .withEnv("CLICKHOUSE_SKIP_USER_SETUP", "1")
                .withExposedPorts(HTTP_PORT)
                .withCreateContainerCmdModifier(command -> Objects.requireNonNull(command.getHostConfig())
                        // Published by hand: a port that Docker picks would change on restart.
                        .withPortBindings(new PortBinding(
                                Ports.Binding.bindIpAndPort("127.0.0.1", port), ExposedPort.tcp(HTTP_PORT))));
    }

    static Optional<ServerBody> ifDockerAnswers(ClickHouseOptions options) {
        return DockerClientFactory.instance().isDockerAvailable()
                ? Optional.of(new ContainerBody(options))
                : Optional.empty();
    }

    /** The line of the engine that is pinned for everyone else. */
    private static String imageTag() {
        Matcher matcher = MAJOR_MINOR.matcher(EngineLocation.version());
        if (!matcher.find()) {
            throw new IllegalStateException("no major and minor number in " + EngineLocation.version());
        }
        return matcher.group(1);
    }

    @Override
    public void start(ClickHouseOptions options, String startId) {
        Transferable config = Transferable.of("<clickhouse>\n"
                + ServerConfig.common(options, startId, "/var/lib/clickhouse/cold/", "/var/lib/clickhouse/backups/")
                + "</clickhouse>\n");
        Transferable users = Transferable.of(ServerConfig.users(options, false));
        String configPath = "/etc/clickhouse-server/config.d/porcupine.xml";
        String usersPath = "/etc/clickhouse-server/users.xml";
        if (created) {
            container.copyFileToContainer(config, configPath);
            container.copyFileToContainer(users, usersPath);
            docker().startContainerCmd(container.getContainerId()).exec();
        } else {
            container
                    .withCopyToContainer(config, configPath)
                    .withCopyToContainer(users, usersPath)
                    .start();
            created = true;
        }
        suspended = false;
    }

    private DockerClient docker() {
        return container.getDockerClient();
    }

    @Override
    public int port() {
        return port;
    }

    @Override
    public boolean alive() {
        return created
                && Boolean.TRUE.equals(
                        container.getCurrentContainerInfo().getState().getRunning());
    }

    @Override
    public void stop() {
        if (alive()) {
            resume();
            docker().stopContainerCmd(container.getContainerId())
                    .withTimeout((int) STOP_WITHIN.toSeconds())
                    .exec();
        }
    }

    @Override
    public void kill() {
        if (alive()) {
            resume();
            docker().killContainerCmd(container.getContainerId()).exec();
        }
    }

    @Override
    public void suspend() {
        docker().pauseContainerCmd(container.getContainerId()).exec();
        suspended = true;
    }

    @Override
    public void resume() {
        if (suspended) {
            docker().unpauseContainerCmd(container.getContainerId()).exec();
            suspended = false;
        }
    }

    @Override
    public String logTail() {
        String whole = created ? container.getLogs() : "(not started)";
        return whole.substring(Math.max(0, whole.length() - LOG_TAIL_CHARS));
    }

    @Override
    public void discard() {
        container.stop();
    }
}
