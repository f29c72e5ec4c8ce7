import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;

/**
 * Native methods that run as soon as their library has been loaded.
 *
 * <p>usage: NewNatives agentLibrary startCommand nativeFolder folder rounds millis
 *
 * <p>The recording starts while the thread "interner" runs the JVM's own native code. Then three
 * threads call a native method through `middle` and `outer`. "bare" calls a method whose library
 * has no unwind tables. "fresh" calls, in each round, a method of a library that was loaded just
 * before. "sleeper" calls a method of such a library that sleeps four times as long as all rounds
 * take. Truth: answer.start, answer.stop.
 */
public final class NewNatives {
  private static volatile boolean isDone;

  private NewNatives() {}

  public static void main(String[] args) throws Exception {
    File natives = new File(args[2]);
    Path folder = new File(args[3]).toPath();
    int rounds = Integer.parseInt(args[4]);
    long nanos = Long.parseLong(args[5]) * 1_000_000;
    Profiler profiler = new Profiler(args[0], natives);
    Thread interner = Work.start("interner", NewNatives::intern);
    Thread.sleep(50);
    Work.print("answer.start", profiler.execute(args[1]));
    Thread.sleep(200);
    isDone = true;
    interner.join();
    System.load(new File(natives, "libnew_native_bare.so").getPath());
    Work.start("bare", () -> outer(rounds * nanos)).join();
    Path library = new File(natives, "libnew_native.so").toPath();
    for (int i = 0; i < rounds; i++) {
      load(library, folder.resolve("fresh" + i + ".so"));
      Work.start("fresh", () -> outer(nanos)).join();
    }
    load(library, folder.resolve("sleeper.so"));
    Work.start("sleeper", () -> outerSleep(4 * rounds * nanos)).join();
    Work.print("answer.stop", profiler.execute("stop"));
  }

  private static void intern() {
    for (int i = 0; !isDone; i++) {
      ("interned" + i % 1000).intern();
    }
  }

  private static void load(Path library, Path copy) throws IOException {
    Files.copy(library, copy, StandardCopyOption.REPLACE_EXISTING);
    System.load(copy.toString());
  }

  private static void outer(long nanos) {
    middle(nanos);
  }

  private static void middle(long nanos) {
    spin(nanos);
  }

  private static void outerSleep(long nanos) {
    middleSleep(nanos);
  }

  private static void middleSleep(long nanos) {
    sleep(nanos);
  }

  private static native void spin(long nanos);

  private static native void sleep(long nanos);
}
