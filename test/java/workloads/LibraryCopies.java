import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.function.LongUnaryOperator;

/**
 * Copies of one native library, each loaded by a class loader of its own before the profiler
 * starts. Each copy burns on a thread "copy-n", while one more library is loaded and unloaded again
 * and again.
 *
 * <p>usage: LibraryCopies agentLibrary startCommand nativeFolder folder copies millis
 *
 * <p>The program runs for `millis`, and until each copy has used some CPU time. The copies are
 * folder/copy_n.so. Truth: answer.start, answer.stop; cpu.copy-n, the CPU time that was used inside
 * copy n.
 */
public final class LibraryCopies {
  private static final long NANOS_AT_ONCE = 20_000_000;
  private static final long NANOS_AT_LEAST = 300_000_000;

  private LibraryCopies() {}

  public static void main(String[] args) throws Exception {
    Path library = new File(args[2], "liblibrary_copies.so").toPath();
    Path folder = new File(args[3]).toPath();
    int copies = Integer.parseInt(args[4]);
    Profiler profiler = new Profiler(args[0], new File(args[2]));
    System.load(copy(library, folder.resolve("reloader.so")));
    byte[] bytes = FreshClass.bytesOf("LibraryCopy");
    List<LongUnaryOperator> loaded = new ArrayList<>();
    for (int i = 0; i < copies; i++) {
      loaded.add(load(bytes, copy(library, folder.resolve("copy_" + i + ".so"))));
    }
    Work.print("answer.start", profiler.execute(args[1]));
    long end = System.nanoTime() + Long.parseLong(args[5]) * 1_000_000;
    List<Thread> threads = new ArrayList<>();
    for (int i = 0; i < copies; i++) {
      String name = "copy-" + i;
      LongUnaryOperator copy = loaded.get(i);
      threads.add(Work.start(name, () -> Work.print("cpu." + name, burn(copy, end))));
    }
    String coming = copy(new File(args[2], "libpriming_plugin.so").toPath(), folder.resolve("x.so"));
    while (threads.stream().anyMatch(Thread::isAlive)) {
      loadAndUnload(coming);
    }
    Work.print("answer.stop", profiler.execute("stop"));
  }

  private static String copy(Path from, Path to) throws IOException {
    return Files.copy(from, to).toString();
  }

  private static LongUnaryOperator load(byte[] bytes, String library)
      throws ReflectiveOperationException {
    Class<?> type = FreshClass.define("LibraryCopy", bytes);
    return (LongUnaryOperator) type.getConstructor(String.class).newInstance(library);
  }

  private static long burn(LongUnaryOperator copy, long end) {
    long used = 0;
    while (System.nanoTime() < end || used < NANOS_AT_LEAST) {
      used += copy.applyAsLong(NANOS_AT_ONCE);
    }
    return used;
  }

  private static native void loadAndUnload(String path);
}
