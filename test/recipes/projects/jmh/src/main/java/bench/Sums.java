package bench;

import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.Warmup;

@State(Scope.Thread)
@Fork(2)
@Warmup(iterations = 1, time = 1)
@Measurement(iterations = 1, time = 1)
public class Sums {
    public long[] numbers = new long[4096];

    @Benchmark
    public long sum() {
        long sum = 0;
        for (long number : numbers) sum = sum * 31 + number;
        return sum;
    }
}
