import java.io.File;
import java.lang.management.ManagementFactory;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.locks.LockSupport;

/**
 * Makes recordings itself, one after another, and allocates objects during each.
 *
 * <p>usage: OwnObjects agentLibrary startOptions nativeFolder folder recordings
 *
 * <p>Recording n is folder/n.jfr. Truth: answer.start.n, answer.stop.n; allocated.n, the bytes that
 * the thread main has allocated between these two answers.
 */
public final class OwnObjects {
  private static final int BLOCK = 8 << 10;
  private static final int BLOCKS = 1024;
  private static final int PARKS = 1000;

  static byte[] kept;

  private OwnObjects() {}

  public static void main(String[] args) throws Exception {
    Profiler profiler = new Profiler(args[0], new File(args[2]));
    Work.print("allocated.0", allocated());  // not used: the first call allocates more
    int recordings = Integer.parseInt(args[4]);
    for (int n = 1; n <= recordings; n++) {
      String file = ",file=" + new File(args[3], n + ".jfr");
      Work.print("answer.start." + n, profiler.execute(args[1] + file));
      long before = allocated();
      for (int i = 0; i < BLOCKS; i++) {
        kept = new byte[BLOCK];
      }
      Work.join(parkers());
      Work.print("allocated." + n, allocated() - before);
      Work.print("answer.stop." + n, profiler.execute("stop"));
    }
  }

  private static List<Thread> parkers() {
    List<Thread> threads = new ArrayList<>();
    for (int i = 0; i < 2; i++) {
      threads.add(
          Work.start(
              "parker-" + i,
              () -> {
                for (int turn = 0; turn < PARKS; turn++) {
                  LockSupport.parkNanos(1_000);
                  traced();
                }
              }));
    }
    return threads;
  }

  static void traced() {
    Work.spin(10);
  }

  private static long allocated() {
    com.sun.management.ThreadMXBean threads =
        (com.sun.management.ThreadMXBean) ManagementFactory.getThreadMXBean();
    return threads.getThreadAllocatedBytes(Thread.currentThread().getId());
  }
}
