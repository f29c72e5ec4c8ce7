import java.io.File;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * Observes what the profiler changes in the process, and whether it restores it.
 *
 * <p>usage: Restored agentLibrary startCommand nativeFolder scenario
 *
 * <p>Scenarios: alone; inside (another profiler takes over after our start and gives back before
 * our stop); over (it takes over after our start and gives back after our stop); under (it takes
 * the slot before our start and gives it back before our stop).
 *
 * <p>Truth: changed.WHAT, whether slots, protections, timers and signal actions differ while the
 * profiler runs from what they were before; same.WHAT, whether they are as before when no profiler
 * is left; other.creations and other.signals, how many thread creations and signals the other
 * profiler has seen, of two that it should see.
 */
public final class Restored {
  private Restored() {}

  public static void main(String[] args) {
    File folder = new File(args[2]);
    Profiler profiler = new Profiler(args[0], folder);
    System.load(new File(folder, "librestore_probe.so").getPath());
    profiler.execute("version,file=/dev/null");  // loads all that the first start would load
    profiler.execute(args[1]);
    profiler.execute("stop");
    Work.burn(1);
    createThread();
    Map<String, String> before = look();
    String scenario = args[3];
    if (scenario.equals("under")) {
      otherTakesSlot();
    }
    Work.print("answer.start", profiler.execute(args[1]));
    print("changed.", before, false);
    switch (scenario) {
      case "inside":
        otherTakesSlot();
        otherTakesSignal();
        useBoth();
        otherGivesSlotBack();
        otherGivesSignalBack();
        break;
      case "over":
        otherTakesSlot();
        otherTakesSignal();
        break;
      case "under":
        createThread();
        raiseSignal();  // has no effect, because only our profiler handles it
        otherGivesSlotBack();
        break;
      default:
        break;
    }
    Work.burn(50_000_000);
    Work.print("answer.stop", profiler.execute("stop"));
    if (scenario.equals("over")) {
      useBoth();
      otherGivesSlotBack();
      otherGivesSignalBack();
      createThread();
      raiseSignal();  // what is left of our profiler forwards it or does nothing
    }
    print("same.", before, true);
    Work.print("other.creations", creationsSeenByOther());
    Work.print("other.signals", signalsSeenByOther());
  }

  private static void useBoth() {
    createThread();
    raiseSignal();
  }

  private static Map<String, String> look() {
    Map<String, String> state = new LinkedHashMap<>();
    state.put("slots", slots());
    state.put("protections", protections());
    state.put("timers", timers());
    state.put("actions", signalActions());
    return state;
  }

  private static void print(String prefix, Map<String, String> before, boolean same) {
    Map<String, String> now = look();
    for (Map.Entry<String, String> entry : before.entrySet()) {
      boolean equal = entry.getValue().equals(now.get(entry.getKey()));
      Work.print(prefix + entry.getKey(), equal == same ? 1 : 0);
      if (same && !equal) {
        System.err.println("before:\n" + entry.getValue() + "now:\n" + now.get(entry.getKey()));
      }
    }
  }

  static native String slots();

  private static native String protections();

  private static native String timers();

  private static native String signalActions();

  private static native void otherTakesSlot();

  private static native void otherGivesSlotBack();

  private static native void otherTakesSignal();

  private static native void otherGivesSignalBack();

  private static native void createThread();

  private static native void raiseSignal();

  private static native int creationsSeenByOther();

  private static native int signalsSeenByOther();
}
