import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Semaphore;

/**
 * Allocates objects of known sizes on threads of a known kind, and prints the bytes of each class
 * and each site, as the JVM counts them.
 *
 * <p>usage: AllocationTruth long|short|waves|virtual threads size, or AllocationTruth slices slices
 * size
 *
 * <p>`size` is what each thread allocates, in megabytes for long and in kilobytes for the others.
 * long: the threads run at the same time. short: the threads run one after another, in eight lanes.
 * waves: many threads run at the same time, and end before the next ones start. virtual: virtual
 * threads (JDK 21). slices: the main thread allocates arrays of another length in each slice, and
 * prints slice.BYTES, the bytes of the slice whose arrays have BYTES bytes.
 */
public final class AllocationTruth {
  static final class Tiny {
    long a;
  }

  static final class Small {
    long a, b, c, d, e, f, g, h, i, j, k, l;
  }

  static volatile Object sink;

  static long bytes() {
    return ((com.sun.management.ThreadMXBean)
            java.lang.management.ManagementFactory.getThreadMXBean())
        .getThreadAllocatedBytes(Thread.currentThread().getId());
  }

  /** The sites. Each call allocates one object. */
  static void tiny() {
    sink = new Tiny();
  }

  static void small() {
    sink = new Small();
  }

  static void smallElsewhere() {
    sink = new Small();
  }

  static void ints(int length) {
    sink = new int[length];
  }

  static void chars(int length) {
    sink = new char[length];
  }

  static void bytes(int length) {
    sink = new byte[length];
  }

  static void longs(int length) {
    sink = new long[length];
  }

  /**
   * Allocates objects of 16 bytes to 16 MB. Large ones are rare. Each turn allocates the same
   * mixture.
   */
  static void mixed(long turns) {
    for (long turn = 0; turn < turns; turn++) {
      for (int i = 0; i < 512; i++) {
        tiny();
        small();
        if (i % 2 == 0) smallElsewhere();
      }
      for (int i = 0; i < 16; i++) ints(1 << 10);
      if (turn % 2 == 0) chars(1 << 15);
      if (turn % 16 == 0) bytes(1 << 20);
      if (turn % 256 == 0) longs(1 << 21);
    }
  }

  /** Allocates only small objects, of which even a short thread can have many. */
  static void plain(long turns) {
    for (long turn = 0; turn < turns; turn++) {
      for (int i = 0; i < 8; i++) {
        tiny();
        small();
        if (i % 2 == 0) smallElsewhere();
      }
      ints(128);
      chars(512);
    }
  }

  interface Work {
    void run(long turns);
  }

  static final int MEASUREMENTS = 3;
  static final int OBJECTS = 8;

  /**
   * Prints the total bytes that a site has allocated, as the JVM counts them. The objects that this
   * method allocates for its measurements are included.
   */
  static void printSite(String name, long times, Runnable site) {
    long objects = Long.MAX_VALUE;
    long counting = Long.MAX_VALUE;
    for (int i = 0; i < MEASUREMENTS; i++) {
      long before = bytes();
      long between = bytes();
      for (int k = 0; k < OBJECTS; k++) site.run();
      objects = Math.min(objects, bytes() - between);
      counting = Math.min(counting, between - before);
    }
    long each = (objects - counting) / OBJECTS;
    print("site." + name, (times + MEASUREMENTS * OBJECTS) * each);
  }

  static void print(String name, long bytes) {
    System.out.println(name + "=" + bytes);
  }

  /** The number of turns before the threads start, in which the size of a turn is measured. */
  static final int FIRST_TURN = 1;

  static long turnsBefore(boolean isMixed) {
    return isMixed ? 256 : 16;
  }

  /**
   * Returns how often all threads together have done what they do in the first and then in every
   * `step`th turn.
   */
  static long count(int step, boolean isMixed, long turns, long threads) {
    long first = (FIRST_TURN + step - 1) / step + (turnsBefore(isMixed) + step - 1) / step;
    return first + (turns + step - 1) / step * threads;
  }

