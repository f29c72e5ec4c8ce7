package shop;

import java.lang.management.ManagementFactory;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.SpringBootApplication;
import org.springframework.boot.web.server.servlet.context.ServletWebServerInitializedEvent;
import org.springframework.context.event.EventListener;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RestController;

/** Prints its port when it is ready to serve; ends when its standard input ends. */
@SpringBootApplication
@RestController
public class Shop {
    private static volatile long sink;

    public static void main(String[] arguments) throws Exception {
        // recipe
        SpringApplication application = new SpringApplication(Shop.class);
        var context = application.run("--server.port=0");
        while (System.in.read() >= 0) continue;
        context.close();
    }

    @EventListener
    public void serves(ServletWebServerInitializedEvent event) {
        System.out.println("port=" + event.getWebServer().getPort());
    }

    @GetMapping("/order")
    public String order() {
        long end = cpuNanos() + 200_000_000L;
        while (cpuNanos() < end) {
            for (int i = 0; i < 10_000; ++i) sink += i;
        }
        return "done";
    }

    private static long cpuNanos() {
        return ManagementFactory.getThreadMXBean().getCurrentThreadCpuTime();
    }
}
