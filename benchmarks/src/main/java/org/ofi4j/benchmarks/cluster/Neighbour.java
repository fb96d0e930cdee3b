// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.benchmarks.cluster;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import org.apache.curator.framework.CuratorFramework;
import org.ofi4j.AddressVector;
import org.ofi4j.VectorOptions;
import org.ofi4j.benchmarks.figure.Family;
import org.ofi4j.benchmarks.figure.Figure;
import org.ofi4j.benchmarks.figure.FigureSink;
import org.ofi4j.benchmarks.figure.Side;
import org.ofi4j.benchmarks.vector.Subject;
import org.ofi4j.benchmarks.vector.VectorFactory;
import org.ofi4j.cluster.Cluster;
import org.ofi4j.cluster.MemberListener;
import org.ofi4j.cluster.VectorFeed;

/** One of the processes of a node that share a vector of the members of a service. */
final class Neighbour {
  private static final Path MAPPINGS = Path.of("/proc/self/smaps");
  private static final String SHARE = "Pss:";
  private static final int KIBIBYTE = 1024;

  private final String name;
  private final long members;
  private final VectorFactory vectors = VectorFactory.sharing(Family.IPV4);
  private final AddressVector vector;
  private final VectorFeed feed;

  /** Has all members in a vector of this name. */
  Neighbour(CuratorFramework client, String service, long members, String name) {
    this.name = name;
    this.members = members;
    vector = Cluster.openNodeVector(vectors.domain(), VectorOptions.table().withName(name));
    feed =
        Cluster.of(client, Client.options("node"))
            .service(service)
            .fill(vector, Duration.ZERO, MemberListener.none());
    Subject.check(vector.size(), members, "members in the vector of the node");
  }

  /** Comes to every entry, so that all of the file is in this process. */
  void touch() {
    AtomicLong found = new AtomicLong();
    vector.forEach((_, _) -> found.incrementAndGet());
    Subject.check(found.get(), members, "entries in the vector of the node");
  }

  /** Says which part of the file of entries is this process's, if all that map it share it. */
  void share(FigureSink figures) throws IOException {
    Path file = null;
    long bytes = 0;
    boolean isOfFile = false;
    for (String line : Files.readAllLines(MAPPINGS)) {
      List<String> words = List.of(line.trim().split(" +", 6));
      if (words.getFirst().contains("-")) {
        String path = words.getLast();
        isOfFile = path.contains(name) && path.endsWith(".entries");
        file = isOfFile ? Path.of(path) : file;
      } else if (isOfFile && words.getFirst().equals(SHARE)) {
        bytes += Long.parseLong(words.get(1)) * KIBIBYTE;
      }
    }
    if (file == null) {
      throw new IllegalStateException("no file of entries of " + name + " is mapped");
    }
    figures.add(
        new Figure(ClusterBars.COPIES, members, Side.OFI4J, bytes / (double) Files.size(file)));
  }

  /** Does without; the last one takes the files with it. */
  void close() {
    feed.close();
    vector.close();
    vectors.close();
  }
}
