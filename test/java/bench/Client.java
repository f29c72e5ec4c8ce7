import java.io.BufferedInputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.Locale;

/** A minimal HTTP client, so that the server dominates the measurement. */
final class Client {
  private static final String REST_OF_REQUEST = " HTTP/1.1\r\nHost: bench\r\n\r\n";
  private static final String LENGTH = "content-length: ";

  private Client() {}

  /** Makes `requests` requests on one connection; returns the bytes of all bodies. */
  static long ask(int port, int member, long requests) throws IOException {
    long bytes = 0;
    try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), port)) {
      socket.setTcpNoDelay(true);
      InputStream in = new BufferedInputStream(socket.getInputStream());
      OutputStream out = socket.getOutputStream();
      for (long i = 0; i < requests; i++) {
        String request = "GET /?page=" + member + "-" + i % 1000 + REST_OF_REQUEST;
        out.write(request.getBytes(StandardCharsets.US_ASCII));
        long length = 0;
        for (String line = line(in); !line.isEmpty(); line = line(in)) {
          if (line.toLowerCase(Locale.ROOT).startsWith(LENGTH)) {
            length = Long.parseLong(line.substring(LENGTH.length()));
          }
        }
        in.skipNBytes(length);
        bytes += length;
      }
    }
    return bytes;
  }

  private static String line(InputStream in) throws IOException {
    StringBuilder line = new StringBuilder(64);
    for (int c = in.read(); c != '\n'; c = in.read()) {
      if (c < 0) {
        throw new EOFException("in a response");
      }
      if (c != '\r') {
        line.append((char) c);
      }
    }
    return line.toString();
  }
}
