import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Threads that work in many different stacks, in one of three patterns.
 *
 * <p>usage: Throughput pattern threads amount
 *
 * <p>Patterns: stable (the threads work for `amount` milliseconds; an operation is a unit of work),
 * batches (`amount` times, `threads` threads do 20 units each; an operation is a thread), waves
 * (`amount` times, the threads are started and wait for each other; an operation is a thread).
 * After a warm-up with the same pattern, prints operations, wall.nanos and cpu.nanos.
 */
public final class Throughput {
  private static final int UNITS_OF_BATCH = 20;

  private Throughput() {}

  /** Does `amount` of the pattern's work, and returns the number of operations. */
  interface Pattern {
    long run(int threads, long amount) throws InterruptedException;
  }

  public static void main(String[] args) throws InterruptedException {
    Pattern pattern = patternOf(args[0]);
    int threads = Integer.parseInt(args[1]);
    long amount = Long.parseLong(args[2]);
    Work.processCpuNanos();  // loads the classes that the call needs
    pattern.run(threads, Math.max(1, amount / 4));
    long cpu = Work.processCpuNanos();
    long wall = System.nanoTime();
    long operations = pattern.run(threads, amount);
    wall = System.nanoTime() - wall;
    cpu = Work.processCpuNanos() - cpu;
    Work.print("operations", operations);
    Work.print("wall.nanos", wall);
    Work.print("cpu.nanos", cpu);
  }

  private static Pattern patternOf(String name) {
    switch (name) {
      case "stable": return Throughput::stable;
      case "batches": return Throughput::batches;
      case "waves": return Throughput::waves;
      default: throw new IllegalArgumentException(name);
    }
  }

  private static long stable(int count, long millis) throws InterruptedException {
    AtomicLong operations = new AtomicLong();
    long end = System.nanoTime() + millis * 1_000_000;
    together(
        count,
        thread -> {
          long done = 0;
          do {
            unit(thread + done++);
          } while (System.nanoTime() < end);
          operations.addAndGet(done);
        });
    return operations.get();
  }

  private static long batches(int count, long amount) throws InterruptedException {
    for (long batch = 0; batch < amount; batch++) {
      long number = batch;
      together(
          count,
          thread -> {
            for (int i = 0; i < UNITS_OF_BATCH; i++) {
              unit(number * 31 + thread + i);
            }
          });
    }
    return count * amount;
  }

  private static long waves(int count, long amount) throws InterruptedException {
    for (long wave = 0; wave < amount; wave++) {
      long number = wave;
      CountDownLatch all = new CountDownLatch(count);
      together(
          count,
          thread -> {
            all.countDown();
            try {
              all.await();
            } catch (InterruptedException unexpected) {
              throw new IllegalStateException(unexpected);
            }
            unit(number * 31 + thread);
          });
    }
    return count * amount;
  }

  /** The work of a thread, by its number. */
  interface Body {
    void run(int thread);
  }

  private static void together(int count, Body body) throws InterruptedException {
    Thread[] threads = new Thread[count];
    for (int i = 0; i < count; i++) {
      int number = i;
      threads[i] = new Thread(null, () -> body.run(number), "worker-" + i, 256 << 10);
      threads[i].start();
    }
    for (Thread thread : threads) {
      thread.join();
    }
  }

  /** Works for some tens of microseconds, at the innermost frames of stacks of 5 to 20 frames. */
  private static void unit(long number) {
    long path = number * 0x9E3779B97F4A7C15L;
    long sum = 0;
    for (int i = 0; i < 8; i++) {
      path = path * 6364136223846793005L + 1442695040888963407L;
      sum += left(path, 5 + (int) (path >>> 60));
    }
    if (sum == 42) {
      Work.sink = sum;
    }
  }

  private static long left(long path, int depth) {
    return depth == 0 ? work(path) : next(path >>> 1, depth - 1) + 1;
  }

  private static long right(long path, int depth) {
    return depth == 0 ? work(path) : next(path >>> 1, depth - 1) + 2;
  }

  private static long middle(long path, int depth) {
    return depth == 0 ? work(path) : next(path >>> 1, depth - 1) + 3;
  }

  private static long next(long path, int depth) {
    switch ((int) (path & 3)) {
      case 0: return left(path, depth);
      case 1: return right(path, depth);
      default: return middle(path, depth);
    }
  }

  private static long work(long seed) {
    long value = seed;
    for (int i = 0; i < 1000; i++) {
      value = value * 6364136223846793005L + 1442695040888963407L;
      value ^= value >>> 29;
    }
    return value;
  }
}
