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

/** Calls of {@link ThreadContext}, each with ids that no earlier call has used. */
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
public class ContextCalls {
    /** True if the JVM has the agent with {@code context=1}. */
    @Param({"true"})
    public boolean active;

    /** The number of tags in the context, in addition to the ids. */
    @Param({"0"})
    public int tags;

    private long number;

    @Setup
    public void check() {
        ThreadContext.put(1, 1);
        if (ThreadContext.isActive() != active)
            throw new IllegalStateException("ThreadContext.isActive() is " + !active);
        for (int i = 0; i < tags; ++i) ThreadContext.putTag("tag" + i, "twenty bytes of text");
    }

    /** What a measurement of an empty call takes: the part of a percentile that is the clock's. */
    @Benchmark
    public void nothing() {}

    @Benchmark
    public void put() {
        long id = ++number;
        ThreadContext.put(id, id);
    }

    @Benchmark
    public void putTrace() {
        long id = ++number;
        ThreadContext.put(id, id, id, 1);
    }

    @Benchmark
    public void putTraceAndRoot() {
        long id = ++number;
        ThreadContext.put(id, id, id, 1, id);
    }

    @Benchmark
    public void putTag() {
        ThreadContext.putTag("tag0", "twenty bytes of text");
    }

    @Benchmark
    public void clear() {
        ThreadContext.clear();
    }

    @Benchmark
    public void openAndClose() {
        long id = ++number;
        ThreadContext.open(id, id).close();
    }
}
