import java.io.File;
import java.util.ArrayList;
import java.util.List;

/**
 * Short-lived threads and classes, in rounds.
 *
 * <p>usage: Lives agentLibrary startCommand nativeFolder rounds threadsPerRound classesPerRound
 * rounds|always
 *
 * <p>With "rounds" each round ends with a dump. With "always" dumps follow each other all the time.
 * Each thread burns a little CPU time, and each class burns some more. Classes are hidden if the
 * JDK has hidden classes. Truth: threads and classes, their numbers; unwritable, how many dumps
 * were refused.
 */
public final class Lives {
  private static final String METHOD = "burn_00000";
  private static final int AT_ONCE = 20;
  private static final long THREAD_NANOS = 200_000;
  private static final long CLASS_NANOS = 2_000_000;

  private static volatile boolean over;
  private static int threads;
  private static int classes;

  private Lives() {}

  public static void main(String[] args) throws InterruptedException {
    Profiler profiler = new Profiler(args[0], new File(args[2]));
    int rounds = Integer.parseInt(args[3]);
    int threadsEach = Integer.parseInt(args[4]);
    int classesEach = Integer.parseInt(args[5]);
    boolean always = args[6].equals("always");
    Work.print("answer.start", profiler.execute(args[1]));
    Thread dumper = Work.start("dumper", () -> dumpUntilOver(profiler, always));
    byte[] bytes = FreshClass.bytesOf("StormBurner");
    for (int round = 0; round < rounds; round++) {
      live(threadsEach);
      burn(bytes, classesEach);
      System.gc();  // unloads the classes
      if (!always) {
        profiler.execute("dump");
      }
    }
    over = true;
    dumper.join();
    Work.print("threads", threads);
    Work.print("classes", classes);
    Work.print("answer.stop", profiler.execute("stop"));
  }

  private static void dumpUntilOver(Profiler profiler, boolean always) {
    while (always && !over) {
      profiler.execute("dump");
    }
  }

  private static void live(int count) throws InterruptedException {
    List<Thread> living = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      living.add(Work.start("life-" + threads++, () -> Work.burn(THREAD_NANOS)));
      if (living.size() == AT_ONCE || i == count - 1) {
        Work.join(living);
        living.clear();
      }
    }
  }

  private static void burn(byte[] bytes, int count) {
    for (int i = 0; i < count; i++) {
      String name = String.format("burn_%05d", classes++);
      FreshClass.burner(FreshClass.renamed(bytes, METHOD, name), true).applyAsLong(CLASS_NANOS);
    }
  }
}
