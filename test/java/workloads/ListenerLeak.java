import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URL;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;

/**
 * An HTTP server with a leak: each session subscribes to events and never unsubscribes. A cache of
 * pages, which is bounded, does not leak.
 *
 * <p>usage: ListenerLeak SESSIONS ROUNDS [AGENT START LIBRARIES]
 *
 * <p>Opens SESSIONS sessions in ROUNDS rounds, and prints how many bytes the listeners keep. With
 * AGENT the program records itself: START has the options of the start, including the file. Then
 * each round ends with a forced collection and a dump.
 */
public final class ListenerLeak {
  interface Listener {
    void onEvent(String event);
  }

  /** The events to which listeners subscribe. */
  static final class Events {
    private final List<Listener> listeners = new ArrayList<>();

    synchronized void subscribe(Listener listener) {
      listeners.add(listener);
    }

    synchronized int count() {
      return listeners.size();
    }
  }

  /** The session of a user. Most of its bytes are its history. */
  static final class Session implements Listener {
    static final int HISTORY = 4096;

    private final byte[] history = new byte[HISTORY];
    private int events;

    @Override
    public void onEvent(String event) {
      history[events++ % HISTORY] = (byte) event.length();
    }
  }

  /** A bounded cache of the latest pages. */
  static final class Pages extends LinkedHashMap<Integer, byte[]> {
    private static final long serialVersionUID = 1;

    @Override
    protected boolean removeEldestEntry(Map.Entry<Integer, byte[]> eldest) {
      return size() > 200;
    }

    synchronized byte[] page(int number) {
      byte[] page = get(number);
      if (page == null) {
        page = new byte[20_000];
        put(number, page);
      }
      return page;
    }
  }

  static final Events events = new Events();
  static final Pages pages = new Pages();

  static void handle(HttpExchange exchange) throws IOException {
    int number = Integer.parseInt(exchange.getRequestURI().getPath().substring(1));
    login();
    byte[] page = pages.page(number);
    exchange.sendResponseHeaders(200, page.length);
    exchange.getResponseBody().write(page);
    exchange.close();
  }

  static void login() {
    events.subscribe(new Session());
  }

  static void visit(int port, int count) throws IOException {
    byte[] buffer = new byte[8192];
    for (int i = 0; i < count; i++) {
      URL url = new URL("http", InetAddress.getLoopbackAddress().getHostAddress(), port, "/" + i);
      try (InputStream in = url.openStream()) {
        while (in.read(buffer) >= 0) {}
      }
    }
  }

  static void expect(String answer, String begin) {
    System.out.println("answer: " + answer.replace('\n', ' '));
    if (!answer.startsWith(begin)) System.exit(3);
  }

  public static void main(String[] args) throws Exception {
    int sessions = Integer.parseInt(args[0]);
    int rounds = Integer.parseInt(args[1]);
    System.setProperty("sun.net.httpserver.nodelay", "true");  // without it an answer takes 40 ms
    InetAddress here = InetAddress.getLoopbackAddress();
    HttpServer server = HttpServer.create(new InetSocketAddress(here, 0), 0);
    ExecutorService threads = Executors.newFixedThreadPool(2);
    server.setExecutor(threads);
    server.createContext("/", ListenerLeak::handle);
    server.start();
    Profiler profiler = args.length > 2 ? new Profiler(args[2], new File(args[4])) : null;
    if (profiler != null) expect(profiler.execute("start," + args[3]), "recording");
    for (int round = 0; round < rounds; round++) {
      visit(server.getAddress().getPort(), sessions / rounds);
      if (profiler != null) expect(profiler.execute("dump,gc"), "dumped");
    }
    if (profiler != null) expect(profiler.execute("stop"), "stopped");
    System.out.println("history=" + (long) events.count() * (Session.HISTORY + 16));
    server.stop(0);
    threads.shutdown();
  }
}
