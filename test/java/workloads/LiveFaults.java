import java.io.ByteArrayOutputStream;
import java.io.InputStream;
import java.util.ArrayList;
import java.util.List;

/**
 * Cases that are difficult for a table of live objects.
 *
 * <p>usage: LiveFaults new|full|unload
 *
 * <p>new: objects are allocated before and after the last collection. full: the heap becomes full
 * three times. unload: the class of many objects is unloaded.
 */
public final class LiveFaults {
  /** A class that is loaded by a class loader of its own. */
  public static final class Loaded implements Runnable {
    long a, b, c, d, e, f, g, h;
    Loaded next;

    @Override
    public void run() {
      for (int i = 0; i < 100_000; i++) {
        Loaded loaded = new Loaded();
        loaded.next = next;
        next = loaded;
      }
    }
  }

  static final class Loader extends ClassLoader {
    Loader() {
      super(LiveFaults.class.getClassLoader());
    }

    @Override
    public Class<?> loadClass(String name, boolean resolve) throws ClassNotFoundException {
      if (!name.equals(Loaded.class.getName())) return super.loadClass(name, resolve);
      try (InputStream in = getResourceAsStream(name + ".class")) {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        for (int next = in.read(); next >= 0; next = in.read()) out.write(next);
        return defineClass(name, out.toByteArray(), 0, out.size());
      } catch (Exception e) {
        throw new ClassNotFoundException(name, e);
      }
    }
  }

  static final Object[] kept = new Object[2];

  static long[][] old() {
    long[][] all = new long[20_000][];
    for (int i = 0; i < all.length; i++) all[i] = new long[128];
    return all;
  }

  static long[][] recent() {
    long[][] all = new long[20_000][];
    for (int i = 0; i < all.length; i++) all[i] = new long[128];
    return all;
  }

  static void unload() throws Exception {
    Runnable loaded =
        (Runnable) new Loader().loadClass(Loaded.class.getName()).getConstructor().newInstance();
    loaded.run();
    kept[0] = loaded;
    System.gc();
    kept[0] = null;
  }

  static void fill() {
    List<byte[]> all = new ArrayList<>();
    try {
      while (true) all.add(new byte[20_000]);
    } catch (OutOfMemoryError full) {
      all = null;
    }
  }

  public static void main(String[] args) throws Exception {
    switch (args[0]) {
      case "new":
        kept[0] = old();
        System.gc();
        kept[1] = recent();
        break;
      case "full":
        for (int i = 1; i <= 3; i++) {
          fill();
          System.out.println("full=" + i);
        }
        System.gc();
        break;
      default:
        unload();
        System.gc();
    }
  }
}
