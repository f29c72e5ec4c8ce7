import java.io.ByteArrayOutputStream;
import java.io.File;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.locks.LockSupport;

/**
 * Classes that another agent redefines before, while and after they have probes.
 *
 * <p>usage: HotSwaps agentLibrary nativeFolder file; with -javaagent of OtherAgent
 *
 * <p>Truth: version.WHEN, the version that the class reports; expected.WHEN, the version that was
 * given to it last.
 */
public final class HotSwaps {
  private static Profiler profiler;
  private static String file;

  private HotSwaps() {}

  static final class Before {
    static String version() {
      return "version 1";
    }
  }

  static final class Between {
    static String version() {
      return "version 1";
    }
  }

  static final class After {
    static String version() {
      return "version 1";
    }
  }

  static final class Refused {
    static String version() {
      return "version 1";
    }
  }

  static final class Counted {
    static String version() {
      return "version 1";
    }
  }

  static final class Windowed {
    static String version() {
      return "version 1";
    }
  }

  public static void main(String[] args) throws Exception {
    System.load(new File(args[1], "libmethod_code.so").getPath());
    profiler = new Profiler(args[0], new File(args[1]));
    file = args[2];
    profiler.execute("stop");  // stops a recording from the launch

    redefine(Before.class, 2);
    record("trace=HotSwaps$Before.*", () -> say("before.during", Before.version(), 2));
    say("before.after", Before.version(), 2);

    record("trace=HotSwaps$Between.*", () -> {
      redefine(Between.class, 2);
      say("between.once", Between.version(), 2);
      OtherAgent.retransform(Between.class);
      say("between.retransformed", Between.version(), 2);
      redefine(Between.class, 3);
      say("between.twice", Between.version(), 3);
    });
    say("between.after", Between.version(), 3);
    OtherAgent.retransform(Between.class);
    say("between.by_other", Between.version(), 3);
    record("trace=HotSwaps$Between.*", () -> say("between.again", Between.version(), 3));
    say("between.end", Between.version(), 3);

    record("trace=HotSwaps$After.*", () -> say("after.during", After.version(), 1));
    redefine(After.class, 2);
    say("after.redefined", After.version(), 2);
    record("trace=HotSwaps$After.*", () -> say("after.again", After.version(), 2));
    say("after.end", After.version(), 2);
    OtherAgent.retransform(After.class);
    say("after.by_other", After.version(), 2);
    redefine(After.class, 3);
    say("after.third", After.version(), 3);

    record("trace=HotSwaps$Refused.*", () -> {
      try {
        OtherAgent.redefine(Refused.class, replaced(Refused.class, "version", "renamed"));
        say("refused.not", Refused.version(), 0);
      } catch (UnsupportedOperationException changed) {
        say("refused.during", Refused.version(), 1);
      }
    });
    say("refused.after", Refused.version(), 1);
    record("trace=HotSwaps$Refused.*", () -> {
      redefine(Refused.class, 2);
      try {
        OtherAgent.redefine(Refused.class, replaced(Refused.class, "version", "renamed"));
      } catch (UnsupportedOperationException changed) {
        say("refused.second", Refused.version(), 2);
      }
    });
    say("refused.end", Refused.version(), 2);

    OtherAgent other = new OtherAgent(Counted.class);
    other.install();
    record("trace=HotSwaps$Counted.*", () -> {
      redefine(Counted.class, 2);
      say("counted.during", Counted.version(), 2);
    });
    long entries = OtherAgent.ENTRIES.get();
    say("counted.after", Counted.version(), 2);
    Work.print("version.counted.entries", OtherAgent.ENTRIES.get() - entries);
    Work.print("expected.counted.entries", 1);
    other.remove();
    entries = OtherAgent.ENTRIES.get();
    say("counted.removed", Counted.version(), 2);
    Work.print("version.counted.gone", OtherAgent.ENTRIES.get() - entries);
    Work.print("expected.counted.gone", 0);
    record("trace=HotSwaps$Counted.*", () -> other.install());
    say("counted.late", Counted.version(), 2);
    other.remove();
    say("counted.end", Counted.version(), 2);

    record("cpu,begin=HotSwaps$Windowed.version", () -> {
      redefine(Windowed.class, 2);
      say("windowed.during", Windowed.version(), 2);
    });
    say("windowed.after", Windowed.version(), 2);

    // The redefinition replaces a text that the class has already read. The code differs because
    // its constant is at another index of the constant pool.
    String[] swapped = {""};
    record("lock=100us", () -> {
      OtherAgent.redefine(LockSupport.class, replaced(LockSupport.class, "parkBlocker", "parkBlockes"));
      LockSupport.parkNanos(1000);
    });
    swapped[0] = TracedRestored.code(LockSupport.class);
    record("lock=100us", () -> LockSupport.parkNanos(1000));
    Work.print("version.lock.end", swapped[0].equals(TracedRestored.code(LockSupport.class)) ? 1 : 0);
    Work.print("expected.lock.end", 1);
    OtherAgent.redefine(LockSupport.class, bytes(LockSupport.class));
    Work.print("version.lock.back", swapped[0].equals(TracedRestored.code(LockSupport.class)) ? 1 : 0);
    Work.print("expected.lock.back", 0);
  }

  private interface Body {
    void run() throws Exception;
  }

  private static void record(String what, Body body) throws Exception {
    String started = profiler.execute("start," + what + ",file=" + file);
    if (!started.startsWith("recording")) throw new IllegalStateException(started);
    body.run();
    String stopped = profiler.execute("stop");
    if (!stopped.startsWith("stopped")) throw new IllegalStateException(stopped);
  }

  private static void say(String when, String version, int expected) {
    Work.print("version." + when, version.charAt(version.length() - 1));
    Work.print("expected." + when, expected);
  }

  private static void redefine(Class<?> clazz, int version) throws Exception {
    OtherAgent.redefine(clazz, replaced(clazz, "version 1", "version " + version));
  }

  /** Returns the class file with a text replaced by another of the same length. */
  private static byte[] replaced(Class<?> clazz, String text, String by) throws Exception {
    String file = new String(bytes(clazz), StandardCharsets.ISO_8859_1);
    // A constant of the pool that consists of this text: tag 1, the length, the text.
    String constant = "" + (char) 1 + (char) 0 + (char) text.length() + text;
    String other = "" + (char) 1 + (char) 0 + (char) by.length() + by;
    if (!file.contains(constant)) throw new IllegalStateException(text);
    return file.replace(constant, other).getBytes(StandardCharsets.ISO_8859_1);
  }

  private static byte[] bytes(Class<?> clazz) throws Exception {
    String name = '/' + clazz.getName().replace('.', '/') + ".class";
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    try (InputStream in = clazz.getResourceAsStream(name)) {
      byte[] piece = new byte[1 << 16];
      for (int got; (got = in.read(piece)) > 0; ) bytes.write(piece, 0, got);
    }
    return bytes.toByteArray();
  }
}
