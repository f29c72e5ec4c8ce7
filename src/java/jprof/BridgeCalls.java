package jprof;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;

/**
 * Calls the class {@code java.jprof.Bridge}, through which every class loader reaches the profiler
 * of this JVM. The library defines that class in the boot loader. Its methods never change, because
 * the library can be of another version than this jar.
 */
final class BridgeCalls {
    private static final String NAME = "java.jprof.Bridge";

    private final Method execute;
    private final Method open;
    private final Method close;

    private BridgeCalls(Class<?> bridge) throws NoSuchMethodException {
        execute = bridge.getMethod("execute", String.class);
        open = bridge.getMethod("open", Object.class);
        close = bridge.getMethod("close", Object.class);
    }

    /** Returns {@code null} if no loaded library has defined the class. */
    static BridgeCalls find() {
        try {
            Class<?> bridge = Class.forName(NAME);
            boolean isBound = (Boolean) bridge.getMethod("isBound").invoke(null);
            return isBound ? new BridgeCalls(bridge) : null;
        } catch (ReflectiveOperationException exception) {
            return null;
        }
    }

    String execute(String command) {
        try {
            return (String) execute.invoke(null, command);
        } catch (InvocationTargetException exception) {
            Throwable cause = exception.getCause();
            if (cause instanceof Error) throw (Error) cause;
            throw new ProfilerException(cause.getMessage());
        } catch (IllegalAccessException exception) {
            throw new ProfilerException("the profiler cannot be called: " + exception, exception);
        }
    }

    void open(Object user) {
        call(open, user);
    }

    void close(Object user) {
        call(close, user);
    }

    private static void call(Method method, Object user) {
        try {
            method.invoke(null, user);
        } catch (ReflectiveOperationException exception) {
            throw new ProfilerException("the bean cannot be changed: " + exception, exception);
        }
    }
}
