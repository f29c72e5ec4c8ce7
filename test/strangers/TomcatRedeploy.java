import java.io.IOException;
import java.io.InputStream;
import java.net.HttpURLConnection;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.logging.Level;
import java.util.logging.Logger;
import jakarta.servlet.http.HttpServlet;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import org.apache.catalina.Context;
import org.apache.catalina.startup.Tomcat;

/** Tomcat: requests to one application per thread, which every 40th operation redeploys. */
public final class TomcatRedeploy implements Stranger.Program {
    private Tomcat tomcat;
    private Context[] applications;

    @Override
    public void start(int threads) throws Exception {
        Logger.getLogger("").setLevel(Level.SEVERE);
        tomcat = new Tomcat();
        tomcat.setBaseDir(Stranger.folder().resolve("tomcat").toString());
        tomcat.setHostname("127.0.0.1");
        tomcat.setPort(0);
        tomcat.getConnector();
        tomcat.start();
        applications = new Context[threads];
        for (int i = 0; i < threads; ++i) deploy(i);
    }

    private synchronized void deploy(int thread) {
        if (applications[thread] != null) tomcat.getHost().removeChild(applications[thread]);
        Context made = tomcat.addContext("/app" + thread, Stranger.folder().toString());
        Tomcat.addServlet(made, "words", new Words());
        made.addServletMappingDecoded("/*", "words");
        applications[thread] = made;
    }

    private static final class Words extends HttpServlet {
        private static final long serialVersionUID = 1;

        @Override
        protected void doGet(HttpServletRequest request, HttpServletResponse response)
                throws IOException {
            int number = Integer.parseInt(request.getParameter("number"));
            StringBuilder text = new StringBuilder();
            for (int i = 0; i < 500; ++i) text.append(Integer.toHexString(i * number)).append(' ');
            response.getOutputStream().write(text.toString().getBytes(StandardCharsets.UTF_8));
        }
    }

    @Override
    public long operation(int thread, int number) throws Exception {
        if (number % 40 < applications.length) deploy(thread);
        HttpURLConnection connection = (HttpURLConnection) URI.create("http://127.0.0.1:"
                + tomcat.getConnector().getLocalPort() + "/app" + thread + "/x?number=" + number)
                .toURL().openConnection();
        try (InputStream in = connection.getInputStream()) {
            return Stranger.hash(connection.getResponseCode(), in.readAllBytes());
        }
    }

    @Override
    public void stop() throws Exception {
        tomcat.stop();
        tomcat.destroy();
    }
}
