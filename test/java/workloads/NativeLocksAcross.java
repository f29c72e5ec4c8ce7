import java.io.File;

/**
 * Native waits during which recordings start and end.
 *
 * <p>usage: NativeLocksAcross agentLibrary nativeFolder folder
 *
 * <p>Truth: N.least and N.most, bounds of the time in nanoseconds that the thread waited in
 * recording N; called.WHEN, the libraries whose pthread_mutex_lock and pthread_cond_timedwait are
 * called.
 */
public final class NativeLocksAcross {
  private NativeLocksAcross() {}

  public static void main(String[] args) throws Exception {
    System.load(new File(args[1], "libnative_locks.so").getPath());
    Profiler profiler = new Profiler(args[0], new File(args[1]));
    System.out.println("called.before=" + NativeLocks.calledLibraries());
    NativeLocks.hold();
    long before = NativeLocks.time();
    start(profiler, args[2], 1);
    System.out.println("called.during=" + NativeLocks.calledLibraries());
    Thread thread = Work.startDaemon("waiting", () -> NativeLocks.contend("mutex", 1, 0));
    while (!NativeLocks.hasWaiter()) Thread.sleep(1);
    long begun = NativeLocks.time();
    Thread.sleep(100);
    Work.print("1.least", NativeLocks.time() - begun);
    Work.print("1.stopped", profiler.execute("stop").startsWith("stopped") ? 1 : 0);
    Work.print("1.most", NativeLocks.time() - before);
    System.out.println("called.after=" + NativeLocks.calledLibraries());

    // The waiting thread is still inside a wrapper of the first recording, whose stop did not wait
    // for it.
    start(profiler, args[2], 2);
    NativeLocks.release();
    thread.join();
    Thread again = Work.startDaemon("again", () -> NativeLocks.contend("mutex", 3, 0));
    again.join();
    Work.print("2.stopped", profiler.execute("stop").startsWith("stopped") ? 1 : 0);
    System.out.println("called.end=" + NativeLocks.calledLibraries());
  }

  private static void start(Profiler profiler, String folder, int number) {
    profiler.execute("start,nativelock=1ms,file=" + folder + "/" + number + ".jfr");
  }
}
