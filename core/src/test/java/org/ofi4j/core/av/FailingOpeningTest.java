// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.core.av;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;
import static org.ofi4j.core.av.VectorFixture.a;
import static org.ofi4j.core.av.VectorFixture.fails;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.ofi4j.Capability;
import org.ofi4j.Errno;
import org.ofi4j.FabricInfo;
import org.ofi4j.VectorFlag;
import org.ofi4j.VectorOptions;
import org.ofi4j.core.share.ShareDirectory;
import org.ofi4j.core.testing.TestDomain;
import org.ofi4j.core.testing.TestFabric;
import org.ofi4j.core.testing.TestInfo;

/** Memory that ends when the entries of a vector are open already, and the vector is not. */
@Tag("AV-049")
class FailingOpeningTest {
  @TempDir private Path directory;

  /** In a domain in which memory ends once a vector is being made of its parts. */
  private static void failToOpen(TestInfo info, VectorOptions options) {
    FabricInfo built = info.build();
    AtomicInteger asked = new AtomicInteger();
    Supplier<FabricInfo> once =
        () -> {
          if (asked.incrementAndGet() == 2) {
            throw new OutOfMemoryError("none left");
          }
          return built;
        };
    try (TestDomain domain = new TestDomain(new TestFabric(), once)) {
      fails(Errno.ENOMEM, "none left", () -> domain.openAddressVector(options));
    }
  }

  @Test
  void leavesNoSavedFileMapped() throws IOException {
    Path maps = Path.of("/proc/self/maps");
    assumeTrue(Files.exists(maps), "this system does not tell what is mapped");
    Path path = directory.resolve("peers.av");
    try (CoreAddressVector vector = VectorFixture.table()) {
      vector.insert(a(1));
      vector.save(path);
    }
    VectorOptions reading = VectorOptions.table().withSaved(path).withFlags(VectorFlag.READ);
    try (CoreAddressVector vector = VectorFixture.open(TestInfo.defaults(), reading)) {
      assertThat(vector.lookup(0)).isEqualTo(a(1));
      assertThat(Files.readString(maps)).contains(path.toString());
    }
    failToOpen(TestInfo.defaults(), reading);
    assertThat(Files.readString(maps)).doesNotContain(path.toString());
  }

  @Test
  void leavesNoNameBehind() throws IOException {
    String name = "opening-" + UUID.randomUUID();
    TestInfo info = TestInfo.defaults().capabilities(Capability.SHARED_AV);
    failToOpen(info, VectorOptions.table().withName(name));
    Path files = ShareDirectory.ofUser().control("any", name).getParent();
    try (Stream<Path> left = Files.list(files)) {
      assertThat(left.map(String::valueOf).filter(file -> file.contains(name))).isEmpty();
    }
  }
}
