import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import org.rocksdb.Options;
import org.rocksdb.RocksDB;
import org.rocksdb.RocksIterator;
import org.rocksdb.WriteBatch;
import org.rocksdb.WriteOptions;

/** RocksDB: writes batches of 100 keys, and reads them back by key and with an iterator. */
public final class RocksStore implements Stranger.Program {
    private static final int KEYS = 100;

    private Options options;
    private RocksDB store;

    @Override
    public void start(int threads) throws Exception {
        RocksDB.loadLibrary();
        Path folder = Files.createTempDirectory(Stranger.folder(), "rocks");
        options = new Options().setCreateIfMissing(true).setWriteBufferSize(4 << 20);
        store = RocksDB.open(options, folder.toString());
    }

    private static byte[] key(int number, int index) {
        return ByteBuffer.allocate(8).putInt(number).putInt(index).array();
    }

    @Override
    public long operation(int thread, int number) throws Exception {
        try (WriteBatch batch = new WriteBatch(); WriteOptions how = new WriteOptions()) {
            for (int i = 0; i < KEYS; ++i) {
                byte[] value = new byte[50 + i];
                java.util.Arrays.fill(value, (byte) (number + i));
                batch.put(key(number, i), value);
            }
            store.write(how, batch);
        }
        long sum = 0;
        for (int i = 0; i < KEYS; i += 9) sum = Stranger.hash(sum, store.get(key(number, i)));
        try (RocksIterator iterator = store.newIterator()) {
            iterator.seek(key(number, 0));
            for (int i = 0; i < KEYS; ++i, iterator.next()) {
                sum = Stranger.hash(sum, iterator.key());
                sum = Stranger.hash(sum, iterator.value());
            }
        }
        return sum;
    }

    @Override
    public void stop() {
        store.close();
        options.close();
    }
}
