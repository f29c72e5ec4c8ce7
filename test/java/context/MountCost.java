import com.sun.management.OperatingSystemMXBean;
import java.lang.management.ManagementFactory;
import java.util.Arrays;
import java.util.concurrent.CountDownLatch;
import jprof.ThreadContext;

/**
 * Measures the CPU time of the process in nanoseconds for a mount and an unmount of a virtual
 * thread: the median of all rounds and the quartiles, after a warm-up. Two threads with contexts
 * yield to each other on one carrier.
 *
 * <p>usage: {@code java MountCost}, on JDK 21 or later
 *
 * <p>Run it in JVMs with the agent (context=1), with contextexport=1 as well, and without the
 * agent, and compare the results. It asserts nothing.
 */
public final class MountCost {
    private static final int ROUNDS = 41;
    private static final int WARM_UP = 10;
    private static final int YIELDS = 400_000;

    private static final OperatingSystemMXBean PROCESS =
            (OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean();

    private MountCost() {}

    public static void main(String[] arguments) throws Exception {
        System.setProperty("jdk.virtualThreadScheduler.parallelism", "1");
        System.setProperty("jdk.virtualThreadScheduler.maxPoolSize", "1");
        double[] nanos = new double[ROUNDS];
        for (int round = -WARM_UP; round < ROUNDS; ++round) {
            long before = PROCESS.getProcessCpuTime();
            yieldInTurns();
            double each = (PROCESS.getProcessCpuTime() - before) / (2.0 * YIELDS);
            if (round >= 0) nanos[round] = each;
        }
        Arrays.sort(nanos);
        System.out.printf("active=%d median %.0f ns, quartiles %.0f to %.0f ns%n",
                ThreadContext.isActive() ? 1 : 0, nanos[ROUNDS / 2], nanos[ROUNDS / 4],
                nanos[ROUNDS * 3 / 4]);
    }

    private static void yieldInTurns() throws Exception {
        CountDownLatch done = new CountDownLatch(2);
        for (int i = 1; i <= 2; ++i) {
            long span = i;
            Contexts.start("yielding-" + i, true, () -> {
                ThreadContext.put(span, span);
                for (int n = 0; n < YIELDS; ++n) Thread.yield();
                done.countDown();
            });
        }
        done.await();
    }
}
