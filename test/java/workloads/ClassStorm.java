import java.lang.management.ManagementFactory;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.function.LongUnaryOperator;

/**
 * Threads "storm-0", "storm-1", ... that create one class after another and drop it, while the
 * collector unloads the dropped classes. Every second class is hidden if the JDK has hidden
 * classes; the others have a class loader each. In each class the method that burns has a name of
 * its own.
 *
 * <p>usage: ClassStorm threads rounds cpuMillisPerRound
 *
 * <p>Truth: cpu.burn_NNNNN, the CPU nanoseconds of each method; unloaded, the number of classes.
 */
public final class ClassStorm {
  private static final String METHOD = "burn_00000";

  private ClassStorm() {}

  public static void main(String[] args) throws InterruptedException {
    int count = Integer.parseInt(args[0]);
    int rounds = Integer.parseInt(args[1]);
    long nanos = Long.parseLong(args[2]) * 1_000_000;
    byte[] bytes = FreshClass.bytesOf("StormBurner");
    List<String> truth = Collections.synchronizedList(new ArrayList<>());
    List<Thread> threads = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      int first = 1 + i * rounds;
      threads.add(Work.start("storm-" + i, () -> run(bytes, first, rounds, nanos, truth)));
    }
    for (Thread thread : threads) {
      while (thread.isAlive()) {
        System.gc();
        thread.join(5);
      }
    }
    System.gc();
    truth.forEach(System.out::println);
    Work.print("unloaded", ManagementFactory.getClassLoadingMXBean().getUnloadedClassCount());
  }

  private static void run(byte[] bytes, int first, int rounds, long nanos, List<String> truth) {
    for (int i = first; i < first + rounds; i++) {
      String name = String.format("burn_%05d", i);
      LongUnaryOperator burner =
          FreshClass.burner(FreshClass.renamed(bytes, METHOD, name), i % 2 == 0);
      truth.add("cpu." + name + "=" + burner.applyAsLong(nanos));
    }
  }
}
