/** Starts platform or virtual threads. Can be compiled for a JDK without virtual threads. */
final class PlainOrVirtual {
  private PlainOrVirtual() {}

  interface Body {
    void run() throws Exception;
  }

  /** Returns whether this JDK has virtual threads. */
  static boolean hasVirtual() {
    try {
      Thread.class.getMethod("startVirtualThread", Runnable.class);
      return true;
    } catch (NoSuchMethodException early) {
      return false;
    }
  }

  /** Starts a thread. If the body throws an exception, the program ends. */
  static Thread start(boolean isVirtual, String name, Body body) throws Exception {
    Runnable task =
        () -> {
          try {
            body.run();
          } catch (Exception e) {
            e.printStackTrace();
            System.exit(1);
          }
        };
    if (!isVirtual) {
      Thread thread = new Thread(task, name);
      thread.start();
      return thread;
    }
    Object builder = Thread.class.getMethod("ofVirtual").invoke(null);
    Class<?> type = Class.forName("java.lang.Thread$Builder");
    Object named = type.getMethod("name", String.class).invoke(builder, name);
    return (Thread) type.getMethod("start", Runnable.class).invoke(named, task);
  }
}
