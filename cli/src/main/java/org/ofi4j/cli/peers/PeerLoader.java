// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.cli.peers;

import java.io.CharConversionException;
import java.io.IOException;
import java.io.InputStream;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.ofi4j.AddressFormat;
import org.ofi4j.AddressResolver;
import org.ofi4j.AddressVector;
import org.ofi4j.Errno;
import org.ofi4j.FabricAddress;
import org.ofi4j.FabricException;
import org.ofi4j.InsertOptions;
import org.ofi4j.Insertion;
import org.ofi4j.InsertionFailure;
import org.ofi4j.VectorOptions;

/**
 * Puts lists of peers into a vector, in the order of their lines. Reads a chunk of lines at a time,
 * so the length of a list does not matter, and begins to look up the names of a chunk before it
 * inserts the first of them. For one thread.
 */
public final class PeerLoader {
  private static final int CHUNK = 1 << 14;
  private static final int SHOWN = 3;

  /** The number of lines with control characters at which a source counts as binary. */
  private static final int MAX_BINARY_LINES = 10;

  /** Hears what happens on the way. */
  public interface Listener {
    /** A line, or part of one, did not get in. */
    void bad(BadLine line);

    /** So many bytes and lines have been read so far. */
    default void progress(long bytes, long lines) {}

    /** The next line has a name, which may take its time. */
    default void resolving(String host, long line) {}
  }

  private final Listener listener;
  private final @Nullable PrefetchingResolver resolver;
  private final PeerLineParser parser;
  private final String source;
  private final AddressVector vector;
  private final List<BadLine> badOfChunk = new ArrayList<>();

  private int binaryLines;
  private long line;
  private long empty;
  private long badLines;
  private long inserted;
  private long refused;
  private long ranges;
  private long rangePeers;
  private long names;
  private long packed;
  private long packedNanos;

  private PeerLoader(
      AddressVector vector, String source, @Nullable String defaultService, Listener listener) {
    this.vector = vector;
    this.source = source;
    this.parser = new PeerLineParser(defaultService);
    this.listener = listener;
    this.resolver =
        vector.options().resolver() instanceof PrefetchingResolver prefetching ? prefetching : null;
  }

  /** Options for a vector whose names are looked up ahead. */
  public static VectorOptions prefetching(VectorOptions options, AddressResolver resolver) {
    return options.withResolver(new PrefetchingResolver(resolver));
  }

  /**
   * Inserts a list.
   *
   * @param defaultService the service of lines that name none, or null
   * @throws IOException if the list cannot be read, or is binary
   */
  public static LoadSummary load(
      AddressVector vector,
      InputStream in,
      String source,
      @Nullable String defaultService,
      Listener listener)
      throws IOException {
    return new PeerLoader(vector, source, defaultService, listener).load(in);
  }

  private LoadSummary load(InputStream in) throws IOException {
    long begin = System.nanoTime();
    LineReader reader = new LineReader(in);
    List<String> texts = new ArrayList<>(CHUNK);
    try (AddressBatch batch = new AddressBatch(vector, this::refusedSingle)) {
      do {
        texts.clear();
        for (String text = reader.next(); text != null; text = reader.next()) {
          texts.add(text);
          requireText(text);
          if (texts.size() == CHUNK) {
            break;
          }
        }
        insert(texts, batch);
        listener.progress(reader.consumed(), line);
      } while (texts.size() == CHUNK);
      packedNanos = batch.nanos();
    } catch (CharConversionException otherEncoding) {
      throw new IOException(source + " " + otherEncoding.getMessage(), otherEncoding);
    }
    return new LoadSummary(
        line,
        empty,
        badLines,
        inserted,
        refused,
        ranges,
        rangePeers,
        names,
        packed,
        packedNanos,
        System.nanoTime() - begin);
  }

  /**
   * Throws if the source is binary, before its lines are complained of and names in it resolved.
   */
  private void requireText(String line) throws IOException {
    if (line.chars().anyMatch(PeerLoader::isBinary) && ++binaryLines == MAX_BINARY_LINES) {
      throw new IOException(
          source
              + " is no list of peers but a binary file: "
              + MAX_BINARY_LINES
              + " lines have control characters; give a list in UTF-8");
    }
  }

  /** Whether a character is in no text: a control character that neither spaces nor colours it. */
  private static boolean isBinary(int c) {
    return c < ' ' && c != '\t' && c != '\r' && c != '\f' && c != '\u001B';
  }

