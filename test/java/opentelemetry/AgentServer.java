import com.sun.net.httpserver.HttpServer;
import io.opentelemetry.api.trace.Span;
import java.io.InputStream;
import java.net.InetSocketAddress;
import java.net.URL;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;

/**
 * An HTTP server for OpenTelemetry's javaagent, which makes a span for each request, also in the
 * executor that the requests use. The server itself only reads the ids of these spans.
 *
 * <p>usage: {@code java AgentServer [install]}
 *
 * <p>With "install", the program installs JprofContextStorage. Prints the ids of the span in which
 * each method runs.
 */
public final class AgentServer {
    private static volatile long sink;

    private AgentServer() {}

    public static void main(String[] arguments) throws Exception {
        if (arguments.length > 0) JprofContextStorage.install();
        ExecutorService workers = Executors.newFixedThreadPool(1);
        HttpServer server = HttpServer.create(new InetSocketAddress("127.0.0.1", 0), 0);
        server.createContext("/", exchange -> {
            print("inRequest");
            inRequest();
            try {
                workers.submit(() -> {
                           print("inWorker");
                           inWorker();
                       }).get();
            } catch (Exception exception) {
                throw new IllegalStateException(exception);
            }
            inRequest();
            exchange.sendResponseHeaders(200, -1);
            exchange.close();
        });
        server.start();
        URL url = new URL("http://127.0.0.1:" + server.getAddress().getPort() + "/");
        try (InputStream answer = url.openStream()) {
            while (answer.read() >= 0) {
            }
        }
        workers.submit(AgentServer::outside).get();
        workers.shutdown();
        server.stop(0);
    }

    private static void print(String method) {
        System.out.println(method + " " + Span.current().getSpanContext().getTraceId() + " "
                + Span.current().getSpanContext().getSpanId());
    }

    private static void inRequest() {
        spin();
    }

    private static void inWorker() {
        spin();
    }

    private static void outside() {
        spin();
    }

    private static void spin() {
        long value = sink;
        for (int i = 0; i < 150_000_000; ++i) value = value * 31 + i;
        sink = value;
    }
}
