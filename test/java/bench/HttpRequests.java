import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;

/**
 * The JDK's HTTP server with eight threads, under load by eight persistent connections. An
 * operation is a request on the loopback interface.
 */
final class HttpRequests implements Workload {
  private static final int CONNECTIONS = 8;

  private final ExecutorService executor = Executors.newFixedThreadPool(CONNECTIONS);
  private final Team clients = new Team(CONNECTIONS);
  private HttpServer server;

  @Override
  public void prepare() throws IOException {
    // Without this, a response waits for the client's delayed acknowledgement of the previous one.
    System.setProperty("sun.net.httpserver.nodelay", "true");
    server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 64);
    server.createContext("/", HttpRequests::answer);
    server.setExecutor(executor);
    server.start();
  }

  private static void answer(HttpExchange exchange) throws IOException {
    byte[] body = page(exchange.getRequestURI().getQuery()).getBytes(StandardCharsets.UTF_8);
    exchange.getResponseHeaders().set("Content-Type", "application/json");
    exchange.sendResponseHeaders(200, body.length);
    try (OutputStream out = exchange.getResponseBody()) {
      out.write(body);
    }
  }

  private static String page(String query) {
    Map<String, Integer> items = new TreeMap<>();
    for (int i = 0; i < 30; i++) {
      items.merge("item-" + (query + i).hashCode() % 17, i, Integer::sum);
    }
    StringBuilder json = new StringBuilder("{");
    items.forEach(
        (name, value) -> json.append('"').append(name).append("\":").append(value).append(','));
    json.setCharAt(json.length() - 1, '}');
    return json.toString();
  }

  @Override
  public long run(long operations) throws Exception {
    int port = server.getAddress().getPort();
    return clients.run(operations, (member, part) -> Client.ask(port, member, part));
  }

  @Override
  public void close() {
    clients.close();
    server.stop(0);
    executor.shutdownNow();
  }
}
