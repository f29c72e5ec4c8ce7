import java.lang.reflect.Field;
import java.lang.reflect.Method;

/**
 * Crashes the JVM by a write to address 0, while another thread computes.
 *
 * <p>usage: Crash cpuMillis [wait]; with a second argument it prints the line "ready" and waits for
 * a line on standard input before it crashes
 */
public final class Crash {
  private Crash() {}

  public static void main(String[] args) throws Exception {
    Class<?> type = Class.forName("sun.misc.Unsafe");
    Field field = type.getDeclaredField("theUnsafe");
    field.setAccessible(true);
    Object unsafe = field.get(null);
    Method putAddress = type.getMethod("putAddress", long.class, long.class);
    Work.startDaemon("burner", Work::burnForever);
    if (args.length > 1) {
      Work.print("ready", 1);
      System.in.read();
    }
    Work.burn(Long.parseLong(args[0]) * 1_000_000);
    putAddress.invoke(unsafe, 0L, 1L);
  }
}
