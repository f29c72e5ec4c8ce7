import java.util.concurrent.locks.LockSupport;

/**
 * A thread "deep" with events that it samples itself, under many frames.
 *
 * <p>usage: DeepEvents alloc DEPTH TURNS MEGABYTES: each turn allocates so many megabytes of small
 * objects under DEPTH frames, and as many under a few frames. Truth: bytes.Deep and bytes.Shallow,
 * as the JVM counts them.
 *
 * <p>usage: DeepEvents calls DEPTH TURNS MILLIS: in each turn descend calls itself DEPTH times, and
 * the innermost call takes MILLIS of CPU time. Truth: calls.
 *
 * <p>usage: DeepEvents parks DEPTH TURNS MICROS: the thread waits TURNS times for MICROS, under
 * DEPTH frames. Truth: waited, the nanoseconds of all waits.
 *
 * <p>Truth in all cases: cpu, the CPU nanoseconds that the thread has used.
 */
public final class DeepEvents {
  private static final long STACK_BYTES = 1L << 30;

  static final class Deep {
    long a, b, c, d, e, f, g, h, i, j, k, l;
  }

  static final class Shallow {
    long a, b, c, d, e, f, g, h, i, j, k, l;
  }

  static volatile Object sink;

  private DeepEvents() {}

  public static void main(String[] args) throws Exception {
    int depth = Integer.parseInt(args[1]);
    int turns = Integer.parseInt(args[2]);
    long amount = Long.parseLong(args[3]);
    Thread deep = new Thread(null, () -> run(args[0], depth, turns, amount), "deep", STACK_BYTES);
    deep.start();
    deep.join();
  }

  static void run(String what, int depth, int turns, long amount) {
    if (what.equals("alloc")) allocate(depth, turns, amount << 20);
    if (what.equals("calls")) call(depth, turns, amount);
    if (what.equals("parks")) park(depth, turns, amount * 1000);
    Work.print("cpu", Work.cpuNanos());
  }

  interface Body {
    long run();
  }

  static long descend(int left, Body body) {
    return left <= 1 ? body.run() : descend(left - 1, body);
  }

  static void allocate(int depth, int turns, long bytes) {
    long deep = 0;
    long shallow = 0;
    for (int turn = 0; turn < turns; ++turn) {
      deep += descend(depth, () -> deepObjects(bytes));
      shallow += shallowObjects(bytes);
    }
    Work.print("bytes.Deep", deep);
    Work.print("bytes.Shallow", shallow);
  }

  static long deepObjects(long bytes) {
    long begin = allocated();
    long end = begin;
    for (; end - begin < bytes; end = allocated()) {
      for (int i = 0; i < 10_000; ++i) sink = new Deep();
    }
    return end - begin;
  }

  static long shallowObjects(long bytes) {
    long begin = allocated();
    long end = begin;
    for (; end - begin < bytes; end = allocated()) {
      for (int i = 0; i < 10_000; ++i) sink = new Shallow();
    }
    return end - begin;
  }

  static long allocated() {
    return ((com.sun.management.ThreadMXBean)
            java.lang.management.ManagementFactory.getThreadMXBean())
        .getThreadAllocatedBytes(Thread.currentThread().getId());
  }

  static void call(int depth, int turns, long millis) {
    for (int turn = 0; turn < turns; ++turn) descend(depth, () -> burn(millis));
    Work.print("calls", (long) depth * turns);
  }

  static long burn(long millis) {
    Work.burn(millis * 1_000_000);
    return millis;
  }

  static void park(int depth, int turns, long nanos) {
    Work.print("waited", descend(depth, () -> parks(turns, nanos)));
  }

  static long parks(int turns, long nanos) {
    long waited = 0;
    for (int turn = 0; turn < turns; ++turn) {
      long begin = System.nanoTime();
      LockSupport.parkNanos(nanos);
      waited += System.nanoTime() - begin;
    }
    return waited;
  }
}
