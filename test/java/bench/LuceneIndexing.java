import java.io.IOException;
import java.util.Random;
import org.apache.lucene.analysis.en.EnglishAnalyzer;
import org.apache.lucene.document.Document;
import org.apache.lucene.document.Field;
import org.apache.lucene.document.StringField;
import org.apache.lucene.document.TextField;
import org.apache.lucene.index.IndexWriter;
import org.apache.lucene.index.IndexWriterConfig;
import org.apache.lucene.store.ByteBuffersDirectory;

/**
 * Lucene indexes text in memory on two threads. The frequencies of the words follow Zipf's law. An
 * operation is a document of 200 words.
 */
final class LuceneIndexing implements Workload {
  private static final int WORDS = 20_000;
  private static final int WORDS_OF_DOCUMENT = 200;

  private final Team team = new Team(2);
  private final String[] words = new String[WORDS];

  @Override
  public void prepare() {
    Random random = new Random(1);
    for (int i = 0; i < WORDS; i++) {
      StringBuilder word = new StringBuilder();
      for (int length = 2 + random.nextInt(9); length > 0; length--) {
        word.append((char) ('a' + random.nextInt(26)));
      }
      words[i] = word.toString();
    }
  }

  @Override
  public long run(long operations) throws Exception {
    IndexWriterConfig config = new IndexWriterConfig(new EnglishAnalyzer());
    config.setRAMBufferSizeMB(8);
    try (ByteBuffersDirectory folder = new ByteBuffersDirectory();
        IndexWriter writer = new IndexWriter(folder, config)) {
      return team.run(operations, (member, part) -> index(writer, member, part));
    }
  }

  private long index(IndexWriter writer, int member, long documents) throws IOException {
    Random random = new Random(member);
    long letters = 0;
    for (long i = 0; i < documents; i++) {
      StringBuilder text = new StringBuilder();
      for (int word = 0; word < WORDS_OF_DOCUMENT; word++) {
        text.append(words[(int) Math.pow(WORDS, random.nextDouble()) - 1]).append(' ');
      }
      letters += text.length();
      Document document = new Document();
      document.add(new StringField("id", member + "-" + i, Field.Store.YES));
      document.add(new TextField("text", text.toString(), Field.Store.NO));
      writer.addDocument(document);
    }
    return letters;
  }

  @Override
  public void close() {
    team.close();
  }
}
