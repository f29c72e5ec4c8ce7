import java.io.File;

/**
 * Starts and stops the profiler while many native threads wait, for scripts/bench start.
 *
 * <p>usage: ManyThreads agentLibrary startCommand nativeFolder threads
 *
 * <p>Prints ms.start, ms.stop and ms.second.start, the times that these commands took; the same
 * keys with .cpu appended, the CPU time of the calling thread for them; and interrupted, how many
 * system calls of the waiting threads were interrupted.
 */
public final class ManyThreads {
  private ManyThreads() {}

  public static void main(String[] args) {
    Profiler profiler = new Profiler(args[0], new File(args[2]));
    System.load(new File(args[2], "libmany_threads.so").getPath());
    long waiters = startWaiters(Integer.parseInt(args[3]));
    time("ms.start", () -> profiler.execute(args[1]));
    Work.burn(200_000_000);
    time("ms.stop", () -> profiler.execute("stop"));
    time("ms.second.start", () -> profiler.execute(args[1]));
    profiler.execute("stop");
    Work.print("interrupted", endWaiters(waiters));
  }

  private static void time(String key, Runnable body) {
    long begin = System.nanoTime();
    long cpu = Work.cpuNanos();
    body.run();
    Work.print(key + ".cpu", (Work.cpuNanos() - cpu) / 1e6);
    Work.print(key, (System.nanoTime() - begin) / 1e6);
  }

  private static native long startWaiters(int count);

  private static native int endWaiters(long waiters);
}
