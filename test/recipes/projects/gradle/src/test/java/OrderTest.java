import java.lang.management.ManagementFactory;
import jprof.ThreadContext;
import org.junit.Test;

public class OrderTest {
    private static volatile long sink;

    @Test
    public void busy() {
        try (ThreadContext.Scope scope = ThreadContext.open(1, 1)) {
            ThreadContext.putTag("test", "busy()");
            long end = cpuNanos() + 600_000_000L;
            while (cpuNanos() < end) {
                for (int i = 0; i < 10_000; ++i) sink += i;
            }
        }
    }

    private static long cpuNanos() {
        return ManagementFactory.getThreadMXBean().getCurrentThreadCpuTime();
    }
}
