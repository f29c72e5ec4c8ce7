import java.io.File;
import java.io.IOException;
import java.lang.reflect.InvocationTargetException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Traces invalid and unusual classes together with valid ones: classes that fail verification,
 * methods of the greatest length, class files of every version, hidden classes.
 *
 * <p>usage: TraceFaults agentLibrary nativeFolder file
 *
 * <p>Truth: calls.METHOD; refused.WHEN, whether a class that must fail verification fails before,
 * during and after the recording, and when it is loaded during the recording; versions, the number
 * of class file versions.
 */
public final class TraceFaults {
  private static final int FIRST_VERSION = 45;
  private static final int CODE_LIMIT = 65535;

  /** The number of bytes of code that the probes of a method with one exit take. */
  private static final int PROBES = 8 + 8 + 10;

  private static int calls;  // number of calls of f

  private TraceFaults() {}

  static int fine(int number) {
    if (number % 2 == 0) throw new IllegalStateException("even");
    return number;
  }

  public static void main(String[] args) throws Exception {
    Profiler profiler = new Profiler(args[0], new File(args[1]));
    Class<?> large =
        new MadeClass("made/Large", 49)
            .with("fits", CODE_LIMIT - PROBES)
            .with("tooLong", CODE_LIMIT - PROBES + 1)
            .define();
    call(large, "fits", 1);
    Class<?> broken = new MadeClass("made/Broken", 50).withBroken("f").define();
    Class<?> unlinked = new MadeClass("made/Unlinked", 50).withBroken("f").define();
    Work.print("refused.before", refuses(broken));
    FreshClass.burner(FreshClass.bytesOf("StormBurner"), true);
    List<Class<?>> versions = versions();
    calls = 0;

    String answer =
        profiler.execute(
            "start,trace=made.*.*+TraceFaults.fine+StormBurner*.*+"
                + "java.util.concurrent.ConcurrentHashMap.containsValue,file="
                + args[2]);
    Work.print("answer.start", answer.replace('\n', '|'));
    versions.addAll(versions());  // more classes with the same names
    // Depending on what the loader finds, these classes get their probes when they are loaded or
    // when they are linked.
    Class<?> late =
        new MadeClass("made/Late", 50).with("f", 2).withBroken("g").defineInLoaderOf(large);
    Class<?> alone = new MadeClass("made/Alone", 50).with("f", 2).withBroken("g").define();
    Work.print("refused.during", refuses(broken));
    Work.print("refused.unlinked", refuses(unlinked));
    Work.print("refused.late", refuses(late));
    Work.print("refused.alone", refuses(alone));
    call(large, "fits", 10);
    call(large, "tooLong", 10);
    for (Class<?> version : versions) calls += call(version, "f", 20);
    ConcurrentHashMap<Object, Object> map = new ConcurrentHashMap<>();
    for (int i = 0; i < 30; i++) map.containsValue(args);
    int failures = 0;
    for (int i = 0; i < 1000; i++) {
      try {
        Work.sink += fine(i);
      } catch (IllegalStateException even) {
        failures++;
      }
    }
    Work.print("answer.stop", profiler.execute("stop").replace('\n', '|'));
    Work.print("refused.after", refuses(broken));
    call(large, "fits", 1);
    for (Class<?> version : versions) call(version, "f", 1);
    Work.print("calls.fits", 10);
    Work.print("calls.f", calls);
    Work.print("calls.containsValue", 30);
    Work.print("calls.fine", 1000);
    Work.print("exceptions.fine", failures);
    Work.print("versions", versions.size() / 2);
  }

  /**
   * Makes a class for each class file version that this JVM reads, named Of45 and so on. Links some
   * of them.
   */
  private static List<Class<?>> versions() throws ReflectiveOperationException, IOException {
    int last = (int) Double.parseDouble(System.getProperty("java.class.version"));
    List<Class<?>> versions = new ArrayList<>();
    for (int version = FIRST_VERSION; version <= last; version++) {
      Class<?> made = new MadeClass("made/Of" + version, version).with("f", 2).define();
      if (version % 2 == 0) calls += call(made, "f", 1);
      versions.add(made);
    }
    return versions;
  }

  /** Calls the method `times` times, and returns `times`. */
  private static int call(Class<?> made, String method, int times)
      throws ReflectiveOperationException {
    for (int i = 0; i < times; i++) {
      if (!made.getMethod(method).invoke(null).equals(1)) throw new IllegalStateException(method);
    }
    return times;
  }

  private static int refuses(Class<?> broken) throws ReflectiveOperationException {
    try {
      broken.getMethod("f").invoke(null);
      return 0;
    } catch (VerifyError expected) {
      return 1;
    } catch (InvocationTargetException wrapped) {
      return wrapped.getCause() instanceof VerifyError ? 1 : 0;
    }
  }
}
