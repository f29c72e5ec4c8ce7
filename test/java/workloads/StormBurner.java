import java.lang.management.ManagementFactory;
import java.util.function.LongUnaryOperator;

/** A class that {@link ClassStorm} loads, each time with another name for the method that burns. */
public final class StormBurner implements LongUnaryOperator {
  /** Burns {@code nanos} of CPU time; returns the time used. */
  @Override
  public long applyAsLong(long nanos) {
    return burn_00000(nanos);
  }

  private static long burn_00000(long nanos) {
    long start = ManagementFactory.getThreadMXBean().getCurrentThreadCpuTime();
    long used = 0;
    long value = start;
    while (used < nanos) {
      for (int i = 0; i < 20_000; i++) {
        value = value * 6364136223846793005L + 1442695040888963407L;
        value ^= value >>> 29;
      }
      used = ManagementFactory.getThreadMXBean().getCurrentThreadCpuTime() - start;
    }
    return value == 0 ? used + 1 : used;
  }
}
