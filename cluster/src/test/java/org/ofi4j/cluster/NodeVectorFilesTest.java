// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.UUID;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Isolated;

/** The directory that a node vector finds without a system property. */
@Isolated("system properties hold for the whole JVM")
class NodeVectorFilesTest {
  private static final String DIRECTORY = "ofi4j.share.directory";
  private static final String USER = "user.name";

  @Test
  void theFileOfTheMembersIsBesideTheVectorWhateverTheUserIsCalled() throws Exception {
    String directory = System.clearProperty(DIRECTORY);
    String user = System.getProperty(USER);
    String name = "beside-" + UUID.randomUUID();
    TestNetwork network = new TestNetwork();
    try {
      NodeVector vector = new NodeVector(network.nodeVector(name));
      String key = vector.key();
      Path file = vector.file();
      try (Stream<Path> files = Files.list(file.getParent())) {
        assertThat(files.map(each -> each.getFileName().toString()))
            .anyMatch(each -> each.endsWith("+" + name + ".control"));
      }
      System.setProperty(USER, "?");
      assertThat(vector.file()).isEqualTo(file);
      assertThat(vector.key()).isEqualTo(key);
    } finally {
      network.close();
      System.setProperty(USER, user);
      if (directory != null) {
        System.setProperty(DIRECTORY, directory);
      }
    }
  }
}
