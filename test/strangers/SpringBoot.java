import java.io.InputStream;
import java.net.HttpURLConnection;
import java.net.URI;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.RestController;

/** Spring Boot with Tomcat, on virtual threads if the JDK has them: answers in JSON. */
public final class SpringBoot implements Stranger.Program {
    private ConfigurableApplicationContext context;
    private int port;

    /** The application. */
    @EnableAutoConfiguration
    @RestController
    public static class Shop {
        @GetMapping("/order")
        public Map<String, Object> order(@RequestParam("number") int number) throws Exception {
            if (number % 4 == 0) Thread.sleep(1);
            Map<String, Object> answer = new TreeMap<>();
            for (int i = 0; i < 40; ++i) {
                answer.put("item" + (i * 31 + number) % 97, List.of(i, number, "name " + i));
            }
            return answer;
        }
    }

    @Override
    public void start(int threads) {
        SpringApplication application = new SpringApplication(Shop.class);
        application.setDefaultProperties(Map.of("server.port", "0", "server.address", "127.0.0.1",
                "spring.threads.virtual.enabled", "true", "logging.level.root", "error",
                "spring.main.banner-mode", "off"));
        context = application.run();
        port = context.getEnvironment().getProperty("local.server.port", Integer.class);
    }

    @Override
    public long operation(int thread, int number) throws Exception {
        HttpURLConnection connection = (HttpURLConnection) URI.create(
                "http://127.0.0.1:" + port + "/order?number=" + number).toURL().openConnection();
        try (InputStream in = connection.getInputStream()) {
            return Stranger.hash(connection.getResponseCode(), in.readAllBytes());
        }
    }

    @Override
    public void stop() {
        context.close();
    }
}
