import java.util.Arrays;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Many threads short-0, short-1, ... that each live for a few milliseconds of CPU, two at a time.
 * ShortThreads threads cpuMicros
 *
 * <p>Truth: cpu.total, the sum of their clocks at their ends.
 */
public final class ShortThreads {
  private static final AtomicLong TOTAL_NANOS = new AtomicLong();

  private ShortThreads() {}

  public static void main(String[] args) throws InterruptedException {
    int threads = Integer.parseInt(args[0]);
    long cpuNanos = Long.parseLong(args[1]) * 1_000;
    for (int i = 0; i < threads; i += 2) {
      Work.join(Arrays.asList(start(i, cpuNanos), start(i + 1, cpuNanos)));
    }
    Work.print("cpu.total", TOTAL_NANOS.get());
  }

  private static Thread start(int index, long cpuNanos) {
    return Work.start(
        "short-" + index,
        () -> {
          Work.burn(cpuNanos);
          TOTAL_NANOS.addAndGet(Work.cpuNanos());
        });
  }
}
