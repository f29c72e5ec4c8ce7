import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.lang.invoke.MethodHandles;
import java.lang.reflect.Array;
import java.lang.reflect.Method;
import java.nio.charset.StandardCharsets;
import java.util.function.LongUnaryOperator;

/** Classes that can be defined again and again: each is hidden or has a loader of its own. */
final class FreshClass extends ClassLoader {
  private static final Method HIDDEN_CLASS_MAKER = hiddenClassMaker();

  private FreshClass() {
    super(FreshClass.class.getClassLoader());
  }

  static Class<?> define(String name, byte[] bytes) {
    return new FreshClass().defineClass(name, bytes, 0, bytes.length);
  }

  /**
   * Defines a class in the loader of {@code neighbour}, a class that {@link #define} has returned.
   */
  static Class<?> defineInLoaderOf(Class<?> neighbour, String name, byte[] bytes) {
    return ((FreshClass) neighbour.getClassLoader()).defineClass(name, bytes, 0, bytes.length);
  }

  /** Returns a {@link StormBurner} made of these bytes. It is hidden if requested and supported. */
  static LongUnaryOperator burner(byte[] bytes, boolean hidden) {
    return burner("StormBurner", bytes, hidden);
  }

  /** As the other burner; {@code name} is the name that the class has in these bytes. */
  static LongUnaryOperator burner(String name, byte[] bytes, boolean hidden) {
    try {
      Class<?> type =
          hidden && HIDDEN_CLASS_MAKER != null
              ? defineHidden(bytes)
              : define(name, bytes);
      return (LongUnaryOperator) type.getDeclaredConstructor().newInstance();
    } catch (ReflectiveOperationException broken) {
      throw new IllegalStateException(broken);
    }
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

  /** Returns the bytes of a class with one name replaced by another of the same length. */
  static byte[] renamed(byte[] bytes, String name, String newName) {
    byte[] from = name.getBytes(StandardCharsets.US_ASCII);
    byte[] to = newName.getBytes(StandardCharsets.US_ASCII);
    byte[] renamed = bytes.clone();
    for (int at = 0; at + from.length <= renamed.length; at++) {
      boolean found = true;
      for (int i = 0; i < from.length && found; i++) {
        found = bytes[at + i] == from[i];
      }
      if (found) {
        System.arraycopy(to, 0, renamed, at, to.length);
      }
    }
    return renamed;
  }

  /** Returns Lookup.defineHiddenClass, which JDK 15 and later have, or null. */
  private static Method hiddenClassMaker() {
    for (Method method : MethodHandles.Lookup.class.getMethods()) {
      if (method.getName().equals("defineHiddenClass")) {
        return method;
      }
    }
    return null;
  }

  private static Class<?> defineHidden(byte[] bytes) throws ReflectiveOperationException {
    Class<?> option = HIDDEN_CLASS_MAKER.getParameterTypes()[2].getComponentType();
    Object noOptions = Array.newInstance(option, 0);
    Object lookup =
        HIDDEN_CLASS_MAKER.invoke(MethodHandles.lookup(), bytes, true, noOptions);
    return ((MethodHandles.Lookup) lookup).lookupClass();
  }
}
