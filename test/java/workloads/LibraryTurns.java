import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;

/**
 * Native libraries that are gone when a recording is written: three that are loaded one after
 * another at the same address, and copies whose files are deleted as soon as they are loaded.
 *
 * <p>usage: LibraryTurns agentLibrary startCommand nativeFolder folder rounds millis [held]
 *
 * <p>In each round the threads "turn-0", "turn-1" and "turn-2" burn for `millis` in libturn_0.so,
 * libturn_1.so and libturn_2.so, one after another; only the library of the burning thread is
 * loaded. The thread "early" burns in early.so, which is loaded and deleted before the start;
 * "late" in late.so, which is loaded and deleted during the recording; "gone" in gone.so, which is
 * also unloaded. The library `held` is loaded before the start and unloaded after it; then a chunk
 * ends.
 *
 * <p>Truth: answer.start, answer.stop; shared, the number of addresses at which several of the
 * three libraries have been loaded.
 */
public final class LibraryTurns {
  private static final int TURNS = 3;

  private LibraryTurns() {}

  public static void main(String[] args) throws Exception {
    File natives = new File(args[2]);
    Path folder = new File(args[3]).toPath();
    int rounds = Integer.parseInt(args[4]);
    long nanos = Long.parseLong(args[5]) * 1_000_000;
    Profiler profiler = new Profiler(args[0], natives);
    System.load(new File(natives, "liblibrary_turns.so").getPath());
    Path first = new File(natives, "libturn_0.so").toPath();
    long early = openAndDelete(first, folder.resolve("early.so"));
    long held = args.length > 6 ? open(new File(natives, args[6]).getPath()) : 0;
    Work.print("answer.start", profiler.execute(args[1]));
    if (args.length > 6) {
      close(held);
      Work.print("answer.dump", profiler.execute("dump"));
    }
    close(open("libturn_1.so"));  // found by the run path of library_turns, which calls dlopen
    run("early", () -> burn(find(early, "turn_0_burn"), rounds * nanos));
    long late = openAndDelete(first, folder.resolve("late.so"));
    run("late", () -> burn(find(late, "turn_0_burn"), rounds * nanos));
    long gone = openAndDelete(first, folder.resolve("gone.so"));
    run("gone", () -> burn(find(gone, "turn_0_burn"), rounds * nanos));
    close(gone);
    takeTurns(natives, rounds, nanos);
    Work.print("answer.stop", profiler.execute("stop"));
  }

  private interface Burning {
    long used();
  }

  private static void run(String name, Burning burning) throws InterruptedException {
    Work.start(name, () -> burning.used()).join();
  }

  private static long openAndDelete(Path library, Path copy) throws IOException {
    Files.copy(library, copy);
    long opened = open(copy.toString());
    Files.delete(copy);
    return opened;
  }

  private static void takeTurns(File natives, int rounds, long nanos) throws InterruptedException {
    Map<Long, Set<Integer>> turnsAt = new HashMap<>();
    for (int i = 0; i < rounds * TURNS; i++) {
      int turn = i % TURNS;
      Work.start("turn-" + turn, () -> note(turnsAt, takeTurn(natives, turn, nanos), turn)).join();
    }
    Work.print("shared", turnsAt.values().stream().filter(turns -> turns.size() > 1).count());
  }

  private static void note(Map<Long, Set<Integer>> turnsAt, long address, int turn) {
    turnsAt.computeIfAbsent(address, unseen -> new HashSet<>()).add(turn);
  }

  private static long takeTurn(File natives, int turn, long nanos) {
    long library = open(new File(natives, "libturn_" + turn + ".so").getPath());
    long function = find(library, "turn_" + turn + "_burn");
    burn(function, nanos);
    close(library);
    return function;
  }

  private static native long open(String path);

  private static native long find(long library, String name);

  private static native long burn(long function, long nanos);

  private static native void close(long library);
}
