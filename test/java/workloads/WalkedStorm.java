import java.lang.management.ManagementFactory;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongUnaryOperator;

/**
 * A storm for the agent asgst_probe, which walks the threads until it is done: a class whose methods
 * run is redefined again and again; classes are made, used for a moment and unloaded, which also
 * invalidates compiled code and fills the code cache; threads start and end; virtual threads yield.
 *
 * <p>The number of a class "Storm000012" is also in the name of its method "bu_0000012".
 *
 * <p>usage: WalkedStorm; with -javaagent of OtherAgent
 *
 * <p>Truth: rounds; wrong, how many of them had a wrong result; redefined, unloaded and threads, the
 * numbers of redefinitions, of unloaded classes and of threads that have ended.
 */
public final class WalkedStorm {
  private static final int TURNS = 200;
  private static final long MICROS_BETWEEN_CLASSES = 10_000;
  private static final long MILLIS_BETWEEN_REDEFINITIONS = 40;
  private static final AtomicLong ROUNDS = new AtomicLong();
  private static final AtomicLong WRONG = new AtomicLong();
  private static final AtomicLong ENDED = new AtomicLong();

  private static long expected;

  private WalkedStorm() {}

  public static void main(String[] args) throws Exception {
    byte[] first = FreshClass.bytesOf("WalkedStepsA");
    byte[] second =
        FreshClass.renamed(FreshClass.bytesOf("WalkedStepsB"), "WalkedStepsB", "WalkedStepsA");
    expected = WalkedStepsA.step0(1, TURNS);
    List<Thread> threads = new ArrayList<>();
    threads.add(Work.start("steps-0", WalkedStorm::steps));
    threads.add(Work.start("steps-1", WalkedStorm::steps));
    threads.add(Work.start("classes", WalkedStorm::classes));
    threads.add(Work.start("spawner", WalkedStorm::spawn));
    startVirtual(threads);
    WalkProbe.begin();
    int redefined = 0;
    for (; !WalkProbe.isDone(); redefined++) {
      OtherAgent.redefine(WalkedStepsA.class, redefined % 2 == 0 ? second : first);
      if (redefined % 10 == 0) {
        System.gc();
      }
      Thread.sleep(MILLIS_BETWEEN_REDEFINITIONS);
    }
    Work.join(threads);
    System.gc();
    Work.print("rounds", ROUNDS.get());
    Work.print("wrong", WRONG.get());
    Work.print("redefined", redefined);
    Work.print("threads", ENDED.get());
    Work.print("unloaded", ManagementFactory.getClassLoadingMXBean().getUnloadedClassCount());
  }

  /** Called at the end of each chain of calls: lets a virtual thread be unmounted. */
  static long pause(long value) {
    if ((value & 1) != 0) {
      Thread.yield();
    }
    return value;
  }

  private static void round() {
    if (WalkedStepsA.step0(1, TURNS) != expected) {
      WRONG.incrementAndGet();
    }
    ROUNDS.incrementAndGet();
  }

  private static void steps() {
    while (!WalkProbe.isDone()) {
      round();
    }
  }

  private static void classes() {
    byte[] bytes = FreshClass.bytesOf("StormBurner");
    for (int number = 1; !WalkProbe.isDone(); number++) {
      String name = String.format("Storm%06d", number);
      byte[] named = FreshClass.renamed(bytes, "StormBurner", name);
      named = FreshClass.renamed(named, "burn_00000", String.format("bu_%07d", number));
      LongUnaryOperator burner = FreshClass.burner(name, named, number % 2 == 0);
      burner.applyAsLong(MICROS_BETWEEN_CLASSES * 1000);
    }
  }

  private static void spawn() {
    try {
      while (!WalkProbe.isDone()) {
        List<Thread> threads = new ArrayList<>();
        for (int i = 0; i < 4; i++) {
          threads.add(Work.start("short", WalkedStorm::shortLife));
        }
        Work.join(threads);
        ENDED.addAndGet(threads.size());
      }
    } catch (InterruptedException unexpected) {
      throw new IllegalStateException(unexpected);
    }
  }

  private static void shortLife() {
    for (int i = 0; i < 200; i++) {
      round();
    }
  }

  /** Starts virtual threads if the JDK has them. */
  private static void startVirtual(List<Thread> threads) throws Exception {
    for (int i = 0; i < 4 && PlainOrVirtual.hasVirtual(); i++) {
      threads.add(PlainOrVirtual.start(true, "virtual-" + i, WalkedStorm::steps));
    }
  }
}
