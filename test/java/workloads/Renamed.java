import java.io.File;
import java.lang.ref.WeakReference;
import java.util.concurrent.Semaphore;

/**
 * A thread that uses CPU time under one name and then under another.
 *
 * <p>usage: Renamed agentLibrary startCommand nativeFolder burnMillis
 *
 * <p>Truth: cpu.before and cpu.after, the CPU time under each name; collected, whether the Java
 * object of the ended thread was collected while the profiler was still running.
 */
public final class Renamed {
  private static final Semaphore BEGIN = new Semaphore(0);
  private static final Semaphore DONE = new Semaphore(0);

  private Renamed() {}

  public static void main(String[] args) throws InterruptedException {
    Profiler profiler = new Profiler(args[0], new File(args[2]));
    long nanos = Long.parseLong(args[3]) * 1_000_000;
    Work.print("answer.start", profiler.execute(args[1]));
    WeakReference<Thread> thread = new WeakReference<>(Work.start("before", () -> burnTwice(nanos)));
    burnOnce();
    profiler.execute("dump");  // writes all earlier samples under the first name
    thread.get().setName("after");
    profiler.execute("dump");
    burnOnce();
    thread.get().join();
    profiler.execute("dump");
    for (int i = 0; i < 20 && thread.get() != null; i++) {
      System.gc();
    }
    Work.print("collected", thread.get() == null ? 1 : 0);
    Work.print("answer.stop", profiler.execute("stop"));
  }

  private static void burnOnce() throws InterruptedException {
    BEGIN.release();
    DONE.acquire();
  }

  private static void burnTwice(long nanos) {
    for (String name : new String[] {"before", "after"}) {
      BEGIN.acquireUninterruptibly();
      long before = Work.cpuNanos();
      Work.burn(nanos);
      Work.print("cpu." + name, Work.cpuNanos() - before);
      DONE.release();
    }
  }
}
