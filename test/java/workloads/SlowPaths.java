import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URL;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;

/**
 * An HTTP server that answers most requests quickly, and its clients.
 *
 * <p>usage: SlowPaths requests slowMillis
 *
 * <p>Of every 20 requests, one uses slowMillis more of CPU time in rebuildIndex; one uses as much
 * in fillCache, which allocates FILLED bytes; one waits as long in awaitDisk; and one waits as long
 * for a monitor in awaitLock. Truth: rebuilds, fills, waits and locks, the numbers of these
 * requests; bytes, what a fill allocates.
 */
public final class SlowPaths {
  private static final int PERIOD = 20;
  private static final int QUICK_MILLIS = 2;
  private static final int ARRAYS = 4096;
  private static final int ARRAY_BYTES = 16 << 10;
  private static final Object LOCK = new Object();
  private static volatile byte[] filled;

  private SlowPaths() {}

  static void handle(HttpExchange exchange, int slowMillis) throws IOException {
    int number = Integer.parseInt(exchange.getRequestURI().getPath().substring(1));
    Work.burn(QUICK_MILLIS * 1_000_000L);
    if (number % PERIOD == 7) rebuildIndex(slowMillis);
    if (number % PERIOD == 13) awaitDisk(slowMillis);
    if (number % PERIOD == 3) fillCache(slowMillis);
    if (number % PERIOD == 17) awaitLock(slowMillis);
    exchange.sendResponseHeaders(200, -1);
    exchange.close();
  }

  static void rebuildIndex(int millis) {
    Work.burn(millis * 1_000_000L);
  }

  static void awaitDisk(int millis) {
    try {
      Thread.sleep(millis);
    } catch (InterruptedException end) {
      Thread.currentThread().interrupt();
    }
  }

  static void fillCache(int millis) {
    for (int i = 0; i < ARRAYS; i++) filled = new byte[ARRAY_BYTES - 16];
    Work.burn(millis * 1_000_000L);
  }

  static void awaitLock(int millis) {
    CountDownLatch isHeld = new CountDownLatch(1);
    new Thread(() -> hold(isHeld, millis), "holder").start();
    try {
      isHeld.await();
    } catch (InterruptedException end) {
      Thread.currentThread().interrupt();
    }
    synchronized (LOCK) {
      Work.sink = millis;
    }
  }

  private static void hold(CountDownLatch isHeld, int millis) {
    synchronized (LOCK) {
      isHeld.countDown();
      awaitDisk(millis);
    }
  }

  public static void main(String[] args) throws Exception {
    int requests = Integer.parseInt(args[0]);
    int slowMillis = Integer.parseInt(args[1]);
    HttpServer server =
        HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    ExecutorService threads = Executors.newFixedThreadPool(2);
    server.setExecutor(threads);
    server.createContext("/", exchange -> handle(exchange, slowMillis));
    server.start();
    int rebuilds = 0;
    int waits = 0;
    int fills = 0;
    int locks = 0;
    for (int i = 0; i < requests; i++) {
      URL url = new URL("http", "127.0.0.1", server.getAddress().getPort(), "/" + i);
      try (InputStream in = url.openStream()) {
        while (in.read() >= 0) continue;
      }
      if (i % PERIOD == 7) rebuilds++;
      if (i % PERIOD == 13) waits++;
      if (i % PERIOD == 3) fills++;
      if (i % PERIOD == 17) locks++;
    }
    server.stop(0);
    threads.shutdown();
    Work.print("rebuilds", rebuilds);
    Work.print("waits", waits);
    Work.print("fills", fills);
    Work.print("locks", locks);
    Work.print("bytes", ARRAYS * ARRAY_BYTES);
  }
}
