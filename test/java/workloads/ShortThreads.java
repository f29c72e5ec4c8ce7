import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Many threads that use 1 to 8 ms of CPU time each, `side` of them at a time.
 *
 * <p>usage: ShortThreads threads side
 *
 * <p>Truth: cpu.short, the sum of their clocks at their last statement.
 */
public final class ShortThreads {
  private static final long MIN_NANOS = 1_000_000;
  private static final long MAX_NANOS = 8_000_000;

  private ShortThreads() {}

  public static void main(String[] args) throws InterruptedException {
    int threads = Integer.parseInt(args[0]);
    int side = Integer.parseInt(args[1]);
    SplittableRandom random = new SplittableRandom(42);
    AtomicLong total = new AtomicLong();
    for (int started = 0; started < threads; started += side) {
      List<Thread> group = new ArrayList<>();
      for (int i = 0; i < side; i++) {
        long nanos = random.nextLong(MIN_NANOS, MAX_NANOS);
        group.add(Work.start("short-" + (started + i), () -> total.addAndGet(burn(nanos))));
      }
      Work.join(group);
    }
    Work.print("cpu.short", total.get());
  }

  private static long burn(long nanos) {
    while (Work.cpuNanos() < nanos) {
      for (int i = 0; i < 5_000; i++) {
        Work.sink += i;
      }
    }
    return Work.cpuNanos();
  }
}
