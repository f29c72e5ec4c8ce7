package contexts;

import java.util.concurrent.TimeUnit;
import jprof.ThreadContext;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;

/**
 * Calls of {@link ThreadContext} on a thread that has never had a context, while another thread has
 * had one.
 */
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
public class BareCalls {
    /** True if the JVM has the agent with {@code context=1}. */
    @Param({"true"})
    public boolean active;

    @Setup
    public void check() throws InterruptedException {
        Thread other = new Thread(new Runnable() {
            @Override
            public void run() {
                ThreadContext.put(1, 1);
            }
        });
        other.start();
        other.join();
        if (ThreadContext.isActive() != active)
            throw new IllegalStateException("ThreadContext.isActive() is " + !active);
    }

    @Benchmark
    public void clear() {
        ThreadContext.clear();
    }
}
