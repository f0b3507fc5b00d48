package dev.porcupine.bench;

import java.io.BufferedInputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.Locale;

/** One kept-alive connection that speaks just enough HTTP/1.1 to count answers. */
final class LoadConnection implements AutoCloseable {

    private static final int TIMEOUT_MILLIS = 30_000;
    private static final int LINE_MAX = 8_192;

    private final Socket socket;
    private final InputStream in;
    private boolean closing;

    LoadConnection(String host, int port) throws IOException {
        socket = new Socket(host, port);
        socket.setTcpNoDelay(true);
        socket.setSoTimeout(TIMEOUT_MILLIS);
        in = new BufferedInputStream(socket.getInputStream(), LINE_MAX);
    }

    /** Sends a request and reads its answer to the end. */
    Answer exchange(byte[] request) throws IOException {
        socket.getOutputStream().write(request);
        String status = line();
        long length = -1;
        boolean chunked = false;
        for (String header = line(); !header.isEmpty(); header = line()) {
            String lower = header.toLowerCase(Locale.ROOT);
            if (lower.startsWith("content-length:")) {
                length = Long.parseLong(
                        lower.substring("content-length:".length()).strip());
            } else if (lower.startsWith("transfer-encoding:")) {
                chunked = lower.contains("chunked");
            } else if (lower.equals("connection: close")) {
                closing = true;
            }
        }
        StringBuilder body = new StringBuilder();
        if (chunked) {
            for (int size = chunkSize(); size > 0; size = chunkSize()) {
                body.append(new String(in.readNBytes(size), StandardCharsets.UTF_8));
                line();
            }
            line();
        } else if (length > 0) {
            body.append(new String(in.readNBytes(Math.toIntExact(length)), StandardCharsets.UTF_8));
        }
        return new Answer(Integer.parseInt(status.split(" ", 3)[1]), body.toString());
    }

    boolean closing() {
        return closing;
    }

    @Override
    public void close() throws IOException {
        socket.close();
    }

    private int chunkSize() throws IOException {
        return Integer.parseInt(line().strip(), 16);
    }

    private String line() throws IOException {
        StringBuilder line = new StringBuilder();
        for (int b = in.read(); b != '\n'; b = in.read()) {
            if (b < 0) {
                throw new EOFException("the service closed the connection");
            }
            if (line.length() > LINE_MAX) {
                throw new IOException("a line of the answer is longer than " + LINE_MAX);
            }
            if (b != '\r') {
                line.append((char) b);
            }
        }
        return line.toString();
    }

    record Answer(int status, String body) {}
}
