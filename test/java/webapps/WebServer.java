import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.lang.management.ManagementFactory;
import java.lang.management.MemoryPoolMXBean;
import java.lang.ref.WeakReference;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Paths;
import java.util.ArrayList;
import java.util.List;
import java.util.logging.Level;
import java.util.logging.Logger;
import javax.management.ObjectName;
import org.apache.catalina.core.StandardContext;
import org.apache.catalina.startup.Tomcat;

/**
 * Deploys a web application in Tomcat, serves a request with it and undeploys it, many times.
 *
 * <p>usage: {@code java WebServer FOLDER TIMES THREADS}
 *
 * <p>FOLDER/app is the application, with its classes and a copy of jprof.jar in WEB-INF. Prints how
 * many applications are still loaded, and whether the bean is registered; the Metaspace in use and
 * the memory of the process in kB, after half of the deployments and after all of them; and the
 * answer to the stop, which one more deployment gives.
 */
public final class WebServer {
    private static final int RETRIES = 50;
    private static final List<WeakReference<ClassLoader>> LOADERS = new ArrayList<>();

    private static Tomcat tomcat;

    private WebServer() {}

    public static void main(String[] arguments) throws Exception {
        try {
            run(arguments);
        } catch (Exception exception) {
            exception.printStackTrace();
            System.exit(1);
        }
    }

    private static void run(String[] arguments) throws Exception {
        Logger.getLogger("").setLevel(Level.SEVERE);
        File folder = new File(arguments[0]);
        int times = Integer.parseInt(arguments[1]);
        tomcat = new Tomcat();
        tomcat.setBaseDir(folder.getPath());
        tomcat.setPort(0);
        tomcat.getConnector();
        tomcat.getHost();
        tomcat.start();
        int served = 0;
        for (int i = 0; i < times; ++i) {
            if (deployed(folder, i, "threads=" + arguments[2]).equals("served")) ++served;
            if (i == times / 2) printMemory("half");
        }
        printMemory("all");
        System.out.println("served=" + served);
        System.out.println("loaded=" + loaded());
        // The deployment before this one did not close the profiler.
        System.out.println("stop=" + deployed(folder, times + times % 2, "stop=1"));
        System.out.println("bean=" + (ManagementFactory.getPlatformMBeanServer().isRegistered(
                new ObjectName("jprof:type=Profiler")) ? 1 : 0));
        tomcat.stop();
        tomcat.destroy();
    }

    private static String deployed(File folder, int number, String query) throws Exception {
        System.setProperty("shop.number", String.valueOf(number));
        StandardContext context = new StandardContext();
        context.setPath("/shop");
        context.setDocBase(new File(folder, "app").getPath());
        context.addLifecycleListener(new Tomcat.FixContextListener());
        context.addApplicationListener("ShopListener");
        Tomcat.addServlet(context, "shop", "ShopServlet");
        context.addServletMappingDecoded("/", "shop");
        tomcat.getHost().addChild(context);  // starts the application
        LOADERS.add(new WeakReference<>(context.getLoader().getClassLoader()));
        int port = tomcat.getConnector().getLocalPort();
        String answer = get("http://localhost:" + port + "/shop/?" + query);
        tomcat.getHost().removeChild(context);
        context.destroy();
        return answer;
    }

    private static String get(String address) throws IOException {
        try (InputStream in = URI.create(address).toURL().openStream()) {
            return new String(in.readAllBytes()).trim();
        }
    }

    private static int loaded() throws InterruptedException {
        int loaded = LOADERS.size();
        for (int i = 0; i < RETRIES && loaded > 0; ++i) {
            System.gc();
            Thread.sleep(50);
            loaded = 0;
            for (WeakReference<ClassLoader> each : LOADERS) loaded += each.get() == null ? 0 : 1;
        }
        return loaded;
    }

    private static void printMemory(String when) throws Exception {
        loaded();
        for (MemoryPoolMXBean pool : ManagementFactory.getMemoryPoolMXBeans()) {
            if (pool.getName().equals("Metaspace"))
                System.out.println("metaspace." + when + "=" + pool.getUsage().getUsed() / 1024);
        }
        for (String line : Files.readAllLines(Paths.get("/proc/self/status"))) {
            if (line.startsWith("RssAnon:"))
                System.out.println("memory." + when + "=" + line.replaceAll("[^0-9]", ""));
        }
    }
}
