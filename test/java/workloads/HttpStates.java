import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetSocketAddress;
import java.net.URL;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;

/**
 * A server of the JDK and its clients, four threads each, for the table in docs/views.md.
 *
 * <p>usage: HttpStates seconds
 */
public final class HttpStates {
  private static int total;

  private HttpStates() {}

  /** Simulates the use of a slow resource, under a lock that all requests share. */
  private static synchronized void account(int bytes) throws IOException {
    total += bytes;
    try {
      Thread.sleep(2);
    } catch (InterruptedException e) {
      throw new IOException(e);
    }
  }

  private static byte[] page(int n) {
    StringBuilder text = new StringBuilder();
    for (int i = 0; i < 20_000; i++) text.append((char) ('a' + (i * n) % 26));
    return text.toString().getBytes(StandardCharsets.US_ASCII);
  }

  public static void main(String[] args) throws Exception {
    HttpServer server = HttpServer.create(new InetSocketAddress("localhost", 0), 0);
    ExecutorService pool = Executors.newFixedThreadPool(4);
    server.setExecutor(pool);
    server.createContext("/", exchange -> {
      byte[] body = page(exchange.hashCode());
      account(body.length);
      exchange.sendResponseHeaders(200, body.length);
      exchange.getResponseBody().write(body);
      exchange.close();
    });
    server.start();
    URL url = new URL("http://localhost:" + server.getAddress().getPort() + "/");
    Thread[] clients = new Thread[4];
    long end = System.nanoTime() + Long.parseLong(args[0]) * 1_000_000_000L;
    for (int i = 0; i < clients.length; i++) {
      clients[i] = new Thread(() -> {
        try {
          while (System.nanoTime() < end) {
            try (InputStream in = url.openStream()) {
              while (in.read(new byte[8192]) > 0) continue;
            }
            Thread.sleep(5);
          }
        } catch (Exception e) {
          e.printStackTrace();
        }
      }, "client-" + i);
      clients[i].start();
    }
    for (Thread client : clients) client.join();
    server.stop(0);
    pool.shutdown();
  }
}