  /** Prints the total bytes that each site has allocated. */
  static void printTruth(boolean isMixed, long turns, long threads) {
    long all = count(1, isMixed, turns, threads);
    long many = (isMixed ? 512 : 8) * all;
    printSite("tiny", many, AllocationTruth::tiny);
    printSite("small", many, AllocationTruth::small);
    printSite("smallElsewhere", many / 2, AllocationTruth::smallElsewhere);
    if (isMixed) {
      printSite("ints", 16 * all, () -> ints(1 << 10));
      printSite("chars", count(2, true, turns, threads), () -> chars(1 << 15));
      printSite("bytes", count(16, true, turns, threads), () -> bytes(1 << 20));
      printSite("longs", count(256, true, turns, threads), () -> longs(1 << 21));
    } else {
      printSite("ints", all, () -> ints(128));
      printSite("chars", all, () -> chars(512));
    }
  }

  static void runLong(int threads, Work work, long turns) throws Exception {
    Thread[] all = new Thread[threads];
    for (int i = 0; i < threads; i++) {
      String name = "long-" + i;
      Runnable run =
          () -> {
            work.run(turns);
            print("thread." + name, bytes());
          };
      all[i] = new Thread(run, name);
      all[i].start();
    }
    for (Thread thread : all) thread.join();
  }

  static void runShort(int threads, Work work, long turns) throws Exception {
    Semaphore lanes = new Semaphore(8);
    CountDownLatch done = new CountDownLatch(threads);
    for (int i = 0; i < threads; i++) {
      lanes.acquire();
      new Thread(
              () -> {
                work.run(turns);
                lanes.release();
                done.countDown();
              },
              "short")
          .start();
    }
    done.await();
  }

  /**
   * The number of threads that exist at the same time, and so have different addresses. HotSpot
   * draws a thread's first interval between samples from the thread's address. The threads of the
   * next wave have the same addresses again.
   */
  private static final int WAVE = 250;

  static void runWaves(int threads, Work work, long turns) throws Exception {
    for (int started = 0; started < threads; started += WAVE) {
      Thread[] wave = new Thread[Math.min(WAVE, threads - started)];
      CountDownLatch areThere = new CountDownLatch(wave.length);
      for (int i = 0; i < wave.length; i++) {
        Runnable run =
            () -> {
              areThere.countDown();
              awaitUnchecked(areThere);
              work.run(turns);
            };
        wave[i] = new Thread(run, "wave");
        wave[i].start();
      }
      for (Thread thread : wave) thread.join();
    }
  }

  private static void awaitUnchecked(CountDownLatch latch) {
    try {
      latch.await();
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }

  static void runVirtual(int threads, Work work, long turns) throws Exception {
    Object builder = Thread.class.getMethod("ofVirtual").invoke(null);
    Class<?> type = Class.forName("java.lang.Thread$Builder");
    Thread[] all = new Thread[threads];
    for (int i = 0; i < threads; i++) {
      Runnable run = () -> work.run(turns);
      all[i] = (Thread) type.getMethod("start", Runnable.class).invoke(builder, run);
    }
    for (Thread thread : all) thread.join();
  }

  static void runSlices(int slices, long bytesOfEach) {
    for (int i = 0; i < slices; i++) {
      int length = 8 * i + 16;  // the header of an array has 16 bytes more
      long before = bytes();
      long between = bytes();
      for (long made = 0; made < bytesOfEach; made += length) bytes(length);
      print("slice." + (length + 16), bytes() - between - (between - before));
    }
  }

  public static void main(String[] args) throws Exception {
    if (args[0].equals("slices")) {
      runSlices(Integer.parseInt(args[1]), Long.parseLong(args[2]) << 10);
      return;
    }
    int threads = Integer.parseInt(args[1]);
    boolean isMixed = args[0].equals("long");
    long size = Long.parseLong(args[2]) << (isMixed ? 20 : 10);
    Work work = isMixed ? AllocationTruth::mixed : AllocationTruth::plain;
    work.run(FIRST_TURN);
    long before = bytes();
    work.run(turnsBefore(isMixed));
    long turns = Math.max(1, size * turnsBefore(isMixed) / (bytes() - before));
    switch (args[0]) {
      case "long":
        runLong(threads, work, turns);
        break;
      case "short":
        runShort(threads, work, turns);
        break;
      case "waves":
        runWaves(threads, work, turns);
        break;
      default:
        runVirtual(threads, work, turns);
    }
    printTruth(isMixed, turns, threads);
    print("turns", turns);
  }
}
