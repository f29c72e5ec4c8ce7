import java.lang.management.ManagementFactory;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

@ExtendWith(SpanPerTest.class)
class OrderTest {
    private static volatile long sink;

    @Test
    void quick() {
        burn(20);
    }

    @Test
    void busy() {
        burn(600);
    }

    @Test
    void waits() throws InterruptedException {
        Thread.sleep(400);
    }

    private static void burn(long milliseconds) {
        long end = cpuNanos() + milliseconds * 1_000_000;
        while (cpuNanos() < end) {
            for (int i = 0; i < 10_000; ++i) sink += i;
        }
    }

    private static long cpuNanos() {
        return ManagementFactory.getThreadMXBean().getCurrentThreadCpuTime();
    }
}
