import java.lang.reflect.Constructor;
import java.lang.reflect.Method;

/**
 * A virtual thread that itself runs continuations.
 *
 * <p>usage: NestedContinuations millis; with {@code --add-exports
 * java.base/jdk.internal.vm=ALL-UNNAMED}
 *
 * <p>The thread calls {@code outer}, which runs a continuation that calls {@code middle}, which
 * runs another continuation that calls {@code inner}. The method {@code inner} computes, yields and
 * lets the virtual thread sleep, in turns.
 */
public final class NestedContinuations {
  private static Constructor<?> make;
  private static Method run;
  private static Method isDone;
  private static Method yield;
  private static Object scope;
  private static long end;

  private NestedContinuations() {}

  public static void main(String[] args) throws Exception {
    Class<?> continuation = Class.forName("jdk.internal.vm.Continuation");
    Class<?> scopes = Class.forName("jdk.internal.vm.ContinuationScope");
    make = continuation.getConstructor(scopes, Runnable.class);
    run = continuation.getMethod("run");
    isDone = continuation.getMethod("isDone");
    yield = continuation.getMethod("yield", scopes);
    scope = scopes.getConstructor(String.class).newInstance("inner");
    end = System.nanoTime() + Long.parseLong(args[0]) * 1_000_000;
    Object builder = Thread.class.getMethod("ofVirtual").invoke(null);
    Class<?> type = Class.forName("java.lang.Thread$Builder");
    Thread thread =
        (Thread)
            type.getMethod("start", Runnable.class)
                .invoke(builder, (Runnable) NestedContinuations::outer);
    thread.join();
    System.out.println("done=1");
  }

  static void outer() {
    runToEnd(NestedContinuations::middle);
  }

  static void middle() {
    runToEnd(NestedContinuations::inner);
  }

  static void inner() {
    while (System.nanoTime() < end) {
      for (int i = 0; i < 20; i++) Work.spin(10_000);
      try {
        yield.invoke(null, scope);
        Thread.sleep(1);
      } catch (ReflectiveOperationException | InterruptedException e) {
        throw new AssertionError(e);
      }
    }
  }

  private static void runToEnd(Runnable work) {
    try {
      Object continuation = make.newInstance(scope, work);
      while (!(Boolean) isDone.invoke(continuation)) run.invoke(continuation);
    } catch (ReflectiveOperationException e) {
      throw new AssertionError(e);
    }
  }
}
