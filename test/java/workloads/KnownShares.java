import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Spends the time of several threads on methods in random order: in plain calls, in recursion, in
 * calls within calls, in calls that end by exceptions, and in short calls.
 *
 * <p>usage: KnownShares busy|asleep threads millis [virtual]
 *
 * <p>Each thread spends so much CPU time, or asleep so much elapsed time. With `virtual`, a virtual
 * thread does the same meanwhile.
 *
 * <p>Prints "ready=" when the threads run. Truth: cpu.METHOD and wall.METHOD, the nanoseconds that
 * the platform threads have spent in METHOD, by their own clocks; cpu.main.
 */
public final class KnownShares {
  private static final String[] NAMES = {"plain", "recursive", "outer", "thrown", "brief", "inner"};
  private static final int INNER = 5;
  private static final int[] PERCENT = {30, 20, 20, 10, 20};
  private static final int STEPS = 500_000;
  private static final double NAP_MILLIS = 40;
  private static final int STEPS_BETWEEN_NAPS = 30_000;

  private final boolean isAsleep;
  private final AtomicLong[] cpu = counters();
  private final AtomicLong[] wall = counters();

  private KnownShares(boolean isAsleep) {
    this.isAsleep = isAsleep;
  }

  public static void main(String[] args) throws Exception {
    boolean isAsleep = args[0].equals("asleep");
    long nanos = Long.parseLong(args[2]) * 1_000_000;
    KnownShares shares = new KnownShares(isAsleep);
    shares.spend(200_000_000, 1); // compiles everything
    if (args.length > 3) {
      PlainOrVirtual.start(
          true, "virtual", () -> new KnownShares(isAsleep).spend(Long.MAX_VALUE, 7));
    }
    List<Thread> threads = new ArrayList<>();
    for (int i = 0; i < Integer.parseInt(args[1]); i++) {
      int seed = i + 2;
      threads.add(Work.start("worker-" + i, () -> shares.spend(nanos, seed)));
    }
    Work.print("ready", "");
    Work.join(threads);
    for (int i = 0; i < NAMES.length; i++) {
      Work.print("cpu." + NAMES[i], shares.cpu[i].get());
      Work.print("wall." + NAMES[i], shares.wall[i].get());
    }
    Work.print("cpu.main", Work.cpuNanos());
    System.exit(0);
  }

  private static AtomicLong[] counters() {
    AtomicLong[] counters = new AtomicLong[NAMES.length];
    for (int i = 0; i < counters.length; i++) counters[i] = new AtomicLong();
    return counters;
  }

  private void spend(long nanos, int seed) {
    Random random = new Random(seed);
    long start = isAsleep ? System.nanoTime() : Work.cpuNanos();
    while ((isAsleep ? System.nanoTime() : Work.cpuNanos()) - start < nanos) {
      int draw = random.nextInt(100);
      int part = 0;
      for (int sum = PERCENT[0]; sum <= draw; sum += PERCENT[part]) part++;
      long wallBegin = System.nanoTime();
      long cpuBegin = Work.cpuNanos();
      call(part, 0.5 + random.nextDouble());
      count(part, wallBegin, cpuBegin);
    }
  }

  private void count(int part, long wallBegin, long cpuBegin) {
    cpu[part].addAndGet(Work.cpuNanos() - cpuBegin);
    wall[part].addAndGet(System.nanoTime() - wallBegin);
  }

  private void call(int part, double length) {
    switch (part) {
      case 0: plain(length); break;
      case 1: recursive(length / 10, 10); break;
      case 2: outer(length); break;
      case 3:
        try {
          thrown(length);
        } catch (IllegalStateException expected) {
          Work.sink++;
        }
        break;
      default: for (int i = 0; i < 20; i++) brief(length / 20); break;
    }
  }

  private void plain(double length) {
    pass(length);
  }

  private void recursive(double length, int depth) {
    pass(length);
    if (depth > 1) recursive(length, depth - 1);
  }

  private void outer(double length) {
    pass(length / 2);
    long wallBegin = System.nanoTime();
    long cpuBegin = Work.cpuNanos();
    inner(length / 2);
    count(INNER, wallBegin, cpuBegin);
  }

  private void inner(double length) {
    pass(length);
  }

  private void thrown(double length) {
    pass(length);
    throw new IllegalStateException("on purpose");
  }

  private void brief(double length) {
    pass(length);
  }

  private void pass(double length) {
    if (!isAsleep) {
      Work.spin((int) (length * STEPS));
      return;
    }
    long nanos = (long) (length * NAP_MILLIS * 1e6);
    try {
      Thread.sleep(nanos / 1_000_000, (int) (nanos % 1_000_000));
    } catch (InterruptedException unexpected) {
      throw new IllegalStateException(unexpected);
    }
    Work.spin(STEPS_BETWEEN_NAPS); // `wall` does not see a thread that runs for a shorter time
  }
}
