import java.lang.invoke.MethodHandles;
import java.lang.management.ManagementFactory;
import java.lang.reflect.Array;
import java.lang.reflect.Method;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.function.LongUnaryOperator;

/**
 * Threads "storm-0", "storm-1", ... that make class after class and let it go while the collector
 * takes them away: every other one hidden where the JDK has such, the rest in class loaders of
 * their own. Each class has its own name for the method that burns. ClassStorm threads rounds
 * cpuMillisPerRound
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
    Method hidden = hiddenClassMaker();
    for (int i = first; i < first + rounds; i++) {
      String name = String.format("burn_%05d", i);
      byte[] renamed = renamed(bytes, name);
      try {
        Class<?> type = i % 2 == 0 && hidden != null
            ? define(hidden, renamed)
            : FreshClass.define("StormBurner", renamed);
        LongUnaryOperator burner =
            (LongUnaryOperator) type.getDeclaredConstructor().newInstance();
        truth.add("cpu." + name + "=" + burner.applyAsLong(nanos));
      } catch (ReflectiveOperationException broken) {
        throw new IllegalStateException(broken);
      }
    }
  }

  /** Lookup.defineHiddenClass, JDK 15 on. */
  private static Method hiddenClassMaker() {
    for (Method method : MethodHandles.Lookup.class.getMethods()) {
      if (method.getName().equals("defineHiddenClass")) {
        return method;
      }
    }
    return null;
  }

  private static Class<?> define(Method hidden, byte[] bytes) throws ReflectiveOperationException {
    Object noOptions = Array.newInstance(hidden.getParameterTypes()[2].getComponentType(), 0);
    Object lookup = hidden.invoke(MethodHandles.lookup(), bytes, true, noOptions);
    return ((MethodHandles.Lookup) lookup).lookupClass();
  }

  private static byte[] renamed(byte[] bytes, String name) {
    byte[] from = METHOD.getBytes(StandardCharsets.US_ASCII);
    byte[] to = name.getBytes(StandardCharsets.US_ASCII);
    byte[] renamed = bytes.clone();
    for (int at = 0; at + from.length <= renamed.length; at++) {
      boolean found = true;
      for (int i = 0; i < from.length && found; i++) {
        found = bytes[at + i] == from[i];
      }
      if (found) {
        System.arraycopy(to, 0, renamed, at, to.length);
      }
    }
    return renamed;
  }
}
