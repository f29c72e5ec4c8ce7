package jprof;

/** Thrown if a command was refused or has failed. The message says why, and what can be done. */
public final class ProfilerException extends RuntimeException {
    private static final long serialVersionUID = 1;

    ProfilerException(String message) {
        super(message);
    }

    ProfilerException(String message, Throwable cause) {
        super(message, cause);
    }
}
