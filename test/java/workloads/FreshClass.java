import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;

/** A class that is defined again and again, each time in a loader of its own. */
final class FreshClass extends ClassLoader {
  private FreshClass() {
    super(FreshClass.class.getClassLoader());
  }

  static Class<?> define(String name, byte[] bytes) {
    return new FreshClass().defineClass(name, bytes, 0, bytes.length);
  }

  static byte[] bytesOf(String name) {
    try (InputStream in = FreshClass.class.getResourceAsStream(name + ".class")) {
      ByteArrayOutputStream bytes = new ByteArrayOutputStream();
      for (int b = in.read(); b >= 0; b = in.read()) {
        bytes.write(b);
      }
      return bytes.toByteArray();
    } catch (IOException broken) {
      throw new IllegalStateException(broken);
    }
  }
}
