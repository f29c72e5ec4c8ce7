import java.io.File;
import java.io.InputStream;

/**
 * Observes what tracing changes in the code of methods, and whether it restores it.
 *
 * <p>usage: TracedRestored agentLibrary nativeFolder file
 *
 * <p>Truth: changed.WHEN, whether the code that the JVM runs differs from the original: during the
 * first recording, after it, during a second one, at the end; changed.late, whether the code of a
 * class that was loaded during the first recording differs after it; isolated, the result of a
 * class whose loader delegates only java.*, and only to the boot loader.
 */
public final class TracedRestored {
  private TracedRestored() {}

  static final class Early {
    static int twice(int number) {
      if (number < 0) throw new IllegalArgumentException("negative");
      return 2 * number;
    }
  }

  static final class Late {
    static int thrice(int number) {
      return 3 * number;
    }
  }

  /** A class that an Isolated loader loads. */
  public static final class Alone implements java.util.function.IntUnaryOperator {
    public Alone() {}

    @Override
    public int applyAsInt(int number) {
      return number + 1;
    }
  }

  /** A loader that delegates only java.*, as OSGi's loaders do. */
  static final class Isolated extends ClassLoader {
    Isolated() {
      super(null);
    }

    @Override
    protected Class<?> loadClass(String name, boolean resolve) throws ClassNotFoundException {
      if (name.startsWith("java.")) return super.loadClass(name, resolve);
      if (!name.equals("TracedRestored$Alone")) throw new ClassNotFoundException(name);
      try (InputStream in =
          TracedRestored.class.getResourceAsStream("TracedRestored$Alone.class")) {
        byte[] bytes = new byte[1 << 16];
        int size = 0;
        for (int got; (got = in.read(bytes, size, bytes.length - size)) > 0; ) size += got;
        return defineClass(name, bytes, 0, size);
      } catch (java.io.IOException unreadable) {
        throw new ClassNotFoundException(name, unreadable);
      }
    }
  }

  public static void main(String[] args) throws Exception {
    System.load(new File(args[1], "libmethod_code.so").getPath());
    Profiler profiler = new Profiler(args[0], new File(args[1]));
    String start =
        "start,trace=TracedRestored$Early.*+TracedRestored$Late.*+TracedRestored$Alone.*,file="
            + args[2];
    int sum = callEarly();
    String before = code(Early.class);
    Work.print("answer.start", profiler.execute(start).replace('\n', '|'));
    String during = code(Early.class);
    sum += callEarly() + Late.thrice(5);
    String late = code(Late.class);
    Work.print("isolated", callAlone());
    Work.print("answer.stop", profiler.execute("stop").replace('\n', '|'));
    Work.print("changed.during", before.equals(during) ? 0 : 1);
    Work.print("changed.after", before.equals(code(Early.class)) ? 0 : 1);
    Work.print("changed.late", late.equals(code(Late.class)) ? 0 : 1);
    profiler.execute(start);
    Work.print("changed.again", before.equals(code(Early.class)) ? 0 : 1);
    sum += callEarly();
    Work.print("answer.second", profiler.execute("stop").replace('\n', '|'));
    Work.print("changed.end", before.equals(code(Early.class)) ? 0 : 1);
    Work.sink = sum;
  }

  private static int callEarly() {
    int sum = 0;
    for (int i = -50; i < 50; i++) {
      try {
        sum += Early.twice(i);
      } catch (IllegalArgumentException negative) {
        sum -= 1;
      }
    }
    return sum;
  }

  private static int callAlone() throws Exception {
    Object alone =
        new Isolated().loadClass("TracedRestored$Alone").getDeclaredConstructor().newInstance();
    return ((java.util.function.IntUnaryOperator) alone).applyAsInt(41);
  }

  /** Returns the bytecodes of the methods that the JVM runs. */
  static native String code(Class<?> clazz);
}
