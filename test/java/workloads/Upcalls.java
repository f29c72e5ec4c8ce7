import java.io.File;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.lang.reflect.Method;
import java.util.Optional;

/**
 * Java code that native code calls through a function pointer of the foreign function API, which is
 * public from JDK 22 on.
 *
 * <p>usage: Upcalls nativeFolder calls millis
 *
 * <p>The thread "calling" calls `outer` so many times. `outer` calls native code, which calls
 * `back`, which burns for `millis` milliseconds. In every second call, `back` calls native code
 * once more, which calls `innermost`. Truth: cpu, the CPU time used in `back` and `innermost`.
 */
public final class Upcalls {
  private static MethodHandle downcall;
  private static Object innermost;
  private static long used;

  private Upcalls() {}

  public static void main(String[] args) throws Exception {
    int calls = Integer.parseInt(args[1]);
    long nanos = Long.parseLong(args[2]) * 1_000_000;
    Object linker = callStatic("Linker", "nativeLinker");
    Object arena = callStatic("Arena", "global");
    Object pointer = layout("ADDRESS");
    Object number = layout("JAVA_LONG");
    Class<?> layouts = api("MemoryLayout");
    Class<?> options = api("Linker$Option");
    Object toJava = callStatic("FunctionDescriptor", "ofVoid", array(layouts, number));
    Object toNative = callStatic("FunctionDescriptor", "ofVoid", array(layouts, pointer, number));
    File library = new File(args[0], "libupcalls.so");
    Object lookup = callStatic("SymbolLookup", "libraryLookup", library.toPath(), arena);
    Object function = ((Optional<?>) call(lookup, "SymbolLookup", "find", "jprof_call_back")).get();
    downcall =
        (MethodHandle)
            call(linker, "Linker", "downcallHandle", function, toNative, array(options));
    Object back = stub(linker, toJava, arena, options, "back");
    innermost = stub(linker, toJava, arena, options, "innermost");
    Thread calling = Work.start("calling", () -> outer(back, calls, nanos));
    calling.join();
    Work.print("cpu", used);
  }

  private static Object stub(
      Object linker, Object descriptor, Object arena, Class<?> options, String method)
      throws Exception {
    MethodHandle target =
        MethodHandles.lookup()
            .findStatic(Upcalls.class, method, MethodType.methodType(void.class, long.class));
    return call(linker, "Linker", "upcallStub", target, descriptor, arena, array(options));
  }

  private static void outer(Object function, int calls, long nanos) {
    for (int i = 0; i < calls; i++) {
      callNative(function, i % 2 == 0 ? nanos : -nanos);
    }
  }

  private static void callNative(Object function, long nanos) {
    try {
      downcall.invokeWithArguments(function, nanos);
    } catch (Throwable e) {
      throw new IllegalStateException(e);
    }
  }

  private static void back(long nanos) {
    if (nanos < 0) {
      callNative(innermost, -nanos);
    } else {
      burn(nanos);
    }
  }

  private static void innermost(long nanos) {
    burn(nanos);
  }

  private static void burn(long nanos) {
    long begin = Work.cpuNanos();
    Work.burn(nanos);
    used += Work.cpuNanos() - begin;
  }

  private static Class<?> api(String name) throws ClassNotFoundException {
    return Class.forName("java.lang.foreign." + name);
  }

  private static Object layout(String name) throws Exception {
    return api("ValueLayout").getField(name).get(null);
  }

  private static Object array(Class<?> type, Object... elements) {
    Object array = java.lang.reflect.Array.newInstance(type, elements.length);
    for (int i = 0; i < elements.length; i++) {
      java.lang.reflect.Array.set(array, i, elements[i]);
    }
    return array;
  }

  private static Object callStatic(String type, String name, Object... arguments)
      throws Exception {
    return call(null, type, name, arguments);
  }

  /** Calls a method by its name. REQUIRES: the arguments fit only one method of this name. */
  private static Object call(Object target, String type, String name, Object... arguments)
      throws Exception {
    for (Method method : api(type).getMethods()) {
      if (method.getName().equals(name) && fits(method.getParameterTypes(), arguments)) {
        return method.invoke(target, arguments);
      }
    }
    throw new NoSuchMethodException(type + '.' + name);
  }

  private static boolean fits(Class<?>[] types, Object[] arguments) {
    if (types.length != arguments.length) {
      return false;
    }
    for (int i = 0; i < types.length; i++) {
      if (!types[i].isInstance(arguments[i])) {
        return false;
      }
    }
    return true;
  }
}
