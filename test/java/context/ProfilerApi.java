import java.io.File;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.net.URL;
import java.net.URLClassLoader;
import javax.management.ObjectName;
import jprof.Profiler;
import jprof.ProfilerException;

/**
 * A program that profiles itself: through {@link Profiler}, through its bean, and through a copy of
 * its class in another class loader.
 *
 * <p>usage: {@code java ProfilerApi FILE [LIBRARY]}
 */
public final class ProfilerApi {
    private static volatile long sink;

    private ProfilerApi() {}

    public static void main(String[] arguments) throws Exception {
        Profiler profiler;
        try {
            profiler = arguments.length > 1 ? Profiler.load(arguments[1]) : Profiler.load();
        } catch (ProfilerException exception) {
            System.out.println("refused=" + exception.getMessage());
            return;
        }
        for (String wrong : new String[] {"start,cpu=never", "status\0,x", "status\0"}) {
            try {
                System.out.println("answer=" + profiler.execute(wrong));
            } catch (ProfilerException exception) {
                System.out.println("wrong=" + exception.getMessage());
            }
        }
        System.out.println("idle=" + profiler.status());
        System.out.println("start=" + profiler.start("cpu=1ms,file=" + arguments[0]));
        burn();
        ObjectName name = new ObjectName("jprof:type=Profiler");
        System.out.println("bean="
                + ManagementFactory.getPlatformMBeanServer().getAttribute(name, "Status"));
        URL jar = Profiler.class.getProtectionDomain().getCodeSource().getLocation();
        try (URLClassLoader loader =
                        new URLClassLoader(new URL[] {new File(jar.toURI()).toURI().toURL()}, null)) {
            Class<?> copy = Class.forName("jprof.Profiler", true, loader);
            Object other = copy.getMethod("load").invoke(null);
            System.out.println("copies=" + (copy == Profiler.class ? 1 : 2));
            System.out.println("stop=" + copy.getMethod("stop").invoke(other));
        }
    }

    private static void burn() {
        ThreadMXBean clock = ManagementFactory.getThreadMXBean();
        long end = clock.getCurrentThreadCpuTime() + 300_000_000L;
        long value = sink;
        while (clock.getCurrentThreadCpuTime() < end) {
            for (int i = 0; i < 20_000; ++i) value = value * 31 + i;
        }
        sink = value;
    }
}
