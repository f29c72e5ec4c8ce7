import java.util.function.LongSupplier;
import java.util.function.LongUnaryOperator;

/**
 * A class that {@link ClassUnloader} loads and unloads. It burns half of its time in a method and
 * half in a lambda, whose hidden class is unloaded with it. It uses no other class of the program.
 */
public final class Throwaway implements LongSupplier {
  private final long cpuNanos;
  private long value = 1;

  public Throwaway(long cpuNanos) {
    this.cpuNanos = cpuNanos;
  }

  /** Returns the CPU nanoseconds burned. */
  @Override
  public long getAsLong() {
    long start = now();
    burnInMethod(start + cpuNanos / 2);
    LongUnaryOperator lambda = this::burnInLambda;
    lambda.applyAsLong(start + cpuNanos);
    return now() - start;
  }

  private void burnInMethod(long end) {
    while (now() < end) {
      spin();
    }
  }

  private long burnInLambda(long end) {
    while (now() < end) {
      spin();
    }
    return value;
  }

  private void spin() {
    for (int i = 0; i < 10_000; i++) {
      value = value * 6364136223846793005L + 1442695040888963407L;
      value ^= value >>> 29;
    }
  }

  private static long now() {
    return java.lang.management.ManagementFactory.getThreadMXBean().getCurrentThreadCpuTime();
  }
}
