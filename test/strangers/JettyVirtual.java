import java.io.InputStream;
import java.io.OutputStream;
import java.net.HttpURLConnection;
import java.net.URI;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import org.eclipse.jetty.io.Content;
import org.eclipse.jetty.server.Handler;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.server.Response;
import org.eclipse.jetty.server.Server;
import org.eclipse.jetty.server.ServerConnector;
import org.eclipse.jetty.util.Callback;
import org.eclipse.jetty.util.VirtualThreads;
import org.eclipse.jetty.util.thread.QueuedThreadPool;

/**
 * Jetty, which answers requests on virtual threads if the JDK has them. Some requests wait for a
 * millisecond. Each answer is the sorted words of the request.
 */
public final class JettyVirtual implements Stranger.Program {
    private Server server;
    private URI address;

    @Override
    public void start(int threads) throws Exception {
        QueuedThreadPool pool = new QueuedThreadPool(20);
        if (VirtualThreads.areSupported()) {
            pool.setVirtualThreadsExecutor(VirtualThreads.getDefaultVirtualThreadsExecutor());
        }
        server = new Server(pool);
        ServerConnector connector = new ServerConnector(server, 1, 1);
        connector.setHost("127.0.0.1");
        server.addConnector(connector);
        server.setHandler(new Sorter());
        server.start();
        address = URI.create("http://127.0.0.1:" + connector.getLocalPort() + "/sort");
    }

    private static final class Sorter extends Handler.Abstract {
        @Override
        public boolean handle(Request request, Response response, Callback callback)
                throws Exception {
            String text = Content.Source.asString(request, StandardCharsets.UTF_8);
            if (text.length() % 4 == 0) Thread.sleep(1);
            String[] words = text.split(" ");
            java.util.Arrays.sort(words);
            response.write(true, ByteBuffer.wrap(String.join(" ", words).getBytes(
                    StandardCharsets.UTF_8)), callback);
            return true;
        }
    }

    @Override
    public long operation(int thread, int number) throws Exception {
        StringBuilder body = new StringBuilder();
        for (int i = 0; i < 300; ++i) body.append((i * 7919 + number) % 1009).append(' ');
        HttpURLConnection connection = (HttpURLConnection) address.toURL().openConnection();
        connection.setDoOutput(true);
        try (OutputStream out = connection.getOutputStream()) {
            out.write(body.toString().getBytes(StandardCharsets.UTF_8));
        }
        try (InputStream in = connection.getInputStream()) {
            return Stranger.hash(connection.getResponseCode(), in.readAllBytes());
        }
    }

    @Override
    public void stop() throws Exception {
        server.stop();
    }
}
