import java.io.ByteArrayOutputStream;
import java.io.File;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;

/**
 * Starts and stops a recording in a JVM with many loaded classes.
 *
 * <p>usage: ManyClasses agentLibrary nativeFolder startCommand classes [millis]; with millis, the
 * program only waits for this time, while another program records it
 *
 * <p>Truth: answer.0, the answer to the start, and answer.1, the answer to the stop.
 */
public final class ManyClasses {
  private ManyClasses() {}

  static final class Copy00000 implements Runnable, Comparable<Copy00000> {
    private int calls;
    private String text = "x";

    @Override
    public void run() {
      calls++;
      text = text.concat("y");
    }

    @Override
    public int compareTo(Copy00000 other) {
      return Integer.compare(calls, other.calls);
    }

    @Override
    public String toString() {
      return "copy " + text.length();
    }
  }

  static final class Loader extends ClassLoader {
    Class<?> define(byte[] bytes) {
      return defineClass(null, bytes, 0, bytes.length);
    }
  }

  public static void main(String[] args) throws Exception {
    Object[] kept = new Object[Integer.parseInt(args[3])];
    Loader loader = new Loader();
    String template = template();
    for (int i = 0; i < kept.length; i++) {
      String file = template.replace("Copy00000", String.format("Copy%05d", i + 1));
      java.lang.reflect.Constructor<?> made =
          loader.define(file.getBytes(StandardCharsets.ISO_8859_1)).getDeclaredConstructor();
      made.setAccessible(true);
      kept[i] = made.newInstance();
      ((Runnable) kept[i]).run();
    }
    if (args.length > 4) {
      Work.print("classes", kept.length);
      Thread.sleep(Long.parseLong(args[4]));
      return;
    }
    Profiler profiler = new Profiler(args[0], new File(args[1]));
    Work.print("answer.0", profiler.execute(args[2]).replace('\n', '|'));
    Work.print("answer.1", profiler.execute("stop").replace('\n', '|'));
    Work.sink = kept.length;
  }

  private static String template() throws Exception {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    try (InputStream in = ManyClasses.class.getResourceAsStream("ManyClasses$Copy00000.class")) {
      byte[] piece = new byte[1 << 16];
      for (int got; (got = in.read(piece)) > 0; ) bytes.write(piece, 0, got);
    }
    return new String(bytes.toByteArray(), StandardCharsets.ISO_8859_1);
  }
}
