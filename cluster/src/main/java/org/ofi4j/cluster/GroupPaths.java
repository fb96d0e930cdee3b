// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.cluster;

import java.nio.charset.StandardCharsets;
import java.util.UUID;
import java.util.zip.CRC32C;
import org.jspecify.annotations.Nullable;
import org.ofi4j.cluster.HostRecord.RankRecord;

/**
 * Where everything of a group is in the tree.
 *
 * <pre>
 *   root/group                              the {@link GroupRecord}
 *   root/group/hosts/host/process           ephemeral: the members of a process
 *   root/group/records/bucket/host@process  ephemeral: the members of a host, by its publisher
 *   root/group/ranks/thousands/rank         the {@link RankRecord} of a job's rank
 *   root/group/founding-number              until the end of the job begins
 *   root/group/tables/host/vector           who inserts into a vector that a host's processes share
 * </pre>
 *
 * <p>A process is a UUID, new with each process. The bucket is the last byte of the CRC-32C of the
 * host's name, as two hexadecimal digits. Ranks are divided as well, as ZooKeeper lists no more
 * than about 100,000 nodes below one.
 */
final class GroupPaths {
  private static final int UUID_LENGTH = 36;

  /** How many ranks have one parent. */
  private static final int RANKS = 1_000;

  private final String group;

  GroupPaths(String root, String name) {
    group = root + "/" + Text.step("name of the group", name);
  }

  /** A record's place, taken from its path. */
  record RecordName(String host, UUID process) {}

  String group() {
    return group;
  }

  String host(String host) {
    return group + "/hosts/" + host;
  }

  String process(String host, UUID process) {
    return host(host) + "/" + process;
  }

  String records() {
    return group + "/records";
  }

  String ranks() {
    return group + "/ranks";
  }

  String rank(int rank) {
    return ranks() + "/" + rank / RANKS + "/" + rank;
  }

  String founding(long number) {
    return group + "/founding-" + Long.toHexString(number);
  }

  String table(String host, String vector) {
    return group + "/tables/" + host + "/" + vector;
  }

  String record(String host, UUID process) {
    return records() + "/" + bucket(host) + "/" + host + "@" + process;
  }

  private static String bucket(String host) {
    CRC32C hash = new CRC32C();
    hash.update(host.getBytes(StandardCharsets.UTF_8));
    return String.format("%02x", hash.getValue() & 0xFF);
  }

  /** Which process a node is of; null if it is something else. */
  static @Nullable UUID processOf(String path) {
    try {
      return UUID.fromString(path.substring(path.lastIndexOf('/') + 1));
    } catch (IllegalArgumentException other) {
      return null;
    }
  }

  /** Which record a node is; null if it is something else, such as a bucket. */
  static @Nullable RecordName recordOf(String path) {
    String name = path.substring(path.lastIndexOf('/') + 1);
    int at = name.length() - UUID_LENGTH - 1;
    if (at < 1 || name.charAt(at) != '@') {
      return null;
    }
    UUID process = processOf(name.substring(at + 1));
    return process == null ? null : new RecordName(name.substring(0, at), process);
  }
}
