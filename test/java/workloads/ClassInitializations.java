import java.io.File;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;

/**
 * Threads that wait until another thread has initialized a class.
 *
 * <p>usage: ClassInitializations agentLibrary nativeFolder folder
 *
 * <p>In the recording folder/ended.jfr the thread initializer initializes Slow, while the
 * threads slow-0 to slow-4 use Slow. Likewise base-initializer initializes Base, while sub-0
 * creates a Sub, which extends Base. Both initializations end 400 ms after all these threads have
 * begun.
 *
 * <p>In the recording folder/never.jfr the threads left and right initialize Left and Right, which
 * use each other, so that neither initialization ends. The thread third, which uses Left, waits as
 * well. The recording folder/before.jfr starts when these three threads already wait.
 *
 * <p>Truth: id.THREAD, the id of a thread; waited.THREAD, the nanoseconds from before its use of
 * the class until after it.
 */
public final class ClassInitializations {
  private static final CountDownLatch SLOW = new CountDownLatch(1);
  private static final CountDownLatch BASE = new CountDownLatch(1);
  private static final CountDownLatch USERS = new CountDownLatch(6);
  private static final CountDownLatch LEFT = new CountDownLatch(1);
  private static final CountDownLatch RIGHT = new CountDownLatch(1);

  static final class Slow {
    static int used;

    static {
      SLOW.countDown();
      await(USERS);
      sleep(400);
    }
  }

  static class Base {
    static int used;

    static {
      BASE.countDown();
      await(USERS);
      sleep(400);
    }
  }

  static final class Sub extends Base {}

  static final class Left {
    static int used;

    static {
      LEFT.countDown();
      await(RIGHT);
      used = Right.used;
    }
  }

  static final class Right {
    static int used;

    static {
      RIGHT.countDown();
      await(LEFT);
      used = Left.used;
    }
  }

  private ClassInitializations() {}

  public static void main(String[] args) throws Exception {
    Profiler profiler = new Profiler(args[0], new File(args[1]));
    start(profiler, args[2], "ended");
    List<Thread> threads = new ArrayList<>();
    threads.add(run("initializer", () -> Slow.used++));
    threads.add(run("base-initializer", () -> Base.used++));
    await(SLOW);
    await(BASE);
    for (int i = 0; i < 5; i++) threads.add(runUser("slow-" + i, () -> Slow.used++));
    threads.add(runUser("sub-0", Sub::new));
    Work.join(threads);
    stop(profiler, "ended");

    start(profiler, args[2], "never");
    run("left", () -> Left.used++);
    run("right", () -> Right.used++);
    await(LEFT);
    run("third", () -> Left.used++);
    sleep(100);
    stop(profiler, "never");
    start(profiler, args[2], "before");
    sleep(100);
    stop(profiler, "before");
    Runtime.getRuntime().halt(0);
  }

  private static void start(Profiler profiler, String folder, String recording) {
    String answer = profiler.execute("start,lock=1ms,file=" + folder + "/" + recording + ".jfr");
    if (answer.startsWith("failed")) throw new IllegalStateException(answer);
  }

  private static void stop(Profiler profiler, String recording) {
    Work.print("answer." + recording, profiler.execute("stop").replace('\n', '|'));
  }

  private static Thread runUser(String name, Runnable use) {
    return run(name, () -> {
      USERS.countDown();
      use.run();
    });
  }

  private static Thread run(String name, Runnable use) {
    Thread thread =
        new Thread(
            () -> {
              long begin = System.nanoTime();
              use.run();
              Work.print("waited." + name, System.nanoTime() - begin);
            },
            name);
    thread.setDaemon(true);
    Work.print("id." + name, thread.getId());
    thread.start();
    return thread;
  }

  private static void await(CountDownLatch latch) {
    while (latch.getCount() != 0) sleep(1);
  }

  private static void sleep(long millis) {
    try {
      Thread.sleep(millis);
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }
}
