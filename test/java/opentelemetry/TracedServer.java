import com.sun.net.httpserver.HttpServer;
import io.opentelemetry.api.trace.Span;
import io.opentelemetry.api.trace.Tracer;
import io.opentelemetry.context.Context;
import io.opentelemetry.context.Scope;
import io.opentelemetry.sdk.trace.SdkTracerProvider;
import java.io.InputStream;
import java.net.InetSocketAddress;
import java.net.URL;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;

/**
 * An HTTP server that makes a span for each request, with a child span in the same thread and one
 * in another thread. Prints the ids of each span, with the name of the method that runs in it.
 */
public final class TracedServer {
    private static volatile long sink;

    private TracedServer() {}

    public static void main(String[] arguments) throws Exception {
        JprofContextStorage.install();
        SdkTracerProvider provider = SdkTracerProvider.builder().build();
        Tracer tracer = provider.get("test");
        ExecutorService workers = Executors.newFixedThreadPool(1);
        HttpServer server = HttpServer.create(new InetSocketAddress("127.0.0.1", 0), 0);
        server.createContext("/", exchange -> {
            Span request = tracer.spanBuilder("request").startSpan();
            try (Scope scope = request.makeCurrent()) {
                print("inRequest", request);
                inRequest();
                Span child = tracer.spanBuilder("child").startSpan();
                try (Scope inner = child.makeCurrent()) {
                    print("inChild", child);
                    inChild();
                }
                child.end();
                inRequest();
                Span remote = tracer.spanBuilder("worker").startSpan();
                try {
                    workers.submit(Context.current().with(remote).wrap(() -> {
                               print("inWorker", remote);
                               inWorker();
                           }))
                            .get();
                } catch (Exception exception) {
                    throw new IllegalStateException(exception);
                }
                remote.end();
            }
            request.end();
            afterwards();
            exchange.sendResponseHeaders(200, -1);
            exchange.close();
        });
        server.start();
        URL url = new URL("http://127.0.0.1:" + server.getAddress().getPort() + "/");
        try (InputStream answer = url.openStream()) {
            while (answer.read() >= 0) {
            }
        }
        server.stop(0);
        workers.shutdown();
        provider.close();
    }

    private static void print(String method, Span span) {
        System.out.println(method + " " + span.getSpanContext().getTraceId() + " "
                + span.getSpanContext().getSpanId());
    }

    private static void inRequest() {
        spin();
    }

    private static void inChild() {
        spin();
    }

    private static void inWorker() {
        spin();
    }

    private static void afterwards() {
        spin();
    }

    private static void spin() {
        long value = sink;
        for (int i = 0; i < 150_000_000; ++i) value = value * 31 + i;
        sink = value;
    }
}
