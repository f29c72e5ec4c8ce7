import java.util.concurrent.CountDownLatch;

/**
 * Threads that wait forever while one thread works, to measure what they cost the profiler.
 *
 * <p>usage: IdleThreads threads settleMillis millis
 *
 * <p>After settleMillis, measures for `millis`, and prints in nanoseconds: cpu.others, the CPU time
 * of the process without that of the working thread; wall.measured, the elapsed time.
 */
public final class IdleThreads {
  private IdleThreads() {}

  public static void main(String[] args) throws InterruptedException {
    int threads = Integer.parseInt(args[0]);
    CountDownLatch never = new CountDownLatch(1);
    for (int i = 0; i < threads; i++) {
      Work.startDaemon("idle-" + i, () -> await(never));
    }
    Thread busy = Work.startDaemon("busy-0", Work::burnForever);
    Thread.sleep(Long.parseLong(args[1]));
    long start = System.nanoTime();
    long cpu = Work.processCpuNanos() - Work.cpuNanos(busy);
    Thread.sleep(Long.parseLong(args[2]));
    long others = Work.processCpuNanos() - Work.cpuNanos(busy) - cpu;
    Work.print("wall.measured", System.nanoTime() - start);
    Work.print("cpu.others", others);
  }

  private static void await(CountDownLatch never) {
    try {
      never.await();
    } catch (InterruptedException end) {
      Thread.currentThread().interrupt();
    }
  }
}
