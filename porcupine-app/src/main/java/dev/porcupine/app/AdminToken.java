package dev.porcupine.app;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.security.SecureRandom;
import java.util.Base64;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** What the admin API's callers must present. Only a hash is kept, so that comparing takes the same time whatever is presented. */
final class AdminToken {

    static final String FILE_NAME = "admin-token";

    private static final Logger log = LoggerFactory.getLogger(AdminToken.class);
    private static final int RANDOM_BYTES = 32;
    private static final Set<PosixFilePermission> OWNER_ONLY = PosixFilePermissions.fromString("rw-------");

    private final byte[] hash;

    private AdminToken(String secret) {
        this.hash = sha256(secret);
    }

    /** The configured token, else the data directory's, which is generated when there is none. Call with the directory locked. */
    static AdminToken of(@Nullable String configured, Path dataDir) {
        if (configured != null) {
            return new AdminToken(configured);
        }
        Path file = dataDir.resolve(FILE_NAME);
        try {
            return new AdminToken(Files.exists(file) ? read(file) : generate(file));
        } catch (IOException e) {
            throw new SettingException(
                    "The admin token in " + file + " can't be read or written: " + e + ".",
                    "Make the file readable and the directory writable for this process, or set porcupine.admin-token.");
        }
    }

    boolean matches(String presented) {
        return MessageDigest.isEqual(hash, sha256(presented));
    }

    private static String read(Path file) throws IOException {
        String secret = Files.readString(file).strip();
        if (secret.isEmpty()) {
            throw new SettingException(
                    "The admin token file " + file + " is empty.",
                    "Delete it to have a new token generated, or set porcupine.admin-token.");
        }
        Set<PosixFilePermission> permissions = Files.getPosixFilePermissions(file);
        if (!OWNER_ONLY.containsAll(permissions)) {
            log.warn(
                    "Admin token file {} was readable by others ({}); it is now readable by its owner alone. Delete it to get a new token.",
                    file,
                    PosixFilePermissions.toString(permissions));
            Files.setPosixFilePermissions(file, OWNER_ONLY);
        }
        return secret;
    }

    /** Written aside and renamed: a crash in between leaves no empty token file. */
    private static String generate(Path file) throws IOException {
        byte[] random = new byte[RANDOM_BYTES];
        new SecureRandom().nextBytes(random);
        String secret = Base64.getUrlEncoder().withoutPadding().encodeToString(random);
        Path aside = file.resolveSibling(FILE_NAME + ".new");
        Files.deleteIfExists(aside);
        Files.createFile(aside, PosixFilePermissions.asFileAttribute(OWNER_ONLY));
        Files.writeString(aside, secret + "\n", StandardOpenOption.WRITE, StandardOpenOption.DSYNC);
        Files.move(aside, file);
        log.info("Admin token generated; it is in {}", file);
        return secret;
    }

    private static byte[] sha256(String text) {
        try {
            return MessageDigest.getInstance("SHA-256").digest(text.getBytes(StandardCharsets.UTF_8));
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every Java platform has SHA-256", e);
        }
    }
}
