import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;

/**
 * Threads busy-0, busy-1, ... that burn CPU time in two methods: three parts in {@link #burnThree}
 * and one part in {@link #burnOne}.
 *
 * <p>usage: BusyLoop threads cpuMillis [wallMillis]
 *
 * <p>Each thread uses cpuMillis of CPU time, and lives for at least wallMillis. Truth in
 * nanoseconds: cpu.busy-N, the thread's clock at its end; wall.busy-N, the time from its first to
 * its last statement; life.busy-N, the time from before its start until it was joined;
 * method.burnThree and method.burnOne, the CPU time in each method, over all threads.
 */
public final class BusyLoop implements Runnable {
  // A turn takes 0.2 to 1 ms, at random, so that the turns do not synchronise with the sampler.
  private static final int MIN_ITERATIONS = 100_000;
  private static final int MAX_ITERATIONS = 500_000;

  private static long threeNanos;
  private static long oneNanos;

  private final String name;
  private final long cpuNanos;
  private final long wallNanos;

  private BusyLoop(String name, long cpuNanos, long wallNanos) {
    this.name = name;
    this.cpuNanos = cpuNanos;
    this.wallNanos = wallNanos;
  }

  public static void main(String[] args) throws InterruptedException {
    int threads = Integer.parseInt(args[0]);
    long cpuNanos = Long.parseLong(args[1]) * 1_000_000;
    long wallNanos = args.length > 2 ? Long.parseLong(args[2]) * 1_000_000 : 0;
    List<Thread> started = new ArrayList<>();
    long[] begin = new long[threads];
    for (int i = 0; i < threads; i++) {
      String name = "busy-" + i;
      begin[i] = System.nanoTime();
      started.add(Work.start(name, new BusyLoop(name, cpuNanos, wallNanos)));
    }
    for (int i = 0; i < threads; i++) {
      started.get(i).join();
      Work.print("life.busy-" + i, System.nanoTime() - begin[i]);
    }
    Work.print("method.burnThree", threeNanos);
    Work.print("method.burnOne", oneNanos);
  }

  @Override
  public void run() {
    long start = System.nanoTime();
    SplittableRandom random = new SplittableRandom(name.hashCode());
    long three = 0;
    long one = 0;
    long now = Work.cpuNanos();
    while (now < cpuNanos || System.nanoTime() - start < wallNanos) {
      int iterations = random.nextInt(MIN_ITERATIONS, MAX_ITERATIONS);
      Work.sink += burnThree(3 * iterations);
      long afterThree = Work.cpuNanos();
      Work.sink += burnOne(iterations);
      long afterOne = Work.cpuNanos();
      three += afterThree - now;
      one += afterOne - afterThree;
      now = afterOne;
    }
    addTruth(three, one);
    Work.print("cpu." + name, Work.cpuNanos());
    Work.print("wall." + name, System.nanoTime() - start);
  }

  private static synchronized void addTruth(long three, long one) {
    threeNanos += three;
    oneNanos += one;
  }

  static long burnThree(int iterations) {
    long value = iterations;
    for (int i = 0; i < iterations; i++) {
      value = value * 6364136223846793005L + 1442695040888963407L;
      value ^= value >>> 29;
    }
    return value;
  }

  static long burnOne(int iterations) {
    long value = iterations;
    for (int i = 0; i < iterations; i++) {
      value = value * 2862933555777941757L + 3037000493L;
      value ^= value >>> 31;
    }
    return value;
  }
}
