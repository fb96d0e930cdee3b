// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.cluster;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import org.ofi4j.AddressVector;
import org.ofi4j.Domain;
import org.ofi4j.Errno;
import org.ofi4j.FabricException;
import org.ofi4j.FabricInfo;
import org.ofi4j.VectorFlag;
import org.ofi4j.VectorOptions;

/** A named vector that the processes of a node fill together, each of which can only read it. */
record NodeVector(AddressVector vector) {
  /** Makes the vector if nobody has it, and opens it for reading. */
  static AddressVector open(Domain domain, VectorOptions options) {
    Text.required(domain, "domain");
    Text.required(options, "options");
    if (options.name() == null) {
      throw new FabricException(
          Errno.EINVAL, "name is null: processes of a node find their vector by its name");
    }
    if ((options.flags() & VectorFlag.USER_ID.mask()) != 0) {
      throw noUserIds();
    }
    if (options.flags() != 0) {
      throw new FabricException(
          Errno.EINVAL,
          "flags " + options.flags() + ": a vector of a node is opened without flags");
    }
    try (AddressVector _ = domain.openAddressVector(options)) {
      return domain.openAddressVector(options.withFlags(VectorFlag.READ));
    }
  }

  static FabricException noUserIds() {
    return new FabricException(
        Errno.EINVAL,
        "vector: processes do not share user ids; open it without FI_AV_USER_ID, and take them from"
            + " Member.userId()");
  }

  /** Whether the processes of the node agree on who fills it. */
  static boolean isOne(AddressVector vector) {
    VectorOptions options = Text.required(vector, "vector").options();
    return options.name() != null && (options.flags() & VectorFlag.READ.mask()) != 0;
  }

  String name() {
    return String.valueOf(vector.options().name());
  }

  /** Opens it for changes; others that do so are to be kept out otherwise. */
  AddressVector openForChanges() {
    VectorOptions options = vector.options();
    return vector
        .domain()
        .openAddressVector(options.withFlags(options.flags() & ~VectorFlag.READ.mask()));
  }

  /** What it is called in ZooKeeper and in the names of files: no two vectors have one key. */
  String key() {
    FabricInfo info = vector.domain().info();
    String all =
        String.join(
            "\0",
            directory().toString(),
            info.fabric().provider(),
            info.fabric().name(),
            info.domain().name(),
            name());
    try {
      byte[] digest =
          MessageDigest.getInstance("SHA-256").digest(all.getBytes(StandardCharsets.UTF_8));
      return HexFormat.of().formatHex(digest, 0, 16);
    } catch (NoSuchAlgorithmException impossible) {
      throw new IllegalStateException("every Java platform has SHA-256", impossible);
    }
  }

  /** Where the members are told, in the directory that the vector's own files are in. */
  Path file() {
    return directory().resolve(key() + ".members");
  }

  /**
   * The directory of named vectors, which is there and this user's alone, as the vector is open.
   */
  private static Path directory() {
    String named = System.getProperty("ofi4j.share.directory");
    if (named != null) {
      return Path.of(named).toAbsolutePath().normalize();
    }
    Path memory = Path.of("/dev/shm");
    boolean isThere = Files.isDirectory(memory) && Files.isWritable(memory);
    Path parent = isThere ? memory : Path.of(System.getProperty("java.io.tmpdir", "/tmp"));
    return parent.resolve("ofi4j-" + userId(parent));
  }

  /** Returns the numeric id of the user of this process, as the vector finds it. */
  private static int userId(Path parent) {
    Path self = Path.of("/proc/self");
    try {
      if (Files.exists(self)) {
        return (int) Files.getAttribute(self, "unix:uid");
      }
      Path probe = Files.createTempFile(parent, "ofi4j", ".tmp");
      try {
        return (int) Files.getAttribute(probe, "unix:uid");
      } finally {
        Files.delete(probe);
      }
    } catch (IOException unknown) {
      throw new FabricException(
          Errno.EACCES,
          "the user of this process is unknown: set the system property ofi4j.share.directory: "
              + unknown,
          unknown);
    }
  }
}
