import java.io.File;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.locks.LockSupport;

/**
 * Threads that continue to run the version of a method that was current when they entered it, while
 * the class gets probes and loses them again.
 *
 * <p>usage: OldVersions agentLibrary nativeFolder file burnMillis
 *
 * <p>The threads "original", "probed" and "current" enter Spinner.spin before, while and after it
 * has probes, and spin there. "virtual", if the JDK has virtual threads, has entered
 * VirtualThread.run before the probes for locks are installed. "parked" waits in LockSupport.park
 * from before the probes on.
 *
 * <p>Truth: cpu.NAME, what each spinning thread burned while it was recorded.
 */
public final class OldVersions {
  private static volatile boolean isOver;
  private static volatile boolean isRecorded;

  private OldVersions() {}

  static final class Spinner {
    private Spinner() {}

    static long spin(CountDownLatch entered, CountDownLatch recorded) {
      entered.countDown();
      long before = 0;
      while (!isOver) {
        if (before == 0 && isRecorded) {
          before = Work.cpuNanos();
          recorded.countDown();
        }
      }
      return Work.cpuNanos() - before;
    }
  }

  public static void main(String[] args) throws Exception {
    try {
      run(args);
    } catch (IllegalStateException refused) {
      refused.printStackTrace();
      System.exit(1);
    }
  }

  private static void run(String[] args) throws Exception {
    Profiler profiler = new Profiler(args[0], new File(args[1]));
    long burnMillis = Long.parseLong(args[3]);
    boolean hasVirtual = hasVirtualThreads();
    CountDownLatch recorded = new CountDownLatch(hasVirtual ? 4 : 3);

    Thread parked = Work.start("parked", () -> {
      while (!isOver) {
        LockSupport.park();
      }
    });
    awaitParked(parked);
    spin("original", false, recorded);
    if (hasVirtual) {
      spin("virtual", true, recorded);
    }
    answer(profiler, "start,trace=OldVersions$Spinner.*,file=" + args[2] + ".traced.jfr");
    spin("probed", false, recorded);
    answer(profiler, "stop");
    spin("current", false, recorded);

    answer(profiler, "start,event=cpu,interval=2ms,wall=10ms,lock,file=" + args[2]);
    isRecorded = true;
    recorded.await();
    Thread.sleep(burnMillis);
    answer(profiler, "stop");
    isOver = true;
    LockSupport.unpark(parked);
  }

  private static void spin(String name, boolean isVirtual, CountDownLatch recorded)
      throws Exception {
    CountDownLatch entered = new CountDownLatch(1);
    PlainOrVirtual.start(
        isVirtual, name, () -> Work.print("cpu." + name, Spinner.spin(entered, recorded)));
    entered.await();
  }

  private static boolean hasVirtualThreads() {
    return Double.parseDouble(System.getProperty("java.specification.version")) >= 21;
  }

  private static void awaitParked(Thread thread) throws InterruptedException {
    while (thread.getState() != Thread.State.WAITING) {
      Thread.sleep(1);
    }
  }

  private static void answer(Profiler profiler, String command) {
    String answer = profiler.execute(command);
    if (answer.startsWith("failed")) {
      throw new IllegalStateException(answer);
    }
  }
}