  private void insert(List<String> texts, AddressBatch batch) {
    List<PeerLine> parsed = new ArrayList<>(texts.size());
    Set<String> hosts = new LinkedHashSet<>();
    for (String text : texts) {
      PeerLine peer = parse(text);
      parsed.add(peer);
      String host = peer.host();
      if (host != null) {
        hosts.add(host);
      }
    }
    if (resolver != null) {
      resolver.prefetch(hosts);
    }
    for (int i = 0; i < parsed.size(); i++) {
      line++;
      insert(parsed.get(i), texts.get(i), batch);
    }
    flush(batch);
    // Single addresses are refused when their batch goes in, later than lines behind them.
    badOfChunk.sort(Comparator.comparingLong(BadLine::line));
    badOfChunk.forEach(listener::bad);
    badOfChunk.clear();
  }

  private void flush(AddressBatch batch) {
    int count = batch.insert();
    packed += count;
    inserted += count;
  }

  private PeerLine parse(String text) {
    if (text.length() > LineReader.MAX_LENGTH) {
      return new PeerLine.Malformed(
          Errno.EINVAL.number(), "is longer than " + LineReader.MAX_LENGTH + " bytes");
    }
    return parser.parse(text);
  }

  private void insert(PeerLine peer, String text, AddressBatch batch) {
    switch (peer) {
      case PeerLine.Single(FabricAddress address) -> insertSingle(address, text, batch);
      case PeerLine.Nothing _ -> empty++;
      case PeerLine.Malformed(int errno, String reason) -> bad(text, 0, 0, errno, reason);
      case PeerLine.Named(String node, String service) -> {
        names++;
        flush(batch);
        listener.resolving(node, line);
        report(
            text,
            call(text, 1, () -> vector.insertService(node, service, InsertOptions.none())),
            PeerAddress.of(node, service, 1));
      }
      case PeerLine.Symmetric range -> {
        ranges++;
        flush(batch);
        Insertion insertion =
            call(
                text,
                range.peers(),
                () ->
                    vector.insertSymmetric(
                        range.node(),
                        range.nodeCount(),
                        range.service(),
                        range.serviceCount(),
                        InsertOptions.none()));
        rangePeers += insertion == null ? 0 : insertion.inserted();
        report(
            text, insertion, PeerAddress.of(range.node(), range.service(), range.serviceCount()));
      }
    }
  }

  private void insertSingle(FabricAddress address, String text, AddressBatch batch) {
    AddressFormat format = vector.format();
    if (format != AddressFormat.STR && !format.contains(address.format())) {
      refused++;
      bad(
          text,
          1,
          1,
          Errno.EINVAL.number(),
          "an address of " + address.format() + " does not fit into a vector of " + format);
      return;
    }
    batch.add(address, line, text.strip());
    if (batch.isFull()) {
      flush(batch);
    }
  }

  private @Nullable Insertion call(String text, long peers, Supplier<Insertion> call) {
    try {
      return call.get();
    } catch (FabricException wrong) {
      refused += peers;
      bad(text, peers, peers, wrong.errno().number(), Reasons.of(wrong));
      return null;
    }
  }

  private void report(String text, @Nullable Insertion insertion, PeerAddress addresses) {
    if (insertion == null) {
      return;
    }
    inserted += insertion.inserted();
    List<InsertionFailure> failures = insertion.failures();
    if (failures.isEmpty()) {
      return;
    }
    StringBuilder reason = new StringBuilder();
    if (insertion.requested() == 1) {
      reason.append(addresses.reason(failures.getFirst(), vector));
    } else {
      int shown = Math.min(SHOWN, failures.size());
      for (InsertionFailure failure : failures.subList(0, shown)) {
        reason.append(reason.isEmpty() ? "" : "; ").append(addresses.name(failure)).append(": ");
        reason.append(addresses.reason(failure, vector));
      }
      if (failures.size() > shown) {
        reason.append("; and ").append(failures.size() - shown).append(" more");
      }
    }
    refused += failures.size();
    bad(
        text,
        insertion.requested(),
        failures.size(),
        failures.getFirst().errno().number(),
        reason.toString());
  }

  private void refusedSingle(long number, String text, int errno, String reason) {
    refused++;
    badLines++;
    badOfChunk.add(new BadLine(source, number, text, 1, 1, errno, reason));
  }

  private void bad(String text, long peers, long failed, int errno, String reason) {
    badLines++;
    badOfChunk.add(new BadLine(source, line, shorten(text.strip()), peers, failed, errno, reason));
  }

  private static String shorten(String text) {
    return text.length() <= 100 ? text : text.substring(0, 100) + "...";
  }
}
