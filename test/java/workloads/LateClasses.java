import java.io.File;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

/**
 * Tasks in a pool whose classes the JVM loads for the timer of virtual threads. JDK 21 to 23 load
 * these classes without JVMTI events. Needs JDK 21.
 *
 * <p>usage: LateClasses nativeFolder agentLibrary command tasks microsPerTask
 *
 * <p>A virtual thread sleeps. Then the tasks run in a pool (burnEarly), the program gives the
 * command to the profiler, and as many tasks run again (burnLate). Truth: answer, the answer to the
 * command; tasks, the number of tasks in each half.
 */
public final class LateClasses {
  private LateClasses() {}

  public static void main(String[] args) throws Exception {
    Profiler profiler = new Profiler(args[1], new File(args[0]));
    int tasks = Integer.parseInt(args[3]);
    long nanos = Long.parseLong(args[4]) * 1_000;
    PlainOrVirtual.start(true, "sleeper", () -> Thread.sleep(1)).join();
    ExecutorService pool = Executors.newFixedThreadPool(2);
    run(pool, tasks, () -> burnEarly(nanos));
    Work.print("answer", profiler.execute(args[2]).replace('\n', '|'));
    run(pool, tasks, () -> burnLate(nanos));
    pool.shutdown();
    Work.print("tasks", tasks);
  }

  private static void run(ExecutorService pool, int tasks, Runnable task) throws Exception {
    Future<?>[] futures = new Future<?>[tasks];
    for (int i = 0; i < tasks; i++) futures[i] = pool.submit(task);
    for (Future<?> future : futures) future.get();
  }

  static void burnEarly(long nanos) {
    Work.burn(nanos);
  }

  static void burnLate(long nanos) {
    Work.burn(nanos);
  }
}
