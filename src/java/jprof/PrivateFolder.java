package jprof;

import java.io.Closeable;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.Paths;
import java.nio.file.attribute.PosixFilePermissions;

/**
 * A new folder in which no other user can create, change or replace a file. It is in {@code
 * java.io.tmpdir}, and has a name that cannot be predicted.
 *
 * <p>A user who may rename any folder of the path could put another folder in its place. So each
 * folder of the path must belong to this user or to root, and others may write to it only if it is
 * sticky, as {@code /tmp} is. The folders are checked from the root down: once a folder is checked,
 * no other user can replace the next one.
 */
final class PrivateFolder implements Closeable {
    private static final int PERMISSIONS = 07777;
    private static final int STICKY = 01000;
    private static final int WRITABLE_BY_OTHERS = 022;

    final Path path;

    private PrivateFolder(Path path) {
        this.path = path;
    }

    /** Makes the folder. Throws {@link ProfilerException} if another user could change it. */
    static PrivateFolder create() throws IOException {
        int user = user();
        Path created = Files.createTempDirectory("jprof",
                PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------")));
        PrivateFolder folder = new PrivateFolder(created.toRealPath());
        try {
            folder.check(user);
            return folder;
        } catch (IOException | RuntimeException exception) {
            Files.deleteIfExists(created);
            throw exception;
        }
    }

    /** Removes the folder, which must be empty. */
    @Override
    public void close() throws IOException {
        Files.deleteIfExists(path);
    }

    private void check(int user) throws IOException {
        for (Path parent = path.getRoot(), names = parent.relativize(path); !parent.equals(path);) {
            int owner = attribute(parent, "unix:uid");
            int mode = attribute(parent, "unix:mode");
            if (owner != 0 && owner != user) {
                refuse(parent, "belongs to another user");
            }
            if ((mode & WRITABLE_BY_OTHERS) != 0 && (mode & STICKY) == 0) {
                refuse(parent, "can be changed by other users");
            }
            parent = parent.resolve(names.getName(parent.getNameCount()));
        }
        if (attribute(path, "unix:uid") != user
                || (attribute(path, "unix:mode") & PERMISSIONS & ~07700) != 0) {
            refuse(path, "was replaced by another user");
        }
    }

    private static void refuse(Path folder, String reason) {
        throw new ProfilerException("the library of jprof.jar is not unpacked, because the folder "
                + folder + " " + reason + ": name another folder by -Djava.io.tmpdir=PATH,"
                + " or the library by -Djprof.library=PATH");
    }

    private static int attribute(Path path, String name) throws IOException {
        return (Integer) Files.getAttribute(path, name, LinkOption.NOFOLLOW_LINKS);
    }

    // Returns the user whom new files belong to: the last number of the line "Uid:" (proc(5)).
    private static int user() throws IOException {
        Path status = Paths.get("/proc/self/status");
        for (String line : Files.readAllLines(status, StandardCharsets.ISO_8859_1)) {
            if (line.startsWith("Uid:")) {
                return Integer.parseUnsignedInt(line.substring(line.lastIndexOf('\t') + 1));
            }
        }
        throw new IOException(status + " has no line Uid:");
    }
}
