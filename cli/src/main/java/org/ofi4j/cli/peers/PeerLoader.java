// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.cli.peers;

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
import org.ofi4j.PeerLine;
import org.ofi4j.PeerList;
import org.ofi4j.VectorOptions;

/**
 * Puts lists of peers into a vector, in the order of their lines. Reads a chunk of lines at a time,
 * so the length of a list does not matter, and begins to look up the names of a chunk before it
 * inserts the first of them. For one thread.
 */
public final class PeerLoader {
  private static final int CHUNK = 1 << 14;
  private static final int SHOWN = 3;

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
  private final String source;
  private final AddressVector vector;
  private final List<BadLine> badOfChunk = new ArrayList<>();

  private long line;
  private long badLines;
  private long inserted;
  private long refused;
  private long ranges;
  private long rangePeers;
  private long names;
  private long packed;
  private long packedNanos;

  private PeerLoader(AddressVector vector, String source, Listener listener) {
    this.vector = vector;
    this.source = source;
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
    return new PeerLoader(vector, source, listener)
        .load(PeerList.of(in, source).defaultService(defaultService));
  }

  private LoadSummary load(PeerList list) throws IOException {
    long begin = System.nanoTime();
    List<PeerLine> chunk = new ArrayList<>(CHUNK);
    long lines = 0;
    try (AddressBatch batch = new AddressBatch(vector, this::refusedSingle)) {
      do {
        chunk.clear();
        for (PeerLine next = list.next(); next != null; next = list.next()) {
          chunk.add(next);
          if (chunk.size() == CHUNK) {
            break;
          }
        }
        insert(chunk, batch);
        lines += chunk.size();
        listener.progress(list.bytesRead(), list.linesRead());
      } while (chunk.size() == CHUNK);
      packedNanos = batch.nanos();
    }
    return new LoadSummary(
        list.linesRead(),
        list.linesRead() - lines,
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

  private void insert(List<PeerLine> chunk, AddressBatch batch) {
    if (resolver != null) {
      Set<String> hosts = new LinkedHashSet<>();
      for (PeerLine peer : chunk) {
        if (peer instanceof PeerLine.Named named && Character.isLetter(named.node().charAt(0))) {
          hosts.add(named.node());
        }
      }
      resolver.prefetch(hosts);
    }
    for (PeerLine peer : chunk) {
      line = peer.number();
      insert(peer, batch);
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

  private void insert(PeerLine peer, AddressBatch batch) {
    String text = peer.text();
    switch (peer) {
      case PeerLine.Single single -> insertSingle(single.address(), text, batch);
      case PeerLine.Malformed malformed ->
          bad(text, 0, 0, malformed.errno().number(), malformed.reason());
      case PeerLine.Named(long _, String _, String node, String service) -> {
        names++;
        flush(batch);
        listener.resolving(node, line);
        report(
            text,
            call(text, 1, () -> vector.insertService(node, service, InsertOptions.none())),
            PeerAddress.of(node, service, 1));
      }
      case PeerLine.Range range -> {
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
    batch.add(address, line, text);
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
    badOfChunk.add(new BadLine(source, line, shorten(text), peers, failed, errno, reason));
  }

  private static String shorten(String text) {
    return text.length() <= 100 ? text : text.substring(0, 100) + "...";
  }
}
